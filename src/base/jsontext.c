#include "base/jsontext.h"

#include <snug/snug.h>

#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"

/* What may stand at the next token. */
enum { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COMMA_OR_END, NOTHING };

void jsontext_init(jsontext *j, const char *text, size_t len)
{
    size_t at = 0;

    j->text = text;
    j->len = len;
    j->at = 0;
    j->fault = NULL;
    j->next = VALUE;
    j->level = 0;
    if (utf8_check(text, len, &at) != UTF8_FINE) {
        j->fault = "invalid UTF-8";
        j->at = at;
    }
}

static jsontext_kind fail_at(jsontext *j, size_t at, const char *fault)
{
    j->at = at;
    j->fault = fault;
    return JSONTEXT_FAULT;
}

/* The unit of the four hexadecimal digits at text; -1 if they are something else. */
static int parse_unit(const char *text, size_t len)
{
    int unit = 0;

    for (size_t i = 0; i < 4; i++) {
        int value = i < len ? hex_value(text[i]) : -1;
        if (value < 0)
            return -1;
        unit = unit * 16 + value;
    }

    return unit;
}

static char peek_at(const jsontext *j, size_t at)
{
    return at < j->len ? j->text[at] : '\0';
}

static int is_whitespace(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void skip_whitespace(jsontext *j)
{
    while (j->at < j->len && is_whitespace(j->text[j->at]))
        j->at++;
}

/* ---- tokens ---- */

static jsontext_kind read_string_token(jsontext *j, jsontext_token *token, jsontext_kind kind)
{
    size_t at = j->at + 1;

    token->text = j->text + at;
    token->has_escapes = 0;
    for (; at < j->len && j->text[at] != '"'; at++) {
        if ((unsigned char)j->text[at] < ' ')
            return fail_at(j, at, "a control character in a string");
        if (j->text[at] != '\\')
            continue;
        token->has_escapes = 1;
        char letter = peek_at(j, ++at);
        if (!letter || !strchr("\"\\/bfnrtu", letter))
            return fail_at(j, at - 1, "an escape that there is not");
        if (letter == 'u' && parse_unit(j->text + at + 1, j->len - at - 1) < 0)
            return fail_at(j, at - 1, "\\u without four hexadecimal digits");
    }

    if (at >= j->len)
        return fail_at(j, j->at, "a string without an end");
    token->len = (size_t)(j->text + at - token->text);
    j->at = at + 1;
    return kind;
}

static size_t find_digits_end(const jsontext *j, size_t at)
{
    while (is_digit(peek_at(j, at)))
        at++;
    return at;
}

static jsontext_kind read_number_token(jsontext *j, jsontext_token *token)
{
    jsontext_kind kind = JSONTEXT_INTEGER;
    size_t from = j->at + (peek_at(j, j->at) == '-'), end = find_digits_end(j, from), part;
    int is_fine = end > from && (end == from + 1 || j->text[from] != '0');
    int is_long = end - from > JSONTEXT_DIGITS;

    if (is_fine && peek_at(j, end) == '.') {
        kind = JSONTEXT_FLOAT;
        part = end + 1;
        end = find_digits_end(j, part);
        is_fine = end > part;
    }

    if (is_fine && (peek_at(j, end) == 'e' || peek_at(j, end) == 'E')) {
        kind = JSONTEXT_FLOAT;
        part = end + 1;
        part += peek_at(j, part) == '+' || peek_at(j, part) == '-';
        end = find_digits_end(j, part);
        is_fine = end > part;
    }

    if (!is_fine)
        return fail_at(j, j->at, "not a number");
    if (is_long)
        return fail_at(j, j->at, "a number of more than 4,300 digits");

    token->text = j->text + j->at;
    token->len = end - j->at;
    j->at = end;
    return kind;
}

static jsontext_kind read_literal(jsontext *j, jsontext_token *token)
{
    static const struct {
        const char *word;
        jsontext_kind kind;
    } words[] = {
        { "null", JSONTEXT_NULL },
        { "false", JSONTEXT_FALSE },
        { "true", JSONTEXT_TRUE },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i].word);
        if (j->len - j->at >= len && memcmp(j->text + j->at, words[i].word, len) == 0) {
            token->text = j->text + j->at;
            token->len = len;
            j->at += len;
            return words[i].kind;
        }
    }

    return fail_at(j, j->at, "unexpected text");
}

/* Behind a whole value. */
static void expect_what_follows(jsontext *j)
{
    j->next = j->level > 0 ? COMMA_OR_END : NOTHING;
}

static jsontext_kind open_level(jsontext *j, char bracket)
{
    if (j->level == JSONTEXT_LEVELS)
        return fail_at(j, j->at, "nested deeper than 200 levels");

    j->open[j->level++] = bracket;
    j->at++;
    if (bracket == '[') {
        j->next = VALUE_OR_END;
        return JSONTEXT_LIST;
    }

    j->next = KEY_OR_END;
    return JSONTEXT_OBJECT;
}

