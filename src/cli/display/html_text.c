#include "cli/display/html_text.h"

#include <snug/snug.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "cli/display/text_table.h"
#include "cli/terminal/columns.h"

enum {
    MOST_TEXT_BYTES = 256 * 1024,
    MOST_SPAN = TABLE_MOST_COLUMNS / 2 /* of a cell: others have room beside it */
};

typedef struct reading {
    str *out;
    size_t width, begin; /* where out began */
    text_table table;
    text_row *row; /* that is being read; NULL: none */
    str *cell;     /* the same */
    size_t span;   /* of that cell */
    int depth;     /* of tables; those within a table are text of its cell */
    int is_head, has_body_cell;
    int is_blank;      /* a blank is due before the next character */
    const char *skips; /* all is passed over up to the end of this element; NULL: nothing is */
    int error;
} reading;

/* ---- text ---- */

static int is_at_line_begin(const reading *r)
{
    return r->out->len == r->begin || r->out->data[r->out->len - 1] == '\n';
}

/* What does not fit is said by a mark at the end, once. */
static void mark_cut(reading *r, str *to)
{
    static const char mark[] = "\xe2\x80\xa6";
    const size_t len = sizeof mark - 1;

    if (r->depth > 0 && (to->len < len || memcmp(to->data + to->len - len, mark, len) != 0))
        r->error = str_add(to, mark);
}

static void put_bytes(reading *r, const char *bytes, size_t len)
{
    str *to = r->depth > 0 ? r->cell : r->out;

    if (!to || r->error || r->skips)
        return;
    size_t most = r->depth > 0 ? (size_t)HTML_CELL_COLUMNS * 4 : MOST_TEXT_BYTES;
    size_t has = r->depth > 0 ? to->len : to->len - r->begin;
    if (has + len + 1 > most) {
        mark_cut(r, to);
        return;
    }
    int is_first = r->depth > 0 ? to->len == 0 : is_at_line_begin(r);
    if (r->is_blank && !is_first)
        r->error = str_add(to, " ");
    r->is_blank = 0;
    if (!r->error)
        r->error = str_append(to, bytes, len);
}

static void break_line(reading *r)
{
    r->is_blank = r->depth > 0;
    if (r->depth == 0 && !r->error && !is_at_line_begin(r))
        r->error = str_add(r->out, "\n");
}

static void put_code(reading *r, uint32_t code)
{
    char bytes[4];
    size_t len = 0;

    if (code < 0x80) {
        bytes[len++] = (char)code;
    } else if (code < 0x800) {
        bytes[len++] = (char)(0xc0 | code >> 6);
        bytes[len++] = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        bytes[len++] = (char)(0xe0 | code >> 12);
        bytes[len++] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[len++] = (char)(0x80 | (code & 0x3f));
    } else {
        bytes[len++] = (char)(0xf0 | code >> 18);
        bytes[len++] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[len++] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[len++] = (char)(0x80 | (code & 0x3f));
    }
    put_bytes(r, bytes, len);
}

/* ---- entities ---- */

static const struct {
    const char *name;
    uint32_t code;
} entities[] = {
    { "amp", '&' },      { "lt", '<' },       { "gt", '>' },      { "quot", '"' },
    { "apos", '\'' },    { "nbsp", ' ' },     { "times", 0xd7 },  { "hellip", 0x2026 },
    { "mdash", 0x2014 }, { "ndash", 0x2013 }, { "middot", 0xb7 }, { "deg", 0xb0 },
    { "plusmn", 0xb1 },  { "micro", 0xb5 },   { "euro", 0x20ac },
};

static uint32_t code_of_number(const char *text, size_t len)
{
    int is_hex = len > 0 && to_lower(*text) == 'x';
    uint32_t code = 0;

    for (size_t i = is_hex ? 1 : 0; i < len; i++) {
        int digit = is_hex ? hex_value(text[i]) : is_digit(text[i]) ? text[i] - '0' : -1;
        if (digit < 0 || code > 0x10ffff)
            return 0;
        code = code * (is_hex ? 16 : 10) + (uint32_t)digit;
    }

    int is_fine = code >= 0xa0 ? code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
                               : code >= ' ' && code < 0x7f;
    return is_fine ? code : 0;
}

