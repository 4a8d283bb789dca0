#include "session/cells/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/jsontext.h"
#include "base/u64.h"
#include "base/utf8.h"

/* Of what is given, and of what is answered: a message to or from a worker has room for it. */
#define MOST_BYTES        (UINT64_C(1) << 30)
#define MOST_ANSWER_BYTES (UINT64_C(512) << 20)

size_t program_element_bytes(snug_type type)
{
    if (type == SNUG_TYPE_INTS || type == SNUG_TYPE_INT)
        return sizeof(int64_t);
    if (type == SNUG_TYPE_DOUBLES || type == SNUG_TYPE_DOUBLE)
        return sizeof(double);
    return 1;
}

int program_is_of_column(snug_type type)
{
    return type >= SNUG_TYPE_INT && type <= SNUG_TYPE_JSON;
}

int program_has_ends(snug_type type)
{
    return type == SNUG_TYPE_TEXT || type == SNUG_TYPE_BYTES || type == SNUG_TYPE_JSON;
}

static int has_data(snug_type type)
{
    return type >= SNUG_TYPE_TEXT && type <= SNUG_TYPE_BOOLS;
}

uint64_t program_most_bytes(const snug_limits *limits)
{
    return u64_least(limits->memory_bytes, MOST_ANSWER_BYTES);
}

/* ---- checks ---- */

static int is_taken(snug_type type, snug_type wanted)
{
    if (type <= SNUG_TYPE_ANY || type > SNUG_TYPE_BOOLS)
        return 0;
    return wanted == SNUG_TYPE_ANY || type == wanted || type == SNUG_TYPE_NONE ||
           (type == SNUG_TYPE_INT && wanted == SNUG_TYPE_DOUBLE);
}

/* What is wrong with it; NULL: nothing. */
static const char *find_text_fault(snug_type type, const char *text, size_t len)
{
    size_t fault;

    if (type == SNUG_TYPE_TEXT && utf8_check(text, len, &fault) != UTF8_FINE)
        return "is not UTF-8";
    if (type == SNUG_TYPE_JSON && jsontext_check(text, len, &fault))
        return "is not JSON";
    return NULL;
}

static int are_truths(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)bytes[i] > 1)
            return 0;
    return 1;
}

static const char *const no_truth = "is neither 0 nor 1";

static const char *find_value_fault(const snug_value *value, snug_type wanted)
{
    if (!is_taken(value->type, wanted))
        return "is of another type";
    if (value->type == SNUG_TYPE_BOOL && (uint64_t)value->integer > 1)
        return no_truth;
    if (!has_data(value->type))
        return NULL;
    if (value->len > MOST_BYTES / program_element_bytes(value->type))
        return "has more than 1 GiB";
    if (value->len > 0 && !value->data)
        return "has no data";
    if (value->type == SNUG_TYPE_BOOLS && !are_truths(value->data, value->len))
        return no_truth;
    return find_text_fault(value->type, value->len > 0 ? value->data : "", value->len);
}

static int refuse_input(const program_text *text, size_t index, const char *fault, snug_type type,
                        const char *what)
{
    const snug_input *input = &text->inputs[index];
    if (type == input->type)
        return error_set(SNUG_EINVAL, "%s: what is given for %s of program %s %s", what,
                         input->name, text->name, fault);
    return error_set(SNUG_EINVAL, "%s: what is given for %s of program %s %s (%s for %s)", what,
                     input->name, text->name, fault, snug_type_name(type),
                     snug_type_name(input->type));
}

int program_check_values(const program_text *text, const snug_value *values, const char *what)
{
    for (size_t i = 0; i < text->input_count; i++) {
        const char *fault = find_value_fault(&values[i], text->inputs[i].type);
        if (fault)
            return refuse_input(text, i, fault, values[i].type, what);
    }

    return SNUG_OK;
}

static const char *find_rows_fault(const snug_column *column, uint64_t row_count)
{
    uint64_t begin = 0;

    for (uint64_t row = 0; row < row_count; row++) {
        const uint64_t end = column->ends[row];
        if (end < begin || end > MOST_BYTES)
            return "has ends that go back, or more than 1 GiB";
        if (end > begin && !column->data)
            return "has no data";
        const int is_missing = column->missing && column->missing[row];
        const char *fault = NULL;
        if (!is_missing)
            fault =
                find_text_fault(column->type, end > begin ? (const char *)column->data + begin : "",
                                (size_t)(end - begin));
        if (fault)
            return fault;
        begin = end;
    }

    return NULL;
}

