#include "wire/json.h"

#include <snug/snug.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/str.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cJSON 1.7.15 copies a number to a buffer of this size and goes wrong behind it. */
enum { LONGEST_NUMBER = 63 };

static int refuse_at(const char *what, size_t at)
{
    return error_set(SNUG_EINVAL, "invalid JSON: %s at byte %zu", what, at + 1);
}

/* The UTF-16 unit of the escape "\uXXXX" at text; -1 if there is none. */
static int parse_escaped_unit(const char *text, size_t len)
{
    int unit = 0;

    if (len < 6 || text[0] != '\\' || text[1] != 'u')
        return -1;
    for (size_t i = 2; i < 6; i++) {
        int value = hex_value(text[i]);
        if (value < 0)
            return -1;
        unit = unit * 16 + value;
    }

    return unit;
}

/* Checks the escape at *at and goes past it. */
static int check_escape(const char *text, size_t len, size_t *at)
{
    size_t start = *at;

    *at += 2;
    if (start + 1 >= len || text[start + 1] != 'u')
        return SNUG_OK; /* cJSON knows which letters there are */

    int unit = parse_escaped_unit(text + start, len - start);
    *at = start + 6;
    if (unit < 0)
        return refuse_at("\\u without four hexadecimal digits", start);
    if (unit == 0)
        return refuse_at("a NUL in a string", start);
    if (unit < 0xd800 || unit > 0xdfff)
        return SNUG_OK;

    int other = -1;
    if (unit < 0xdc00)
        other = parse_escaped_unit(text + *at, len - *at);
    if (other < 0xdc00 || other > 0xdfff)
        return refuse_at("half of a surrogate pair", start);
    *at += 6;
    return SNUG_OK;
}

/* Checks the string whose opening quote is at *at and goes past it. */
static int check_string(const char *text, size_t len, size_t *at)
{
    size_t start = *at;

    for (++*at; *at < len;) {
        char c = text[*at];
        if (c == '\0')
            return refuse_at("a NUL in a string", *at);
        if (c == '\\') {
            int error = check_escape(text, len, at);
            if (error)
                return error;
            continue;
        }
        ++*at;
        if (c == '"')
            return SNUG_OK;
    }

    return refuse_at("a string without an end", start);
}

static size_t skip_number_digits(const char *text, size_t len, size_t at)
{
    while (at < len && is_digit(text[at]))
        at++;
    return at;
}

/* Checks the number at *at and goes past it (RFC 8259, section 6). */
static int check_number(const char *text, size_t len, size_t *at)
{
    size_t start = *at;
    size_t from = start + (text[start] == '-'), end = from + 1;

    if (from == len || text[from] != '0')
        end = skip_number_digits(text, len, from);
    int is_fine = end > from;
    if (is_fine && end < len && text[end] == '.') {
        from = end + 1;
        end = skip_number_digits(text, len, from);
        is_fine = end > from;
    }

    if (is_fine && end < len && (text[end] == 'e' || text[end] == 'E')) {
        from = end + 1;
        from += from < len && (text[from] == '+' || text[from] == '-');
        end = skip_number_digits(text, len, from);
        is_fine = end > from;
    }

    if (!is_fine || (end < len && text[end] && strchr("0123456789+-.eE", text[end])))
        return refuse_at("not a number", start);
    if (end - start > LONGEST_NUMBER)
        return refuse_at("a number of more than 63 characters", start);
    *at = end;
    return SNUG_OK;
}

static int check_encoding(const char *text, size_t len)
{
    size_t at;

    switch (utf8_check(text, len, &at)) {
    case UTF8_FINE:
        break;
    case UTF8_INVALID:
        return refuse_at("invalid UTF-8", at);
    case UTF8_SURROGATE:
        return refuse_at("half of a surrogate pair", at);
    }

    return SNUG_OK;
}

/* Counts c, which is at text[at], if it is a bracket. cJSON finds those that do not match. */
static int count_bracket(size_t *depth, char c, size_t at)
{
    if (c == '[' || c == '{')
        ++*depth;
    else if ((c == ']' || c == '}') && *depth > 0)
        --*depth;

    if (*depth > CJSON_NESTING_LIMIT)
        return refuse_at("nested too deep", at);
    return SNUG_OK;
}

/* Refuses what cJSON would accept and lose. It judges the grammar itself. */
static int check_json_text(const char *text, size_t len)
{
    size_t depth = 0;
    int error = check_encoding(text, len);

    for (size_t at = 0; !error && at < len;) {
        char c = text[at];
        if (c == '"') {
            error = check_string(text, len, &at);
        } else if (c == '-' || is_digit(c)) {
            error = check_number(text, len, &at);
        } else if ((unsigned char)c < ' ' && c != '\t' && c != '\n' && c != '\r') {
            error = refuse_at("a control character", at);
        } else {
            error = count_bracket(&depth, c, at);
            at++;
        }
    }

    return error;
}

