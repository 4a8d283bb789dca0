#include "cli/cells/cell_values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"

int cell_type_named(const char *name)
{
    for (int type = SNUG_TYPE_ANY; type <= SNUG_TYPE_BOOLS; type++)
        if (type != SNUG_TYPE_NONE && strcmp(snug_type_name((snug_type)type), name) == 0)
            return type;
    return -1;
}

/* ---- reading ---- */

static int refuse(const char *what)
{
    return error_set(SNUG_EINVAL, "%s", what);
}

#define EXACT_INTEGER 9007199254740992.0

/* A number that is one, or its digits. */
static int read_integer(int64_t *out, const cJSON *json)
{
    char *end;

    if (cJSON_IsNumber(json) && json->valuedouble == floor(json->valuedouble) &&
        fabs(json->valuedouble) <= EXACT_INTEGER) {
        *out = (int64_t)json->valuedouble;
        return SNUG_OK;
    }

    if (!cJSON_IsString(json) || !*json->valuestring)
        return refuse("must be an integer up to 2^53, or its digits as a text");
    errno = 0;
    *out = strtoll(json->valuestring, &end, 10);
    if (errno || *end)
        return refuse("must be an integer of 64 bits");
    return SNUG_OK;
}

static int read_number(double *out, const cJSON *json)
{
    if (!cJSON_IsNumber(json))
        return refuse("must be a number");
    *out = json->valuedouble;
    return SNUG_OK;
}

static int read_truth(int64_t *out, const cJSON *json)
{
    if (!cJSON_IsBool(json))
        return refuse("must be true or false");
    *out = cJSON_IsTrue(json);
    return SNUG_OK;
}

static int hold(str *held, const char *bytes, size_t len)
{
    if (str_append(held, bytes, len))
        return error_no_memory();
    return SNUG_OK;
}

static int hold_json(str *held, const cJSON *json)
{
    char *text = json_text(json);
    int error = text ? hold(held, text, strlen(text)) : error_no_memory();
    free(text);
    return error;
}

/* Text, bytes or JSON, behind what is held already. */
static int read_data(str *held, const cJSON *json, snug_type type)
{
    if (type == SNUG_TYPE_JSON)
        return hold_json(held, json);
    if (!cJSON_IsString(json))
        return refuse(type == SNUG_TYPE_TEXT ? "must be a text" : "must be base64");
    if (type == SNUG_TYPE_TEXT)
        return hold(held, json->valuestring, strlen(json->valuestring));

    int error = base64_decode(held, json->valuestring, strlen(json->valuestring));
    if (error == SNUG_EINVAL)
        return refuse("must be base64");
    return error ? error_no_memory() : SNUG_OK;
}

static int read_fixed(str *held, const cJSON *json, snug_type type)
{
    int64_t integer = 0;
    double number = 0;
    int error;

    if (type == SNUG_TYPE_DOUBLE) {
        error = read_number(&number, json);
        return error ? error : hold(held, (const char *)&number, sizeof number);
    }

    error = type == SNUG_TYPE_INT ? read_integer(&integer, json) : read_truth(&integer, json);
    if (error)
        return error;
    if (type == SNUG_TYPE_INT)
        return hold(held, (const char *)&integer, sizeof integer);
    return hold(held, integer ? "\1" : "\0", 1);
}

/* The type of each element of an array. */
static snug_type element_of(snug_type type)
{
    if (type == SNUG_TYPE_INTS)
        return SNUG_TYPE_INT;
    return type == SNUG_TYPE_DOUBLES ? SNUG_TYPE_DOUBLE : SNUG_TYPE_BOOL;
}

static int read_array(snug_value *out, str *held, const cJSON *json)
{
    const cJSON *item;
    int error = SNUG_OK;

    if (!cJSON_IsArray(json))
        return refuse("must be a list");
    cJSON_ArrayForEach(item, json)
    {
        error = read_fixed(held, item, element_of(out->type));
        if (error)
            return error;
        out->len++;
    }

    return SNUG_OK;
}

static snug_type find_type(const cJSON *json)
{
    if (cJSON_IsBool(json))
        return SNUG_TYPE_BOOL;
    if (cJSON_IsString(json))
        return SNUG_TYPE_TEXT;
    if (!cJSON_IsNumber(json))
        return SNUG_TYPE_JSON;
    if (json->valuedouble == floor(json->valuedouble) && fabs(json->valuedouble) <= EXACT_INTEGER)
        return SNUG_TYPE_INT;
    return SNUG_TYPE_DOUBLE;
}

int cell_value_read(snug_value *out, str *held, const cJSON *json, snug_type type)
{
    int error = SNUG_OK;

    *out = (snug_value){ .type = SNUG_TYPE_NONE };
    if (cJSON_IsNull(json))
        return SNUG_OK;

    out->type = type == SNUG_TYPE_ANY ? find_type(json) : type;
    switch (out->type) {
    case SNUG_TYPE_INT:
        return read_integer(&out->integer, json);
    case SNUG_TYPE_DOUBLE:
        return read_number(&out->number, json);
    case SNUG_TYPE_BOOL:
        return read_truth(&out->integer, json);
    case SNUG_TYPE_TEXT:
    case SNUG_TYPE_BYTES:
    case SNUG_TYPE_JSON:
        error = read_data(held, json, out->type);
        out->len = held->len;
        break;
    case SNUG_TYPE_INTS:
    case SNUG_TYPE_DOUBLES:
    case SNUG_TYPE_BOOLS:
        error = read_array(out, held, json);
        break;
    case SNUG_TYPE_ANY:
    case SNUG_TYPE_NONE:
        break;
    }

    out->data = str_text(held);
    return error;
}

/* ---- writing ---- */

