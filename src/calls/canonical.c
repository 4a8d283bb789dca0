#include "calls/canonical.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/utf8.h"

/* ---- in one spelling ---- */

static int write_character(str *out, uint32_t c)
{
    char bytes[4];

    if (c < 0x20 || c == '"' || c == '\\' || (c >= 0xd800 && c < 0xe000))
        return str_printf(out, "\\u%04x", (unsigned)c);
    return str_append(out, bytes, utf8_encode(bytes, c));
}

static int write_string(str *out, const jsontext_token *token)
{
    int error = str_add(out, "\"");

    if (!token->has_escapes) {
        error |= str_append(out, token->text, token->len);
        return error | str_add(out, "\"");
    }

    uint32_t *characters = malloc(token->len * sizeof *characters);
    if (!characters)
        return SNUG_ENOMEM;
    const size_t count = jsontext_unescape(characters, token);
    for (size_t i = 0; i < count && !error; i++)
        error = write_character(out, characters[i]);
    free(characters);
    return error | str_add(out, "\"");
}

/* What stands in out from `at` on: a name, its value and a comma. */
typedef struct member {
    const char *at; /* while members are sorted */
    size_t begin, name_len, len;
} member;

/* Those of one name stay in their order. */
static int compare_members(const void *a, const void *b)
{
    const member *x = a, *y = b;
    const size_t least = x->name_len < y->name_len ? x->name_len : y->name_len;
    const int order = memcmp(x->at, y->at, least); /* with its quotes no name begins another */

    return order ? order : (x->begin > y->begin) - (x->begin < y->begin);
}

/* members are all that stands in out from the first on. */
static int sort_members(str *out, member *members, size_t count)
{
    const size_t begin = members[0].begin, len = out->len - begin;
    char *sorted = malloc(len), *to = sorted;
    if (!sorted)
        return SNUG_ENOMEM;

    for (size_t i = 0; i < count; i++)
        members[i].at = out->data + members[i].begin;
    qsort(members, count, sizeof *members, compare_members);
    for (size_t i = 0; i < count; to += members[i++].len)
        memcpy(to, members[i].at, members[i].len);
    memcpy(out->data + begin, sorted, len);
    free(sorted);
    return SNUG_OK;
}

static int write_value(str *out, jsontext *j, const jsontext_token *token);

/* In the place of the last comma, if there is one. */
static int write_end(str *out, const char *bracket)
{
    if (out->data[out->len - 1] == ',')
        out->len--;
    return str_add(out, bracket);
}

static int write_object(str *out, jsontext *j)
{
    member *members = NULL;
    size_t count = 0, cap = 0;
    jsontext_token token;
    int error = str_add(out, "{");

    while (!error && jsontext_next(j, &token) == JSONTEXT_KEY) {
        if ((error = array_reserve(&members, &cap, count + 1, sizeof *members)))
            break;
        member *m = &members[count++];
        m->begin = out->len;
        error = write_string(out, &token);
        m->name_len = out->len - m->begin;
        error |= str_add(out, ":");
        jsontext_next(j, &token);
        error |= write_value(out, j, &token);
        error |= str_add(out, ",");
        m->len = out->len - m->begin;
    }
    if (!error && count > 1)
        error = sort_members(out, members, count);
    free(members);
    return error ? error : write_end(out, "}");
}

static int write_list(str *out, jsontext *j)
{
    jsontext_token token;
    int error = str_add(out, "[");

    while (!error && jsontext_next(j, &token) != JSONTEXT_LIST_END) {
        error = write_value(out, j, &token);
        error |= str_add(out, ",");
    }
    return error ? error : write_end(out, "]");
}

/* As deep as jsontext lets values be nested. */
static int write_value(str *out, jsontext *j, const jsontext_token *token)
{
    if (token->kind == JSONTEXT_OBJECT)
        return write_object(out, j);
    if (token->kind == JSONTEXT_LIST)
        return write_list(out, j);
    if (token->kind == JSONTEXT_STRING)
        return write_string(out, token);
    return str_append(out, token->text, token->len);
}

int canonical_json(str *out, jsontext_span value)
{
    jsontext j;
    jsontext_token token;

    jsontext_init(&j, value.text, value.len);
    jsontext_next(&j, &token);
    return write_value(out, &j, &token);
}

/* ---- what differs ---- */

enum { MOST_SHOWN = 200 };

int canonical_add_cut(str *out, jsontext_span value)
{
    const size_t kept =
        value.len > MOST_SHOWN ? utf8_floor(value.text, value.len, MOST_SHOWN) : value.len;
    int error = str_append(out, value.text, kept);

    if (kept < value.len)
        error |= str_printf(out, "... (%zu more bytes)", value.len - kept);
    return error;
}

/* now or was: NULL if there is none. */
static void say_argument(str *out, const jsontext_token *name, jsontext_span now, jsontext_span was)
{
    str_add(out, "its argument ");
    canonical_add_cut(out, (jsontext_span){ name->text, name->len });
    str_add(out, now.text ? " is " : " is missing");
    if (now.text)
        canonical_add_cut(out, now);
    str_add(out, was.text ? ", and was " : ", and was not there");
    if (was.text)
        canonical_add_cut(out, was);
}

/* Both are in one spelling, and differ. */
static void say_difference(str *out, const str *now, const str *was)
{
    static const jsontext_span none = { NULL, 0 };
    jsontext a, b;
    jsontext_token x, y;
    jsontext_span v, w;

    jsontext_enter(&a, (jsontext_span){ now->data, now->len });
    jsontext_enter(&b, (jsontext_span){ was->data, was->len });
    for (;;) {
        const int has_now = jsontext_item(&a, &x, &v), has_was = jsontext_item(&b, &y, &w);
        int order = has_was - has_now; /* the shorter one has no more names */
        if (order == 0) /* the quote behind it counts, so that no name begins another */
            order = memcmp(x.text, y.text, (x.len < y.len ? x.len : y.len) + 1);
        if (order < 0)
            say_argument(out, &x, v, none);
        else if (order > 0)
            say_argument(out, &y, none, w);
        else if (v.len == w.len && !memcmp(v.text, w.text, v.len))
            continue;
        else
            say_argument(out, &x, v, w);
        return;
    }
}

/* What is spelt may take some times as much memory. */
enum { MOST_BYTES = 1 << 20 };

int canonical_compare(str *out, jsontext_span now, jsontext_span was)
{
    str a = { 0 }, b = { 0 };
    int is_same = now.len == was.len && !memcmp(now.text, was.text, now.len);

    if (is_same)
        return 1;
    if (now.len > MOST_BYTES || was.len > MOST_BYTES) {
        str_add(out, "its arguments were others");
    } else if (canonical_json(&a, now) || canonical_json(&b, was)) {
        str_add(out, "there is no memory to compare its arguments");
    } else {
        is_same = a.len == b.len && !memcmp(a.data, b.data, a.len);
        if (!is_same)
            say_difference(out, &a, &b);
    }
    str_free(&a);
    str_free(&b);
    return is_same;
}
