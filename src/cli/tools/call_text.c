#include "cli/tools/call_text.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/terminal/clean.h"

enum {
    MOST_SHOWN = 2000,
    MOST_ARGUMENTS = 40,
    NAME_BYTES = 60,
    SLACK_BYTES = 48, /* what says how much was left out */
    LEAST_STRING = 16
};

/* ---- characters ---- */

/* Those that are not seen, that look like a space and are none, or that break a line. */
static int is_unseen(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = { { 0xa0, 0xa0 },      { 0xad, 0xad },       { 0x34f, 0x34f },
                   { 0x115f, 0x1160 },  { 0x1680, 0x1680 },   { 0x17b4, 0x17b5 },
                   { 0x180b, 0x180f },  { 0x2000, 0x200f },   { 0x2028, 0x202f },
                   { 0x205f, 0x206f },  { 0x2800, 0x2800 },   { 0x3164, 0x3164 },
                   { 0xfe00, 0xfe0f },  { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },
                   { 0xfff0, 0xfffb },  { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
                   { 0xe0000, 0xe0fff } };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return 1;
    return 0;
}

static int put_character(str *out, const char *text, size_t width)
{
    uint32_t c = (unsigned char)*text & (0x7fU >> (width > 1 ? width : 0));

    for (size_t i = 1; i < width; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    if (!is_unseen(c))
        return str_append(out, text, width);
    if (c > 0xffff)
        return str_printf(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c >> 10)),
                          (unsigned)(0xdc00 | (c & 0x3ff)));
    return str_printf(out, "\\u%04x", (unsigned)c);
}

/* Of the character, or escape, at text. */
static size_t step(const char *text, size_t len)
{
    size_t width = utf8_width((unsigned char)*text);

    if (*text == '\\')
        width = len > 1 && text[1] == 'u' ? 6 : 2;
    return width > 0 && width <= len ? width : len;
}

/* Between quotes, cut behind about most bytes. */
static int put_string(str *out, const jsontext_token *token, size_t most)
{
    const size_t before = out->len;
    size_t at = 0;

    str_add(out, "\"");
    while (!str_error(out) && at < token->len && out->len - before <= most) {
        const char *text = token->text + at;
        const size_t width = step(text, token->len - at);
        if (*text == '\\')
            str_append(out, text, width);
        else
            put_character(out, text, width);
        at += width;
    }
    str_add(out, "\"");
    if (at == token->len)
        return str_error(out);
    return str_printf(out, "... (%zu more bytes)", token->len - at);
}

/* ---- values ---- */

static int put_token(str *out, const jsontext_token *token, size_t most)
{
    switch (token->kind) {
    case JSONTEXT_STRING:
        return put_string(out, token, most);
    case JSONTEXT_KEY:
        put_string(out, token, most);
        return str_add(out, ": ");
    case JSONTEXT_LIST:
        return str_add(out, "[");
    case JSONTEXT_LIST_END:
        return str_add(out, "]");
    case JSONTEXT_OBJECT:
        return str_add(out, "{");
    case JSONTEXT_OBJECT_END:
        return str_add(out, "}");
    case JSONTEXT_NULL:
    case JSONTEXT_FALSE:
    case JSONTEXT_TRUE:
    case JSONTEXT_INTEGER:
    case JSONTEXT_FLOAT:
    case JSONTEXT_END:
    case JSONTEXT_FAULT:
        break;
    }
    return str_append(out, token->text, token->len);
}

static int is_end(jsontext_kind kind)
{
    return kind == JSONTEXT_LIST_END || kind == JSONTEXT_OBJECT_END;
}

/* Its tokens, strings cut behind string bytes, until there are more than most bytes. *left: how
 * much of value is behind that. */
static int put_tokens(str *out, size_t *left, jsontext_span value, size_t string, size_t most)
{
    const size_t before = out->len;
    jsontext j;
    jsontext_token token;
    jsontext_kind last = JSONTEXT_KEY; /* behind which nothing has to stand */

    jsontext_init(&j, value.text, value.len);
    while (!str_error(out) && out->len - before <= most &&
           jsontext_next(&j, &token) < JSONTEXT_END) {
        const int is_next = last != JSONTEXT_KEY && last != JSONTEXT_LIST &&
                            last != JSONTEXT_OBJECT && !is_end(token.kind);
        if (is_next)
            str_add(out, ", ");
        put_token(out, &token, string);
        last = token.kind;
    }
    *left = value.len - j.at;
    return str_error(out);
}

/* Within about most bytes: long strings are cut first, and if need be what is behind them. */
static int put_value(str *out, jsontext_span value, size_t most)
{
    const size_t before = out->len;
    size_t left = 0;

    for (size_t string = most; string >= LEAST_STRING; string /= 2) {
        if (put_tokens(out, &left, value, string, most + SLACK_BYTES))
            return SNUG_ENOMEM;
        if (left == 0)
            return SNUG_OK;
        if (string / 2 >= LEAST_STRING) {
            out->len = before;
            out->data[before] = '\0';
        }
    }
    return str_printf(out, "... (%zu more bytes)", left);
}

/* ---- arguments ---- */

typedef struct argument {
    jsontext_token name;
    jsontext_span value;
} argument;

/* The first of them; answers how many there are. */
static size_t read_arguments(argument out[MOST_ARGUMENTS], const char *json)
{
    jsontext j;
    argument one;
    size_t count = 0;

    if (!jsontext_enter(&j, (jsontext_span){ json, strlen(json) }))
        return 0;
    for (; jsontext_item(&j, &one.name, &one.value); count++)
        if (count < MOST_ARGUMENTS)
            out[count] = one;
    return count;
}

/* A name that Python takes stands as it is. Any other one is quoted: it is the program's, and could
 * read as the end of the call. */
static int put_name(str *out, const jsontext_token *name)
{
    int is_plain = name->len > 0 && name->len <= NAME_BYTES;

    for (size_t i = 0; i < name->len && is_plain; i++)
        is_plain = is_word(name->text[i]) != 0;
    if (is_plain)
        str_append(out, name->text, name->len);
    else
        put_string(out, name, NAME_BYTES);
    return str_add(out, "=");
}

static int put_call(str *out, const char *name, const char *json)
{
    argument arguments[MOST_ARGUMENTS];
    const size_t count = read_arguments(arguments, json);
    const size_t shown = count < MOST_ARGUMENTS ? count : MOST_ARGUMENTS;
    const size_t share = MOST_SHOWN / (shown > 0 ? shown : 1);

    str_printf(out, "%s(", name);
    for (size_t i = 0; i < shown && !str_error(out); i++) {
        str_add(out, i > 0 ? ", " : "");
        put_name(out, &arguments[i].name);
        put_value(out, arguments[i].value, share);
    }
    if (count > shown)
        str_printf(out, ", ... (%zu more arguments)", count - shown);
    return str_add(out, ")");
}

int call_text_of(str *out, const char *name, const char *arguments)
{
    str text = { 0 };
    clean c = { 0 };
    int error = put_call(&text, name, arguments);

    for (size_t i = 0; !error && i < text.len; i++)
        if (text.data[i] == '\n' || text.data[i] == '\r')
            text.data[i] = ' ';
    if (!error && !(error = clean_text(out, &c, str_text(&text), text.len, 0)))
        error = clean_end(out, &c);
    str_free(&text);
    return error;
}

int call_text_write(str *out, const snug_call *call)
{
    return call_text_of(out, snug_call_name(call), snug_call_arguments(call));
}