static int add_integer(cJSON *to, const char *name, int64_t integer)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, integer);
    return json_add_raw(to, name, digits);
}

static int add_bytes(cJSON *to, const char *name, const snug_value *value)
{
    str text = { 0 };
    int error = base64_append(&text, value->data, value->len);
    if (!error)
        error = json_add_text(to, name, str_text(&text));
    str_free(&text);
    return error;
}

static int add_array(cJSON *to, const char *name, const snug_value *value)
{
    cJSON *list = json_add_array(to, name);
    int error = list ? SNUG_OK : SNUG_ENOMEM;

    for (size_t i = 0; i < value->len && !error; i++) {
        if (value->type == SNUG_TYPE_DOUBLES)
            error = json_add_number(list, NULL, ((const double *)value->data)[i]);
        else if (value->type == SNUG_TYPE_INTS)
            error = add_integer(list, NULL, ((const int64_t *)value->data)[i]);
        else
            error = json_add_bool(list, NULL, ((const uint8_t *)value->data)[i]);
    }

    return error;
}

int cell_value_add(cJSON *to, const char *name, const snug_value *value)
{
    switch (value->type) {
    case SNUG_TYPE_INT:
        return add_integer(to, name, value->integer);
    case SNUG_TYPE_DOUBLE:
        return json_add_number(to, name, value->number);
    case SNUG_TYPE_BOOL:
        return json_add_bool(to, name, value->integer != 0);
    case SNUG_TYPE_TEXT:
        return json_add_text_len(to, name, value->len > 0 ? value->data : "", value->len);
    case SNUG_TYPE_BYTES:
        return add_bytes(to, name, value);
    case SNUG_TYPE_JSON:
        return json_add_raw(to, name, value->data);
    case SNUG_TYPE_INTS:
    case SNUG_TYPE_DOUBLES:
    case SNUG_TYPE_BOOLS:
        return add_array(to, name, value);
    case SNUG_TYPE_ANY:
    case SNUG_TYPE_NONE:
        break;
    }

    return json_add_null(to, name);
}

/* ---- columns ---- */

static int has_ends(snug_type type)
{
    return type >= SNUG_TYPE_TEXT && type <= SNUG_TYPE_JSON;
}

static int hold_nothing(cell_column *held, snug_type type)
{
    static const char nothing[8];
    if (has_ends(type))
        return SNUG_OK;
    return hold(&held->data, nothing, type == SNUG_TYPE_BOOL ? 1 : sizeof nothing);
}

static int read_row(cell_column *held, const cJSON *item, snug_type type)
{
    const int is_missing = cJSON_IsNull(item);
    int error;

    if (is_missing)
        error = hold_nothing(held, type);
    else if (has_ends(type))
        error = read_data(&held->data, item, type);
    else
        error = read_fixed(&held->data, item, type);

    const uint64_t end = held->data.len;
    if (!error && has_ends(type))
        error = hold(&held->ends, (const char *)&end, sizeof end);
    if (!error)
        error = hold(&held->missing, is_missing ? "\1" : "\0", 1);
    return error;
}

int cell_column_read(snug_column *out, cell_column *held, const cJSON *list, snug_type type)
{
    const cJSON *item;

    if (!cJSON_IsArray(list))
        return refuse("must be a list");
    if (type < SNUG_TYPE_INT || type > SNUG_TYPE_JSON)
        return refuse("is of a type that no column has");
    cJSON_ArrayForEach(item, list)
    {
        int error = read_row(held, item, type);
        if (error)
            return error;
    }

    *out = (snug_column){ type, str_text(&held->data), NULL, (const void *)held->missing.data };
    if (has_ends(type))
        out->ends = (const void *)str_text(&held->ends);
    return SNUG_OK;
}

void cell_column_free(cell_column *held)
{
    str_free(&held->data);
    str_free(&held->ends);
    str_free(&held->missing);
}

/* What stands in that row. */
static snug_value value_of_row(const snug_column *column, uint64_t row)
{
    snug_value value = { .type = column->type };

    if (column->missing && column->missing[row]) {
        value.type = SNUG_TYPE_NONE;
    } else if (column->type == SNUG_TYPE_INT) {
        value.integer = ((const int64_t *)column->data)[row];
    } else if (column->type == SNUG_TYPE_DOUBLE) {
        value.number = ((const double *)column->data)[row];
    } else if (column->type == SNUG_TYPE_BOOL) {
        value.integer = ((const uint8_t *)column->data)[row];
    } else {
        const uint64_t begin = row > 0 ? column->ends[row - 1] : 0;
        value.data = (const char *)column->data + begin;
        value.len = (size_t)(column->ends[row] - begin);
    }

    return value;
}

/* A text of a column ends where the next one begins, and to be written it has to end with a NUL. */
static int add_text_row(cJSON *list, const snug_value *value)
{
    str text = { 0 };
    snug_value ended = *value;
    int error = str_append(&text, value->data, value->len) ? SNUG_ENOMEM : SNUG_OK;

    ended.data = str_text(&text);
    if (!error)
        error = cell_value_add(list, NULL, &ended);
    str_free(&text);
    return error;
}

int cell_column_add(cJSON *to, const char *name, const snug_column *column, uint64_t row_count)
{
    cJSON *list = json_add_array(to, name);
    int error = list ? SNUG_OK : SNUG_ENOMEM;

    for (uint64_t row = 0; row < row_count && !error; row++) {
        const snug_value value = value_of_row(column, row);
        if (value.type == SNUG_TYPE_TEXT || value.type == SNUG_TYPE_JSON)
            error = add_text_row(list, &value);
        else
            error = cell_value_add(list, NULL, &value);
    }

    return error;
}