static jsontext_kind close_level(jsontext *j)
{
    char bracket = j->open[--j->level];
    j->at++;
    expect_what_follows(j);
    return bracket == '[' ? JSONTEXT_LIST_END : JSONTEXT_OBJECT_END;
}

static int is_in_list(const jsontext *j)
{
    return j->level > 0 && j->open[j->level - 1] == '[';
}

static int closes_level(const jsontext *j, char c)
{
    if (j->level == 0)
        return 0;
    return c == (is_in_list(j) ? ']' : '}');
}

static jsontext_kind read_key_token(jsontext *j, jsontext_token *token)
{
    if (peek_at(j, j->at) != '"')
        return fail_at(j, j->at, "a name in quotes should stand here,");
    jsontext_kind kind = read_string_token(j, token, JSONTEXT_KEY);
    if (kind == JSONTEXT_FAULT)
        return kind;

    skip_whitespace(j);
    if (peek_at(j, j->at) != ':')
        return fail_at(j, j->at, "a colon is missing");

    j->at++;
    j->next = VALUE;
    return kind;
}

static jsontext_kind read_value_token(jsontext *j, jsontext_token *token)
{
    char c = peek_at(j, j->at);
    if (c == '[' || c == '{')
        return open_level(j, c);

    jsontext_kind kind;
    if (c == '"')
        kind = read_string_token(j, token, JSONTEXT_STRING);
    else if (c == '-' || is_digit(c))
        kind = read_number_token(j, token);
    else
        kind = read_literal(j, token);

    expect_what_follows(j);
    return kind;
}

jsontext_kind jsontext_next(jsontext *j, jsontext_token *token)
{
    *token = (jsontext_token){ .kind = JSONTEXT_FAULT };
    if (j->fault)
        return JSONTEXT_FAULT;

    skip_whitespace(j);
    char c = peek_at(j, j->at);
    if (j->next == NOTHING) {
        if (j->at < j->len)
            return fail_at(j, j->at, "text behind the value");
        token->kind = JSONTEXT_END;
        return JSONTEXT_END;
    }

    if (j->at == j->len)
        return fail_at(j, j->at, j->len > 0 ? "it ends too early" : "nothing");

    if (j->next != VALUE && j->next != KEY && closes_level(j, c)) {
        token->kind = close_level(j);
        return token->kind;
    }

    if (j->next == COMMA_OR_END) {
        if (c != ',')
            return fail_at(j, j->at, "a comma is missing");
        j->at++;
        skip_whitespace(j);
        j->next = is_in_list(j) ? VALUE : KEY;
    }

    if (j->next == KEY || j->next == KEY_OR_END)
        token->kind = read_key_token(j, token);
    else
        token->kind = read_value_token(j, token);
    return token->kind;
}

/* ---- strings ---- */

static uint32_t unescaped(char letter)
{
    switch (letter) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return (unsigned char)letter;
    }
}

/* The character of the escape at *at, whose token was checked; goes past it. */
static uint32_t read_escaped(const char *text, size_t len, size_t *at)
{
    char letter = text[*at + 1];

    *at += 2;
    if (letter != 'u')
        return unescaped(letter);

    uint32_t unit = (uint32_t)parse_unit(text + *at, len - *at);
    *at += 4;
    if (unit < 0xd800 || unit > 0xdbff || len - *at < 6 || text[*at] != '\\' ||
        text[*at + 1] != 'u')
        return unit;

    uint32_t other = (uint32_t)parse_unit(text + *at + 2, len - *at - 2);
    if (other < 0xdc00 || other > 0xdfff)
        return unit;
    *at += 6;
    return 0x10000 + ((unit - 0xd800) << 10) + (other - 0xdc00);
}

/* The character at *at of valid UTF-8; goes past it. */
static uint32_t read_utf8(const char *text, size_t *at)
{
    unsigned char lead = (unsigned char)text[(*at)++];
    int more = (lead >= 0xc0) + (lead >= 0xe0) + (lead >= 0xf0); /* bytes behind it */
    uint32_t c = lead;

    if (more > 0)
        c &= 0x3fu >> more;
    for (; more > 0; more--)
        c = c << 6 | ((unsigned char)text[(*at)++] & 0x3f);
    return c;
}

size_t jsontext_unescape(uint32_t *out, const jsontext_token *token)
{
    size_t count = 0;

    for (size_t at = 0; at < token->len; count++) {
        if (token->text[at] == '\\')
            out[count] = read_escaped(token->text, token->len, &at);
        else
            out[count] = read_utf8(token->text, &at);
    }

    return count;
}

const char *jsontext_check(const char *text, size_t len, size_t *at)
{
    jsontext j;
    jsontext_token token;
    jsontext_kind kind;

    jsontext_init(&j, text, len);
    do
        kind = jsontext_next(&j, &token);
    while (kind != JSONTEXT_END && kind != JSONTEXT_FAULT);

    *at = j.at;
    return j.fault;
}

/* ---- pieces ---- */

