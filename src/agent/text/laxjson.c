#include "agent/text/laxjson.h"

#include <snug/snug.h>

#include <stdint.h>
#include <string.h>

#include "base/jsontext.h"

/* SNUG_OK, SNUG_EINVAL, SNUG_ENOMEM as everywhere; these functions set no message. */
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

static int is_json_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static int is_bare_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t past_line(const lax *x, size_t at)
{
    const char *end = memchr(x->text + at, '\n', x->len - at);
    return end ? (size_t)(end - x->text) : x->len;
}

/* White space and comments of JavaScript and Python. */
static size_t past_space(const lax *x, size_t at)
{
    for (;;) {
        while (at < x->len && is_json_space(x->text[at]))
            at++;
        if (peek(x, at) == '#' || (peek(x, at) == '/' && peek(x, at + 1) == '/')) {
            at = past_line(x, at);
        } else if (peek(x, at) == '/' && peek(x, at + 1) == '*') {
            const char *end = memmem(x->text + at + 2, x->len - at - 2, "*/", 2);
            at = end ? (size_t)(end - x->text) + 2 : x->len;
        } else {
            return at;
        }
    }
}

/* ---- strings ---- */

typedef enum place { IN_LIST, IN_OBJECT, NAME_PLACE } place;

/* How far a quote that may be a string's end is looked beyond. Bounded, because every quote
 * of a long string is asked about. */
enum { LOOK_BYTES = 100 };

/* Whether a member begins at `at`: a name, in quotes or not, and a colon. */
static int begins_member(const lax *x, size_t at)
{
    size_t limit = at + LOOK_BYTES;
    char quote = peek(x, at);
    int is_quoted = quote == '"' || quote == '\'';
    size_t begin = at += (size_t)is_quoted;

    while (at < limit && is_bare_character(peek(x, at)))
        at++;
    if (at == begin || (is_quoted && peek(x, at++) != quote))
        return 0;

    while (at < limit && is_json_space(peek(x, at)))
        at++;
    return peek(x, at) == ':';
}

/* Whether the quote before `at` is the string's last, by what follows. */
static int ends_here(const lax *x, size_t at, place where)
{
    size_t limit = at + LOOK_BYTES;

    while (at < limit && is_json_space(peek(x, at)))
        at++;
    char c = peek(x, at);
    if (at >= x->len)
        return 1;
    if (where == NAME_PLACE)
        return c == ':';
    if (c == '}' || c == ']') {
        /* Where code goes on behind the bracket, it is one within the string. */
        while (at < limit &&
               (is_json_space(peek(x, at)) || peek(x, at) == '}' || peek(x, at) == ']'))
            at++;
        c = peek(x, at);
        return !c || !strchr(")(.[+*%=:\"'", c);
    }

    if (where == IN_LIST)
        return c == ',';
    if (c == ',') {
        for (at++; at < limit && is_json_space(peek(x, at)); at++)
            ;
        return peek(x, at) == '}' || begins_member(x, at) ||
               (peek(x, at) == '/' && strchr("/*", peek(x, at + 1)));
    }

    return begins_member(x, at);
}

static int write_byte(lax *x, char c)
{
    static const struct {
        char c;
        const char *escape;
    } escapes[] = {
        { '\n', "\\n" }, { '\t', "\\t" }, { '\r', "\\r" }, { '"', "\\\"" }, { '\\', "\\\\" }
    };
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (escapes[i].c == c)
            return str_add(x->out, escapes[i].escape);

    if ((unsigned char)c < ' ')
        return str_printf(x->out, "\\u%04x", (unsigned)(unsigned char)c);
    return str_append(x->out, &c, 1);
}

static int are_hex_digits(const lax *x, size_t at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!peek(x, at + i) || !strchr("0123456789abcdefABCDEF", peek(x, at + i)))
            return 0;
    return 1;
}

/* A backslash stands at x->at. */
static int read_escape(lax *x)
{
    char letter = peek(x, x->at + 1);
    if (letter == 'u' && are_hex_digits(x, x->at + 2, 4)) {
        x->at += 6;
        return str_append(x->out, x->text + x->at - 6, 6);
    }

    if (letter && strchr("\"\\/bfnrt", letter)) {
        x->at += 2;
        return str_append(x->out, x->text + x->at - 2, 2);
    }

    /* \' of Python; a backslash before a line end is code's own; \d a pattern's. */
    x->at++;
    if (letter == '\'' || letter == '`') {
        x->at++;
        return write_byte(x, letter);
    }

    return str_add(x->out, "\\\\");
}

