#include "wire/savefile.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/utf8.h"

static const char magic[8] = { (char)0x89, 'S', 'N', 'U', 'G', '\r', '\n', 0x1a };

/* The table has a row for each part: its length, its CRC. */
enum { FORMAT = 1, TABLE = 40, ROW = 16, TABLE_END = TABLE + SAVEFILE_PARTS * ROW, DEPTH = 128 };

static_assert(TABLE_END + 8 == SAVEFILE_HEADER_BYTES, "the header is as described");

#define NO_SOURCE UINT64_MAX

/* ---- numbers ---- */

static void put_number(char *at, size_t width, uint64_t value)
{
    for (size_t i = 0; i < width; i++)
        at[i] = (char)(value >> (8 * i));
}

static uint64_t get_number(const char *at, size_t width)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value |= (uint64_t)(unsigned char)at[i] << (8 * i);
    return value;
}

/* CRC-64/XZ: https://reveng.sourceforge.io/crc-catalogue/17plus.htm */
static uint64_t compute_crc(const char *data, size_t len)
{
    static const uint64_t polynomial = UINT64_C(0xc96c5795d7870f42);
    uint64_t table[256], sum = UINT64_MAX;

    for (unsigned i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = (table[i] >> 1) ^ (table[i] & 1 ? polynomial : 0);
    }

    for (size_t i = 0; i < len; i++)
        sum = table[(sum ^ (unsigned char)data[i]) & 0xff] ^ (sum >> 8);
    return ~sum;
}

/* ---- writing ---- */

void savefile_header(char out[SAVEFILE_HEADER_BYTES], const savefile *file)
{
    memcpy(out, magic, sizeof magic);
    put_number(out + 8, 4, FORMAT);
    put_number(out + 12, 4, SAVEFILE_PARTS);
    put_number(out + 16, 2, file->python_major);
    put_number(out + 18, 2, file->python_minor);
    put_number(out + 20, 4, file->future_flags);
    put_number(out + 24, 8, file->cells);
    put_number(out + 32, 8, file->forgotten);

    for (int i = 0; i < SAVEFILE_PARTS; i++) {
        span part = file->parts[i];
        put_number(out + TABLE + ROW * i, 8, part.len);
        put_number(out + TABLE + ROW * i + 8, 8, compute_crc(part.at, part.len));
    }

    put_number(out + TABLE_END, 8, compute_crc(out, TABLE_END));
}

int savefile_add_source(str *part, const char *source, size_t len)
{
    char head[8];
    put_number(head, sizeof head, source ? len : NO_SOURCE);
    str_append(part, head, sizeof head);
    if (source)
        str_append(part, source, len);
    return str_error(part);
}

int savefile_add_row(str *part, savefile_kind kind, uint64_t number, span first, span second)
{
    char head[13], between[4];

    head[0] = (char)kind;
    put_number(head + 1, 8, number);
    put_number(head + 9, 4, first.len);
    put_number(between, 4, second.len);

    str_append(part, head, sizeof head);
    str_append(part, first.at, first.len);
    str_append(part, between, sizeof between);
    return str_append(part, second.at, second.len);
}

int savefile_add_entry(str *part, int is_file, const char *path, size_t len, uint64_t bytes)
{
    char head[5], size[8];

    head[0] = (char)(is_file != 0);
    put_number(head + 1, 4, len);
    put_number(size, 8, bytes);

    str_append(part, head, sizeof head);
    str_append(part, path, len);
    if (is_file)
        str_append(part, size, sizeof size);
    return str_error(part);
}

/* ---- pieces ---- */

static int take_bytes(span *part, size_t len, span *out)
{
    if (part->len < len)
        return 0;
    *out = (span){ part->at, len };
    part->at += len;
    part->len -= len;
    return 1;
}

static int take_counted(span *part, size_t width, span *out)
{
    span head;
    if (!take_bytes(part, width, &head))
        return 0;
    uint64_t len = get_number(head.at, width);
    return len <= part->len && take_bytes(part, (size_t)len, out);
}

int savefile_next_row(span *part, savefile_row *row)
{
    span head;
    if (!take_bytes(part, 9, &head))
        return 0;
    row->kind = (savefile_kind)head.at[0];
    row->number = get_number(head.at + 1, 8);
    return take_counted(part, 4, &row->first) && take_counted(part, 4, &row->second);
}

int savefile_next_source(span *part, span *source)
{
    if (part->len >= 8 && get_number(part->at, 8) == NO_SOURCE) {
        *source = (span){ NULL, 0 };
        span ignored;
        return take_bytes(part, 8, &ignored);
    }
    return take_counted(part, 8, source);
}

int savefile_next_entry(span *part, savefile_entry *entry)
{
    span kind;
    *entry = (savefile_entry){ 0 };
    if (!take_bytes(part, 1, &kind) || (unsigned char)*kind.at > 1)
        return 0;
    entry->is_file = *kind.at;
    return take_counted(part, 4, &entry->path) &&
           (!entry->is_file || take_counted(part, 8, &entry->content));
}

/* ---- checking ---- */

/* what: the rest of the sentence, see savefile.h. */
static int refuse_file(const char *what)
{
    return error_set(SNUG_EINVAL, "%s", what);
}

/* A name between two slashes. */
static int is_fine_part(span part)
{
    if (part.len == 0 || part.len > NAME_MAX)
        return 0;
    if (part.at[0] == '.' && part.len == 1)
        return 0;
    return !(part.at[0] == '.' && part.len == 2 && part.at[1] == '.');
}