/* The token just read opened a level: goes on behind its end. */
static void skip_level(jsontext *j)
{
    jsontext_token token;
    int level = j->level - 1;
    while (j->level > level && jsontext_next(j, &token) != JSONTEXT_FAULT)
        ;
}

int jsontext_enter(jsontext *j, jsontext_span value)
{
    jsontext_token token;
    if (!value.text)
        value = (jsontext_span){ "", 0 };

    jsontext_init(j, value.text, value.len);
    jsontext_kind kind = jsontext_next(j, &token);
    return kind == JSONTEXT_LIST || kind == JSONTEXT_OBJECT;
}

int jsontext_item(jsontext *j, jsontext_token *name, jsontext_span *value)
{
    jsontext_token token, unwanted;

    if (!name)
        name = &unwanted;
    jsontext_kind kind = jsontext_next(j, name);
    if (kind == JSONTEXT_KEY)
        kind = jsontext_next(j, &token);
    else
        token = *name;

    if (kind == JSONTEXT_FAULT || kind == JSONTEXT_END || kind == JSONTEXT_LIST_END ||
        kind == JSONTEXT_OBJECT_END)
        return 0;

    if (kind == JSONTEXT_LIST || kind == JSONTEXT_OBJECT) {
        value->text = j->text + j->at - 1;
        skip_level(j);
        value->len = (size_t)(j->text + j->at - value->text);
    } else {
        size_t quote = kind == JSONTEXT_STRING;
        *value = (jsontext_span){ token.text - quote, token.len + 2 * quote };
    }

    return 1;
}

jsontext_span jsontext_member(jsontext_span object, const char *name)
{
    jsontext j;
    jsontext_token key;
    jsontext_span value, found = { NULL, 0 };
    size_t len = strlen(name);
    if (!object.text || object.len == 0 || !jsontext_enter(&j, object) || j.open[0] != '{')
        return found;

    while (jsontext_item(&j, &key, &value))
        if (key.len == len && memcmp(key.text, name, len) == 0)
            found = value;
    return found;
}

int jsontext_is(jsontext_span value, const char *text)
{
    return value.text && value.len == strlen(text) && memcmp(value.text, text, value.len) == 0;
}

int jsontext_token_string(str *out, const jsontext_token *token)
{
    int error = SNUG_OK;

    if (!token->has_escapes)
        return str_append(out, token->text, token->len);
    for (size_t at = 0; !error && at < token->len;) {
        if (token->text[at] != '\\') {
            size_t from = at;
            while (at < token->len && token->text[at] != '\\')
                at++;
            error = str_append(out, token->text + from, at - from);
            continue;
        }
        uint32_t c = read_escaped(token->text, token->len, &at);
        if (c >= 0xd800 && c < 0xe000)
            c = 0xfffd; /* half of a pair */
        char bytes[4];
        error = str_append(out, bytes, utf8_encode(bytes, c));
    }

    return error;
}

int jsontext_string(str *out, jsontext_span value)
{
    jsontext j;
    jsontext_token token;

    if (!value.text)
        return SNUG_EINVAL;
    jsontext_init(&j, value.text, value.len);
    if (jsontext_next(&j, &token) != JSONTEXT_STRING)
        return SNUG_EINVAL;
    return jsontext_token_string(out, &token);
}

/* Of a quote, a backslash or a control character. */
static int append_escape(str *out, char c)
{
    static const char letters[][3] = {
        ['\t'] = "\\t", ['\n'] = "\\n", ['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\",
    };
    const char *letter = letters[(unsigned char)c];

    if (*letter)
        return str_append(out, letter, 2);

    return str_printf(out, "\\u%04x", (unsigned)(unsigned char)c);
}

static int append_escaped(str *out, const char *text, size_t len)
{
    int error = SNUG_OK;
    const char *end = text + len;

    while (!error && text < end) {
        const char *plain = text;
        while (text < end && (unsigned char)*text >= ' ' && *text != '"' && *text != '\\')
            text++;
        error = str_append(out, plain, (size_t)(text - plain));
        if (error || text == end)
            break;
        error = append_escape(out, *text++);
    }

    return error;
}

uint64_t jsontext_quoted_bytes(const char *text, size_t len)
{
    uint64_t escapes = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        /* Without a branch: a display has megabytes of it. */
        escapes += (uint64_t)(c < 0x20) * 5 + (uint64_t)(c == '"') + (uint64_t)(c == '\\');
        escapes -= (uint64_t)(c == '\n' || c == '\t' || c == '\r') * 4;
    }

    return len + escapes;
}

int jsontext_quote(str *out, const char *text, size_t len)
{
    int error = str_add(out, "\"");

    while (!error && len > 0) {
        size_t valid = len; /* utf8_check sets it where something is not */
        utf8_check(text, len, &valid);
        error = append_escaped(out, text, valid);
        text += valid;
        len -= valid;
        if (error || len == 0)
            break;

        error = str_add(out, "\xef\xbf\xbd");
        text++;
        len--;
    }

    return error ? error : str_add(out, "\"");
}