static int read_string(lax *x, place where)
{
    char quote = x->text[x->at];
    int is_triple = quote != '`' && peek(x, x->at + 1) == quote && peek(x, x->at + 2) == quote;
    size_t width = is_triple ? 3 : 1;
    int error = str_add(x->out, "\"");

    for (x->at += width; !error && x->at < x->len;) {
        char c = x->text[x->at];
        if (c == '\\') {
            error = read_escape(x);
        } else if (c == quote && is_triple) {
            if (peek(x, x->at + 1) == quote && peek(x, x->at + 2) == quote) {
                x->at += 3;
                return str_add(x->out, "\"");
            }
            error = write_byte(x, c);
            x->at++;
        } else if (c == quote && ends_here(x, x->at + 1, where)) {
            x->at++;
            return str_add(x->out, "\"");
        } else {
            error = write_byte(x, c);
            x->at++;
        }
    }

    if (error)
        return error;
    x->is_whole = 0;
    return str_add(x->out, "\"");
}

/* ---- values ---- */

/* A word without quotes: a constant or number, or else text. */
static int read_bare_word(lax *x)
{
    static const struct {
        const char *word, *json;
    } words[] = {
        { "true", "true" },      { "True", "true" }, { "false", "false" },
        { "False", "false" },    { "null", "null" }, { "None", "null" },
        { "undefined", "null" }, { "NaN", "null" },  { "Infinity", "null" },
        { "-Infinity", "null" },
    };
    size_t begin = x->at, at;
    while (x->at < x->len && (is_bare_character(x->text[x->at]) || strchr("+.", x->text[x->at])) &&
           x->text[x->at])
        x->at++;

    size_t len = x->at - begin;
    if (len == 0)
        return SNUG_EINVAL;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == len && memcmp(words[i].word, x->text + begin, len) == 0)
            return str_add(x->out, words[i].json);

    if (!jsontext_check(x->text + begin, len, &at))
        return str_append(x->out, x->text + begin, len);
    return jsontext_quote(x->out, x->text + begin, len);
}

static int read_name(lax *x)
{
    char c = peek(x, x->at);
    if (c == '"' || c == '\'')
        return read_string(x, NAME_PLACE);

    size_t begin = x->at;
    while (x->at < x->len && is_bare_character(x->text[x->at]))
        x->at++;
    if (x->at == begin)
        return SNUG_EINVAL;
    return jsontext_quote(x->out, x->text + begin, x->at - begin);
}

/* A member of an object, or an element of a list. */
static int read_item(lax *x, char close)
{
    int error;

    if (close == '}') {
        if ((error = read_name(x)))
            return error;
        x->at = past_space(x, x->at);
        if ((error = str_add(x->out, ":")))
            return error;
        if (x->at >= x->len) {
            x->is_whole = 0;
            return str_add(x->out, "null");
        }
        if (x->text[x->at] != ':')
            return SNUG_EINVAL;
        x->at = past_space(x, x->at + 1);
        if (x->at >= x->len) {
            x->is_whole = 0;
            return str_add(x->out, "null");
        }
    }

    char c = x->text[x->at];
    if (c == '"' || c == '\'' || c == '`')
        return read_string(x, close == '}' ? IN_OBJECT : IN_LIST);
    return read_value(x);
}

static int read_level(lax *x, char close)
{
    char brackets[2] = { x->text[x->at], close };
    int error = str_append(x->out, brackets, 1), count = 0;

    x->at++;
    x->level++;
    while (!error) {
        x->at = past_space(x, x->at);
        if (x->at >= x->len) {
            x->is_whole = 0;
            break;
        }
        if (x->text[x->at] == close) {
            x->at++;
            break;
        }
        if (x->text[x->at] == ',') {
            x->at++;
            continue;
        }
        if (count++)
            error = str_add(x->out, ",");
        if (!error)
            error = read_item(x, close);
    }

    x->level--;
    if (error)
        return error;
    return str_append(x->out, brackets + 1, 1);
}

/* Not deeper than LAXJSON_LEVELS. */
static int read_value(lax *x)
{
    char c = peek(x, x->at);
    if (c != '{' && c != '[')
        return read_bare_word(x);
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