/* Whether a number became infinite. Not deeper than CJSON_NESTING_LIMIT. */
static int has_infinity(const cJSON *value)
{
    for (; value; value = value->next)
        if ((cJSON_IsNumber(value) && isinf(value->valuedouble)) || has_infinity(value->child))
            return 1;
    return 0;
}

int json_parse(cJSON **out, const char *text, size_t len)
{
    const char *end = NULL;
    int error = check_json_text(text, len);
    if (error)
        return error;

    if (!len)
        return refuse_at("nothing", 0);

    /* Its own check for what follows wants a NUL within len. */
    cJSON *value = cJSON_ParseWithLengthOpts(text, len, &end, 0);
    if (!value)
        return refuse_at("unexpected text", end ? (size_t)(end - text) : 0);

    size_t at = (size_t)(end - text);
    while (at < len && strchr(" \t\r\n", text[at]))
        at++;
    if (at < len)
        error = refuse_at("text behind the value", at);
    else if (has_infinity(value))
        error = error_set(SNUG_EINVAL, "invalid JSON: a number is out of range");

    if (error) {
        cJSON_Delete(value);
        return error;
    }

    *out = value;
    return SNUG_OK;
}

/* Where the next \u0000 is, or the closing quote. */
static size_t find_piece_end(const char *quoted, size_t len, size_t at)
{
    while (at + 1 < len && parse_escaped_unit(quoted + at, len - at) != 0)
        at += quoted[at] == '\\' ? 2 : 1;
    return at < len - 1 ? at : len - 1;
}

/* One piece without NULs, which cJSON keeps. */
static int unquote_piece(str *out, const char *text, size_t len)
{
    str piece = { 0 };
    cJSON *value = NULL;
    int error = SNUG_ENOMEM;

    if (!str_add(&piece, "\"") && !str_append(&piece, text, len) && !str_add(&piece, "\""))
        error = json_parse(&value, piece.data, piece.len);
    if (!error)
        error = str_add(out, value->valuestring);
    cJSON_Delete(value);
    str_free(&piece);
    return error;
}

int json_unquote(str *out, const char *quoted, size_t len)
{
    int error = SNUG_OK;

    if (len < 2 || quoted[0] != '"' || quoted[len - 1] != '"')
        return refuse_at("not a string", 0);
    for (size_t at = 1; !error; at += 6) {
        size_t end = find_piece_end(quoted, len, at);
        error = unquote_piece(out, quoted + at, end - at);
        if (end == len - 1)
            break;
        if (!error)
            error = str_append(out, "", 1);
        at = end;
    }

    return error;
}

/* Gives item, which may be NULL, to parent. Answers it, or NULL if memory ran out. */
static cJSON *attach(cJSON *parent, const char *name, cJSON *item)
{
    if (!item)
        return NULL;
    int is_added;
    if (name)
        is_added = cJSON_AddItemToObject(parent, name, item);
    else
        is_added = cJSON_AddItemToArray(parent, item);

    if (is_added)
        return item;
    cJSON_Delete(item);
    return NULL;
}

static int added_or_no_memory(const cJSON *added)
{
    return added ? SNUG_OK : SNUG_ENOMEM;
}

int json_add_text(cJSON *object, const char *name, const char *text)
{
    return added_or_no_memory(attach(object, name, cJSON_CreateString(text)));
}

int json_add_number(cJSON *object, const char *name, double value)
{
    return added_or_no_memory(attach(object, name, cJSON_CreateNumber(value)));
}

int json_add_bool(cJSON *object, const char *name, int value)
{
    return added_or_no_memory(attach(object, name, cJSON_CreateBool(value)));
}

int json_add_null(cJSON *object, const char *name)
{
    return added_or_no_memory(attach(object, name, cJSON_CreateNull()));
}

int json_add_raw(cJSON *object, const char *name, const char *raw)
{
    return added_or_no_memory(attach(object, name, cJSON_CreateRaw(raw)));
}

cJSON *json_add_object(cJSON *parent, const char *name)
{
    return attach(parent, name, cJSON_CreateObject());
}

cJSON *json_add_array(cJSON *parent, const char *name)
{
    return attach(parent, name, cJSON_CreateArray());
}

/* cJSON 1.7.15 prints 1e15 as "1e+15", 9007199254740991 as 9.00719925474099e+15 and
 * 0.1 + 0.2 as 0.3: it takes neighbouring doubles for equal. So this is ours. */