static int is_fine_path(span path)
{
    const char *at = path.at, *end = path.at + path.len;
    int depth = 0;

    if (path.len == 0 || path.len >= PATH_MAX || memchr(path.at, '\0', path.len))
        return 0;
    for (;;) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        span part = { at, (size_t)((slash ? slash : end) - at) };
        if (!is_fine_part(part) || ++depth > DEPTH)
            return 0;
        if (!slash)
            return 1;
        at = slash + 1;
    }
}

static int is_clean_text(span text)
{
    size_t fault;
    return !memchr(text.at, '\0', text.len) && utf8_check(text.at, text.len, &fault) == UTF8_FINE;
}

static int is_how(span word)
{
    static const char *const words[] = { "value", "source", "import" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == word.len && memcmp(words[i], word.at, word.len) == 0)
            return 1;
    return 0;
}

static int is_fine_row(const savefile_row *row, uint64_t cells)
{
    switch (row->kind) {
    case SAVEFILE_NAME:
        return row->first.len > 0 && is_clean_text(row->first) && is_how(row->second);
    case SAVEFILE_OUT:
        return row->number > 0 && row->number <= cells;
    case SAVEFILE_SETTING:
        return is_clean_text(row->first);
    case SAVEFILE_SKIPPED:
        return is_clean_text(row->first) && is_clean_text(row->second);
    case SAVEFILE_LAST:
        return row->number <= cells;
    }
    return 0;
}

static int check_plan(savefile *file)
{
    span part = file->parts[SAVEFILE_PLAN];
    savefile_row row;
    savefile_kind before = SAVEFILE_NAME;
    size_t last = 0;

    while (part.len > 0) {
        if (!savefile_next_row(&part, &row) || !is_fine_row(&row, file->cells))
            return refuse_file("is damaged: the list of its names is wrong");
        if ((row.kind > SAVEFILE_SETTING || before > SAVEFILE_SETTING) && row.kind < before)
            return refuse_file("is damaged: the list of its names is in disorder");
        before = row.kind;
        file->values += row.kind <= SAVEFILE_SETTING;
        last += row.kind == SAVEFILE_LAST;
    }

    if (last != 3)
        return refuse_file("is damaged: the list of its names is cut");
    return SNUG_OK;
}

static int check_sources(const savefile *file)
{
    span part = file->parts[SAVEFILE_SOURCES], source;
    uint64_t count = 0;

    while (part.len > 0) {
        if (!savefile_next_source(&part, &source))
            return refuse_file("is damaged: a cell's source is cut");
        if (source.at && !is_clean_text(source))
            return refuse_file("is damaged: a cell's source is not text");
        count++;
    }

    if (count != file->cells || file->forgotten > file->cells)
        return refuse_file("is damaged: the number of its cells is wrong");
    return SNUG_OK;
}

static int check_files(const savefile *file)
{
    span part = file->parts[SAVEFILE_FILES];
    savefile_entry entry;

    while (part.len > 0) {
        if (!savefile_next_entry(&part, &entry))
            return refuse_file("is damaged: a file in it is cut");
        if (!is_fine_path(entry.path))
            return refuse_file(
                "has a file whose path leads out of the work directory, or is not a path");
    }

    return SNUG_OK;
}

/* Finds the parts behind the header, which the table describes. */
static int read_parts(savefile *out, const char *data, size_t len)
{
    const char *at = data + SAVEFILE_HEADER_BYTES;
    size_t left = len - SAVEFILE_HEADER_BYTES;

    for (int i = 0; i < SAVEFILE_PARTS; i++) {
        uint64_t bytes = get_number(data + TABLE + ROW * i, 8);
        if (bytes > left)
            return refuse_file("is cut: it has fewer bytes than it says");
        out->parts[i] = (span){ at, (size_t)bytes };
        at += bytes;
        left -= (size_t)bytes;
    }

    if (left > 0)
        return refuse_file("is damaged: there are bytes behind its end");
    return SNUG_OK;
}

static int check_parts(const savefile *file, const char *data)
{
    for (int i = 0; i < SAVEFILE_PARTS; i++) {
        span part = file->parts[i];
        if (compute_crc(part.at, part.len) != get_number(data + TABLE + ROW * i + 8, 8))
            return refuse_file("is damaged: a checksum is wrong");
    }
    return SNUG_OK;
}

int savefile_read(savefile *out, const char *data, size_t len)
{
    if (len < sizeof magic || memcmp(data, magic, sizeof magic) != 0)
        return refuse_file("is not a saved session");
    if (len < SAVEFILE_HEADER_BYTES)
        return refuse_file("is cut: it has fewer bytes than it says");

    uint64_t format = get_number(data + 8, 4);
    if (format > FORMAT)
        return error_set(SNUG_EINVAL,
                         "is of a newer snug: its format is %llu, and this one reads %d",
                         (unsigned long long)format, FORMAT);

    if (compute_crc(data, TABLE_END) != get_number(data + TABLE_END, 8))
        return refuse_file("is damaged: a checksum is wrong");
    if (format != FORMAT || get_number(data + 12, 4) != SAVEFILE_PARTS)
        return refuse_file("is not a saved session that this snug reads");

    *out = (savefile){ .python_major = (unsigned)get_number(data + 16, 2),
                       .python_minor = (unsigned)get_number(data + 18, 2),
                       .future_flags = (uint32_t)get_number(data + 20, 4),
                       .cells = get_number(data + 24, 8),
                       .forgotten = get_number(data + 32, 8) };
    int error = read_parts(out, data, len);
    if (!error)
        error = check_parts(out, data);
    if (!error)
        error = check_plan(out);
    if (!error)
        error = check_sources(out);
    if (!error)
        error = check_files(out);
    return error;
}