/* Answers the bytes of the entity at "&"; 1 where it is none, and "&" stands for itself. */
static size_t take_entity(reading *r, const char *text, size_t len)
{
    size_t end = 1;

    while (end < len && end < 12 && (is_alnum(text[end]) || text[end] == '#'))
        end++;
    if (end < len && text[end] == ';' && end > 1) {
        uint32_t code = text[1] == '#' ? code_of_number(text + 2, end - 2) : 0;
        for (size_t i = 0; i < sizeof entities / sizeof *entities && code == 0; i++)
            if (strlen(entities[i].name) == end - 1 && !memcmp(entities[i].name, text + 1, end - 1))
                code = entities[i].code;
        if (code == ' ')
            r->is_blank = 1;
        else if (code > 0)
            put_code(r, code);
        if (code > 0)
            return end + 1;
    }

    put_bytes(r, "&", 1);
    return 1;
}

/* ---- tables ---- */

static void end_row(reading *r)
{
    if (r->row)
        r->row->is_head = r->is_head || !r->has_body_cell;
    r->row = NULL;
    r->cell = NULL;
}

static void begin_row(reading *r)
{
    end_row(r);
    r->has_body_cell = 0;
    if (r->table.count >= HTML_MOST_ROWS) {
        r->table.left_out++;
        return;
    }
    r->row = text_table_add(&r->table);
    if (!r->row)
        r->error = SNUG_ENOMEM;
}

static void end_cell(reading *r)
{
    for (; r->cell && r->span > 1 && r->row->count < TABLE_MOST_COLUMNS; r->span--)
        r->row->count++;
    r->cell = NULL;
}

static void begin_cell(reading *r, int is_body, size_t span)
{
    end_cell(r);
    r->is_blank = 0;
    r->has_body_cell |= is_body;
    if (r->row && r->row->count == TABLE_MOST_COLUMNS) {
        str *last = &r->row->cells[TABLE_MOST_COLUMNS - 1];
        str_clear(last);
        mark_cut(r, last);
        return;
    }
    if (!r->row)
        return;
    r->cell = &r->row->cells[r->row->count++];
    r->span = span < MOST_SPAN ? span : MOST_SPAN;
}

static void end_table(reading *r)
{
    end_cell(r);
    end_row(r);
    r->depth = 0;
    break_line(r);
    if (!r->error)
        r->error = text_table_put(r->out, &r->table, r->width);
    text_table_free(&r->table);
}

/* ---- tags ---- */

typedef struct tag {
    char name[12]; /* in small letters; longer ones are cut */
    int is_end;
    const char *attributes;
    size_t attributes_len;
} tag;

static size_t span_of(const tag *t)
{
    static const char word[] = "colspan";

    for (size_t at = 0; at + sizeof word < t->attributes_len; at++) {
        const char *text = t->attributes + at;
        if (strncasecmp(text, word, sizeof word - 1) != 0)
            continue;
        size_t value = sizeof word - 1;
        while (at + value < t->attributes_len && strchr("= \"'", text[value]) && text[value])
            value++;
        size_t span = 0;
        for (; at + value < t->attributes_len && is_digit(text[value]) && span < 1000; value++)
            span = span * 10 + (size_t)(text[value] - '0');
        return span ? span : 1;
    }
    return 1;
}

static int is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return 1;
    return 0;
}