static int write_double(str *out, double value)
{
    static const double largest = 9007199254740992.0; /* 2^53 */
    char text[64];

    if (!isfinite(value))
        return str_add(out, "null");
    if (value >= -largest && value <= largest && (double)(int64_t)value == value)
        return str_printf(out, "%" PRId64, (int64_t)value);

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }

    /* The host program's locale may have another decimal point, of several bytes. */
    size_t len = 0;
    for (const char *c = text; *c; c++) {
        if (strchr("0123456789+-e", *c))
            text[len++] = *c;
        else if (len && text[len - 1] != '.')
            text[len++] = '.';
    }

    return str_append(out, text, len);
}

/* What stands between the quotes. */
static void write_characters(str *out, const char *text, size_t len)
{
    static const char letters[][3] = {
        ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n",  ['\f'] = "\\f",
        ['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\",
    };

    for (size_t at = 0; at < len; at++) {
        size_t plain = at;
        while (plain < len && (unsigned char)text[plain] >= ' ' && text[plain] != '"' &&
               text[plain] != '\\')
            plain++;
        str_append(out, text + at, plain - at);
        at = plain;
        if (at == len)
            break;

        const char *letter = letters[(unsigned char)text[at]];
        if (*letter)
            str_append(out, letter, 2);
        else
            str_printf(out, "\\u%04x", (unsigned)(unsigned char)text[at]);
    }
}

static int write_string(str *out, const char *text, size_t len)
{
    str_append(out, "\"", 1);
    write_characters(out, text, len);
    return str_append(out, "\"", 1);
}

/* cJSON has no room for NULs. */
int json_add_text_len(cJSON *object, const char *name, const char *text, size_t len)
{
    str written = { 0 };
    const int has_nul = memchr(text, '\0', len) != NULL;
    int error = has_nul ? write_string(&written, text, len) : str_append(&written, text, len);

    if (!error && has_nul)
        error = json_add_raw(object, name, written.data);
    else if (!error)
        error = json_add_text(object, name, str_text(&written));
    str_free(&written);
    return error;
}

static int write_value(str *out, const cJSON *value);

/* The members or elements, between the two brackets. */
static int write_children(str *out, const cJSON *parent, const char *brackets)
{
    int error = str_append(out, brackets, 1);

    for (const cJSON *child = parent->child; !error && child; child = child->next) {
        if (child != parent->child)
            error = str_append(out, ",", 1);
        if (!error && cJSON_IsObject(parent))
            error = write_string(out, child->string, strlen(child->string));
        if (!error && cJSON_IsObject(parent))
            error = str_append(out, ":", 1);
        if (!error)
            error = write_value(out, child);
    }

    return error ? error : str_append(out, brackets + 1, 1);
}

static int write_value(str *out, const cJSON *value)
{
    switch (value->type & 0xff) {
    case cJSON_False:
        return str_add(out, "false");
    case cJSON_True:
        return str_add(out, "true");
    case cJSON_Number:
        return write_double(out, value->valuedouble);
    case cJSON_String:
        return write_string(out, value->valuestring, strlen(value->valuestring));
    case cJSON_Raw:
        return str_add(out, value->valuestring);
    case cJSON_Array:
        return write_children(out, value, "[]");
    case cJSON_Object:
        return write_children(out, value, "{}");
    default:
        return str_add(out, "null");
    }
}

char *json_text(const cJSON *value)
{
    str out = { 0 };
    if (write_value(&out, value)) {
        str_free(&out);
        return NULL;
    }
    return str_take(&out);
}

/* ---- text as it is written ---- */

static void begin_value(str *out, const char *name)
{
    const char last = out->len > 0 ? out->data[out->len - 1] : '[';

    if (last != '{' && last != '[')
        str_append(out, ",", 1);
    if (name) {
        write_string(out, name, strlen(name));
        str_append(out, ":", 1);
    }
}

void json_put_text(str *out, const char *name, const char *text, size_t len)
{
    size_t at;

    begin_value(out, name);
    if (utf8_check(text, len, &at) == UTF8_FINE)
        write_string(out, text, len);
    else
        jsontext_quote(out, text, len);
}

void json_put_word(str *out, const char *name, const char *text)
{
    json_put_text(out, name, text, strlen(text));
}

void json_put_str(str *out, const char *name, const str *text)
{
    json_put_text(out, name, str_text(text), text->len);
}

void json_put_number(str *out, const char *name, double value)
{
    begin_value(out, name);
    write_double(out, value);
}

void json_put_bool(str *out, const char *name, int value)
{
    json_put_raw(out, name, value ? "true" : "false");
}

void json_put_raw(str *out, const char *name, const char *raw)
{
    begin_value(out, name);
    str_add(out, raw ? raw : "null");
}

void json_open(str *out, const char *name, char bracket)
{
    begin_value(out, name);
    str_append(out, &bracket, 1);
}

void json_close(str *out, char bracket)
{
    str_append(out, &bracket, 1);
}

char *json_taken(str *out)
{
    if (!str_error(out))
        return str_take(out);
    str_free(out);
    return NULL;
}