static const char *find_column_fault(const snug_column *column, snug_type wanted,
                                     uint64_t row_count)
{
    if (!program_is_of_column(column->type) || !is_taken(column->type, wanted))
        return "is of another type";
    if (column->missing && !are_truths((const char *)column->missing, row_count))
        return "has a row that is neither missing nor there";
    if (program_has_ends(column->type)) {
        if (row_count > 0 && !column->ends)
            return "has no ends";
        return find_rows_fault(column, row_count);
    }
    if (row_count > 0 && !column->data)
        return "has no data";
    if (column->type == SNUG_TYPE_BOOL && !are_truths(column->data, row_count))
        return no_truth;
    return NULL;
}

int program_check_columns(const program_text *text, const snug_column *columns, uint64_t row_count,
                          const char *what)
{
    if (row_count > MOST_BYTES / sizeof(double))
        return error_set(SNUG_EINVAL, "%s: a map has at most %llu rows", what,
                         (unsigned long long)(MOST_BYTES / sizeof(double)));
    for (size_t i = 0; i < text->input_count; i++) {
        const char *fault = find_column_fault(&columns[i], text->inputs[i].type, row_count);
        if (fault)
            return refuse_input(text, i, fault, columns[i].type, what);
    }

    return SNUG_OK;
}

/* ---- copies ---- */

enum { ALIGNMENT = 8 };

/* Where they are copied to, aligned; the pieces are pointed at when all are there, because the text
 * moves while it grows. */
static int add_piece(size_t *at, str *bytes, const void *data, size_t len)
{
    static const char zeros[ALIGNMENT];
    const size_t gap = (ALIGNMENT - bytes->len % ALIGNMENT) % ALIGNMENT;

    if (str_append(bytes, zeros, gap) != SNUG_OK)
        return error_no_memory();
    *at = bytes->len;
    if (len > 0 && str_append(bytes, data, len) != SNUG_OK)
        return error_no_memory();
    return SNUG_OK;
}

int program_copy_values(const snug_value **out, program_copies *copies, const snug_value *values,
                        size_t count)
{
    size_t at[PROGRAM_INPUTS];
    int error = SNUG_OK;

    str_clear(&copies->bytes);
    for (size_t i = 0; i < count && !error; i++) {
        copies->values[i] = values[i];
        if (has_data(values[i].type))
            error = add_piece(&at[i], &copies->bytes, values[i].data,
                              values[i].len * program_element_bytes(values[i].type));
    }

    for (size_t i = 0; i < count && !error; i++)
        if (has_data(values[i].type))
            copies->values[i].data = str_text(&copies->bytes) + at[i];
    *out = copies->values;
    return error;
}

/* How many bytes of data there are. */
static size_t column_bytes(const snug_column *column, uint64_t row_count)
{
    if (row_count == 0)
        return 0;
    if (program_has_ends(column->type))
        return (size_t)column->ends[row_count - 1];
    return (size_t)row_count * program_element_bytes(column->type);
}

typedef struct column_places {
    size_t data, ends, missing;
} column_places;

static int copy_column(column_places *at, str *bytes, const snug_column *from, uint64_t row_count)
{
    const size_t rows = (size_t)row_count;
    int error = add_piece(&at->data, bytes, from->data, column_bytes(from, row_count));
    if (!error && program_has_ends(from->type))
        error = add_piece(&at->ends, bytes, from->ends, rows * sizeof(uint64_t));
    if (!error && from->missing)
        error = add_piece(&at->missing, bytes, from->missing, rows);
    return error;
}

int program_copy_columns(const snug_column **out, program_copies *copies,
                         const snug_column *columns, size_t count, uint64_t row_count)
{
    column_places at[PROGRAM_INPUTS];
    int error = SNUG_OK;

    str_clear(&copies->bytes);
    for (size_t i = 0; i < count && !error; i++)
        error = copy_column(&at[i], &copies->bytes, &columns[i], row_count);

    const char *base = str_text(&copies->bytes);
    for (size_t i = 0; i < count && !error; i++) {
        snug_column *copy = &copies->columns[i];
        *copy = (snug_column){ columns[i].type, base + at[i].data, NULL, NULL };
        if (program_has_ends(copy->type))
            copy->ends = (const void *)(base + at[i].ends);
        if (columns[i].missing)
            copy->missing = (const void *)(base + at[i].missing);
    }

    *out = copies->columns;
    return error;
}

void program_copies_free(program_copies *copies)
{
    str_free(&copies->bytes);
}

void program_column_free(program_column *column)
{
    str_free(&column->data);
    str_free(&column->ends);
    str_free(&column->missing);
    *column = (program_column){ 0 };
}