static void take_table_tag(reading *r, const tag *t)
{
    if (strcmp(t->name, "table") == 0) {
        if (t->is_end && r->depth == 1)
            end_table(r);
        else if (t->is_end)
            r->depth -= r->depth > 0;
        else if (r->depth++ == 0)
            r->is_head = 0;
        return;
    }

    if (r->depth != 1)
        return;
    if (strcmp(t->name, "thead") == 0) {
        end_row(r);
        r->is_head = !t->is_end;
    } else if (strcmp(t->name, "tr") == 0) {
        end_cell(r);
        if (t->is_end)
            end_row(r);
        else
            begin_row(r);
    } else if (strcmp(t->name, "td") == 0 || strcmp(t->name, "th") == 0) {
        if (t->is_end)
            end_cell(r);
        else
            begin_cell(r, t->name[1] == 'd', span_of(t));
    }
}

static void take_tag(reading *r, const tag *t)
{
    static const char *const of_tables[] = { "table", "thead", "tr", "td", "th", NULL };
    static const char *const blocks[] = { "p",  "div", "br", "h1", "h2",  "h3", "h4", "h5", "h6",
                                          "ul", "ol",  "li", "hr", "pre", "dt", "dd", NULL };
    static const char *const skipped[] = { "style", "script", "head", "title", "svg", NULL };

    if (r->skips) {
        if (t->is_end && strcmp(t->name, r->skips) == 0)
            r->skips = NULL;
        return;
    }

    for (size_t i = 0; skipped[i]; i++)
        if (!t->is_end && strcmp(t->name, skipped[i]) == 0)
            r->skips = skipped[i];
    if (is_one_of(t->name, of_tables))
        take_table_tag(r, t);
    else if (is_one_of(t->name, blocks))
        break_line(r);
}

/* Answers the bytes of the tag or comment at "<"; 1 where it is none. */
static size_t read_tag(reading *r, const char *text, size_t len)
{
    tag t = { .is_end = len > 1 && text[1] == '/' };
    size_t at = t.is_end ? 2 : 1, name = 0;

    if (len >= 4 && memcmp(text, "<!--", 4) == 0) {
        const char *end = memmem(text + 4, len - 4, "-->", 3);
        return end ? (size_t)(end - text) + 3 : len;
    }

    if (at >= len || !(is_letter(text[at]) || text[at] == '!')) {
        put_bytes(r, "<", 1);
        return 1;
    }

    for (; at < len && is_alnum(text[at]); at++)
        if (name + 1 < sizeof t.name)
            t.name[name++] = to_lower(text[at]);
    const char *end = memchr(text + at, '>', len - at);
    t.attributes = text + at;
    t.attributes_len = (size_t)((end ? end : text + len) - t.attributes);
    take_tag(r, &t);
    return end ? (size_t)(end - text) + 1 : len;
}

/* ---- all ---- */

/* Answers the bytes of a character. */
static size_t take_character(reading *r, const char *text, size_t len)
{
    glyph g = glyph_at(text, len);
    size_t fault;

    if (is_space(*text)) {
        r->is_blank = 1;
        return 1;
    }
    if (g.code < ' ' || (g.code >= 0x7f && g.code < 0xa0))
        return g.len;
    if (utf8_check(text, g.len, &fault) == UTF8_FINE)
        put_bytes(r, text, g.len);
    else
        put_bytes(r, "?", 1);
    return g.len;
}

int html_text(str *out, const char *html, size_t len, size_t width)
{
    reading r = { .out = out, .begin = out->len, .width = width ? width : 1 };

    for (size_t at = 0; at < len && !r.error;) {
        if (html[at] == '<')
            at += read_tag(&r, html + at, len - at);
        else if (html[at] == '&')
            at += take_entity(&r, html + at, len - at);
        else
            at += take_character(&r, html + at, len - at);
    }

    if (!r.error && r.depth > 0)
        end_table(&r);
    text_table_free(&r.table);
    break_line(&r);
    return r.error;
}

int html_has_table(const char *html, size_t len)
{
    for (size_t at = 0; at + 6 <= len; at++)
        if (html[at] == '<' && strncasecmp(html + at, "<table", 6) == 0)
            return 1;
    return 0;
}
