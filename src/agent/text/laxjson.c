#include "agent/text/laxjson.h"

#include <snug/snug.h>

#include <string.h>

#include "base/ascii.h"
#include "base/jsontext.h"

/* Functions answer SNUG_OK or SNUG_EINVAL; a failure of memory sticks to out. */
typedef struct lax {
    str *out;
    const char *text;
    size_t len, at;
    int level;
    int is_whole;
} lax;

static int read_value(lax *x);

static char peek(const lax *x, size_t at)
{
    return at < x->len ? x->text[at] : '\0';
}

static void pass_space(lax *x)
{
    while (x->at < x->len && is_space(x->text[x->at]))
        x->at++;
}

/* ---- strings ---- */

static int are_hex_digits(const lax *x, size_t at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!peek(x, at + i) || !strchr("0123456789abcdefABCDEF", peek(x, at + i)))
            return 0;
    return 1;
}

/* A backslash stands at x->at. One before a line end is code's own, \d is a pattern's. */
static void read_escape(lax *x)
{
    const char letter = peek(x, x->at + 1);
    size_t width = 0;

    if (letter == 'u' && are_hex_digits(x, x->at + 2, 4))
        width = 6;
    else if (letter && strchr("\"\\/bfnrt", letter))
        width = 2;

    if (width > 0)
        str_append(x->out, x->text + x->at, width);
    else
        str_add(x->out, letter == '\'' ? "'" : "\\\\");
    x->at += width > 0 ? width : 1 + (size_t)(letter == '\'');
}

/* In double or single quotes, and with line ends and tabs as they are. */
static void read_string(lax *x)
{
    const char quote = x->text[x->at++];

    str_add(x->out, "\"");
    while (x->at < x->len && x->text[x->at] != quote) {
        const char c = x->text[x->at];
        if (c == '\\') {
            read_escape(x);
            continue;
        }
        if (c == '"')
            str_add(x->out, "\\\"");
        else if ((unsigned char)c < ' ')
            str_printf(x->out, "\\u%04x", (unsigned)(unsigned char)c);
        else
            str_append(x->out, &c, 1);
        x->at++;
    }

    x->is_whole &= x->at < x->len;
    x->at += x->at < x->len;
    str_add(x->out, "\"");
}

/* ---- values ---- */

/* A constant or a number. */
static int read_word(lax *x)
{
    static const char *const words[][2] = {
        { "true", "true" },   { "True", "true" }, { "false", "false" },
        { "False", "false" }, { "null", "null" }, { "None", "null" },
    };
    const char *begin = x->text + x->at;
    size_t len = 0, at;

    while (x->at + len < x->len && (is_alnum(begin[len]) || strchr("+-.", begin[len])) &&
           begin[len])
        len++;
    x->at += len;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i][0]) == len && memcmp(words[i][0], begin, len) == 0) {
            str_add(x->out, words[i][1]);
            return SNUG_OK;
        }

    if (len == 0 || jsontext_check(begin, len, &at))
        return SNUG_EINVAL;
    str_append(x->out, begin, len);
    return SNUG_OK;
}

/* The text ends before the member's value: it is null. */
static int is_cut(lax *x)
{
    pass_space(x);
    if (x->at < x->len)
        return 0;
    x->is_whole = 0;
    str_add(x->out, "null");
    return 1;
}

/* A member of an object, or an element of a list. */
static int read_item(lax *x, char close)
{
    if (close == '}') {
        if (x->text[x->at] != '"' && x->text[x->at] != '\'')
            return SNUG_EINVAL;
        read_string(x);
        str_add(x->out, ":");
        if (is_cut(x))
            return SNUG_OK;
        if (x->text[x->at++] != ':')
            return SNUG_EINVAL;
        if (is_cut(x))
            return SNUG_OK;
    }
    return read_value(x);
}

static int read_level(lax *x, char close)
{
    const char brackets[2] = { x->text[x->at++], close };
    int error = SNUG_OK, count = 0;

    str_append(x->out, brackets, 1);
    x->level++;
    while (!error) {
        pass_space(x);
        const char c = peek(x, x->at);
        if (x->at >= x->len)
            x->is_whole = 0;
        if (x->at >= x->len || c == close)
            break;
        if (c == ',') {
            x->at++;
            continue;
        }
        if (count++)
            str_add(x->out, ",");
        error = read_item(x, close);
    }

    x->at += x->at < x->len;
    x->level--;
    str_append(x->out, brackets + 1, 1);
    return error;
}

/* Not deeper than LAXJSON_LEVELS. */
static int read_value(lax *x)
{
    const char c = peek(x, x->at);

    if (c == '"' || c == '\'') {
        read_string(x);
        return SNUG_OK;
    }
    if (c != '{' && c != '[')
        return read_word(x);
    if (x->level == LAXJSON_LEVELS)
        return SNUG_EINVAL;
    return read_level(x, c == '{' ? '}' : ']');
}

/* Whether a strict JSON value is at text; *end is how far it was read. */
static int read_strict(size_t *end, const char *text, size_t len)
{
    jsontext j;
    jsontext_token token;
    jsontext_kind kind;

    /* Which would look at all of the text for each value in it. */
    jsontext_init(&j, "", 0);
    j.text = text;
    j.len = len;
    do
        kind = jsontext_next(&j, &token);
    while (kind != JSONTEXT_FAULT && j.level > 0);

    *end = j.at;
    return kind != JSONTEXT_FAULT;
}

/* As laxjson_read; *work is how many bytes were read for it. */
static int read_any(str *out, size_t *end, size_t *work, int *is_whole, const char *text,
                    size_t len)
{
    lax x = { .out = out, .text = text, .len = len, .is_whole = 1 };
    size_t before = out->len, at;

    *is_whole = 1;
    int is_strict = read_strict(end, text, len);
    *work = *end + 1;
    if (is_strict)
        return str_append(out, text, *end);

    int error = read_value(&x);
    *end = x.at;
    *work += x.at;
    *is_whole = x.is_whole;
    if (str_error(out))
        return SNUG_ENOMEM;

    /* What was made is checked, not trusted. */
    if (!error && jsontext_check(out->data + before, out->len - before, &at))
        error = SNUG_EINVAL;
    if (error && out->data) {
        out->len = before;
        out->data[before] = '\0';
    }

    return error;
}

int laxjson_read(str *out, size_t *end, int *is_whole, const char *text, size_t len)
{
    size_t work;
    return read_any(out, end, &work, is_whole, text, len);
}

int laxjson_next(str *out, laxjson_search *search, const char *brackets)
{
    /* Each read that comes to nothing may have gone to the end of the text. */
    const size_t most = search->len * 16 + 4096;

    str_clear(out);
    while (search->at < search->len && search->work < most) {
        const char *c = search->text + search->at;
        if (!*c || !strchr(brackets, *c)) {
            search->at++;
            continue;
        }
        size_t end, work;
        int error = read_any(out, &end, &work, &search->is_whole, c, search->len - search->at);
        search->work += work;
        if (error == SNUG_ENOMEM)
            return error;
        if (!error) {
            search->begin = search->at;
            search->at += end;
            return SNUG_OK;
        }
        search->at++;
    }

    return SNUG_ENOTFOUND;
}