/* ---- bytes ---- */

void program_pack_value(packer *p, const snug_value *value)
{
    pack_number(p, (uint64_t)value->type);
    pack_number(p, (uint64_t)value->integer);
    pack_bytes(p, (const char *)&value->number, sizeof value->number);
    if (!has_data(value->type))
        return;
    pack_bytes(p, value->len > 0 ? value->data : "",
               value->len * program_element_bytes(value->type));
}

static double unpack_double(unpacker *u)
{
    size_t len;
    double number = 0;
    const char *at = unpack_bytes(u, &len);

    if (len == sizeof number)
        memcpy(&number, at, sizeof number);
    else
        u->is_bad = 1;
    return number;
}

void program_unpack_value(unpacker *u, snug_value *value)
{
    size_t len;

    *value = (snug_value){ .type = (snug_type)unpack_small(u, SNUG_TYPE_BOOLS) };
    value->integer = (int64_t)unpack_number(u);
    value->number = unpack_double(u);
    u->is_bad |= value->type == SNUG_TYPE_ANY;
    u->is_bad |= value->type == SNUG_TYPE_BOOL && (uint64_t)value->integer > 1;
    if (!has_data(value->type) || u->is_bad)
        return;

    const char *data = unpack_bytes(u, &len);
    const size_t bytes = program_element_bytes(value->type);
    value->data = data;
    value->len = len / bytes;
    u->is_bad |= len % bytes != 0 || find_text_fault(value->type, data, len) != NULL ||
                 (value->type == SNUG_TYPE_BOOLS && !are_truths(data, len));
}

void program_pack_column(packer *p, const snug_column *column, uint64_t row_count)
{
    const size_t rows = (size_t)row_count, bytes = column_bytes(column, row_count);
    const int has_rows = rows > 0;

    pack_number(p, (uint64_t)column->type);
    pack_number(p, row_count);
    pack_bytes(p, bytes > 0 ? column->data : "", bytes);
    if (program_has_ends(column->type))
        pack_bytes(p, has_rows ? (const char *)column->ends : "", rows * sizeof(uint64_t));
    pack_number(p, column->missing != NULL);
    if (column->missing)
        pack_bytes(p, has_rows ? (const char *)column->missing : "", rows);
}

static void unpack_piece(unpacker *u, str *out)
{
    size_t len;
    const char *at = unpack_bytes(u, &len);

    if (!u->is_bad && str_append(out, at, len) != SNUG_OK)
        u->is_bad = 1;
}

snug_column program_show_column(const program_column *column)
{
    snug_column shown = { column->type, str_text(&column->data), NULL, NULL };

    if (program_has_ends(column->type))
        shown.ends = (const void *)str_text(&column->ends);
    if (column->missing.len > 0)
        shown.missing = (const void *)str_text(&column->missing);
    return shown;
}

/* Each has as many bytes as the rows say, and what they say is what the header promises. */
static int is_whole(const program_column *column)
{
    const snug_column shown = program_show_column(column);
    const uint64_t rows = column->rows;

    if (column->missing.len > 0 &&
        (column->missing.len != rows || !are_truths(column->missing.data, column->missing.len)))
        return 0;
    if (!program_has_ends(column->type))
        return column->data.len == rows * program_element_bytes(column->type) &&
               (column->type != SNUG_TYPE_BOOL ||
                are_truths(str_text(&column->data), column->data.len));
    if (column->ends.len != rows * sizeof(uint64_t))
        return 0;
    return find_rows_fault(&shown, rows) == NULL && column_bytes(&shown, rows) == column->data.len;
}

/* The texts of rows are only looked at where the ends say that they lie within. */
static int ends_are_within(const program_column *column)
{
    const uint64_t *ends = (const void *)str_text(&column->ends);

    for (size_t i = 0; i < column->ends.len / sizeof *ends; i++)
        if (ends[i] > column->data.len)
            return 0;
    return 1;
}

void program_unpack_column(unpacker *u, program_column *column)
{
    column->type = (snug_type)unpack_small(u, SNUG_TYPE_JSON);
    column->rows = unpack_number(u);
    u->is_bad |= !program_is_of_column(column->type) || column->rows > MOST_BYTES / sizeof(double);
    if (u->is_bad)
        return;

    unpack_piece(u, &column->data);
    if (program_has_ends(column->type))
        unpack_piece(u, &column->ends);
    if (unpack_small(u, 1))
        unpack_piece(u, &column->missing);
    if (!u->is_bad)
        u->is_bad = !ends_are_within(column) || !is_whole(column);
}
