/* Two values of JSON with a byte 0xff between them: whether they are the same, as a plain form of
 * each says it, whichever comes first; and what is said of them where they are arguments. */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/str.h"
#include "base/utf8.h"
#include "calls/difference.h"
#include "calls/same_json.h"

/* ---- the plain form: members in the order of their names ---- */

typedef struct member {
    str name, value;
    size_t place;
} member;

static void write_form(str *out, jsontext_span value);

static void write_text(str *out, const jsontext_token *token)
{
    uint32_t *characters = calloc(token->len + 1, sizeof *characters);
    const size_t count = jsontext_unescape(characters, token);

    HOLDS(str_printf(out, "\"%zu:", count) == SNUG_OK);
    for (size_t i = 0; i < count; i++)
        HOLDS(str_printf(out, "%x ", (unsigned)characters[i]) == SNUG_OK);
    free(characters);
}

static int compare_members(const void *a, const void *b)
{
    const member *x = a, *y = b;
    const int order = strcmp(x->name.data, y->name.data);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static void write_object(str *out, jsontext_span object)
{
    jsontext j;
    jsontext_token name;
    jsontext_span value;
    member *members = calloc(object.len + 1, sizeof *members);
    size_t count = 0;

    HOLDS(jsontext_enter(&j, object));
    for (; jsontext_item(&j, &name, &value); count++) {
        members[count].place = count;
        write_text(&members[count].name, &name);
        write_form(&members[count].value, value);
    }
    qsort(members, count, sizeof *members, compare_members);
    HOLDS(str_add(out, "{") == SNUG_OK);
    for (size_t i = 0; i < count; i++) {
        HOLDS(str_add_str(out, &members[i].name) == SNUG_OK);
        HOLDS(str_add_str(out, &members[i].value) == SNUG_OK);
        str_free(&members[i].name);
        str_free(&members[i].value);
    }
    HOLDS(str_add(out, "}") == SNUG_OK);
    free(members);
}

static void write_list(str *out, jsontext_span list)
{
    jsontext j;
    jsontext_span item;

    HOLDS(jsontext_enter(&j, list));
    HOLDS(str_add(out, "[") == SNUG_OK);
    while (jsontext_item(&j, NULL, &item))
        write_form(out, item);
    HOLDS(str_add(out, "]") == SNUG_OK);
}

static void write_form(str *out, jsontext_span value)
{
    jsontext j;
    jsontext_token token;

    jsontext_init(&j, value.text, value.len);
    const jsontext_kind kind = jsontext_next(&j, &token);
    if (kind == JSONTEXT_OBJECT)
        write_object(out, value);
    else if (kind == JSONTEXT_LIST)
        write_list(out, value);
    else if (kind == JSONTEXT_STRING)
        write_text(out, &token);
    else
        HOLDS(str_append(out, token.text, token.len) == SNUG_OK && str_add(out, ",") == SNUG_OK);
}

static int is_same_form(jsontext_span a, jsontext_span b)
{
    str x = { 0 }, y = { 0 };

    write_form(&x, a);
    write_form(&y, b);
    const int is_same = x.len == y.len && !memcmp(x.data, y.data, x.len);
    str_free(&x);
    str_free(&y);
    return is_same;
}

/* ---- */

static void check_difference(jsontext_span a, jsontext_span b)
{
    str text = { 0 };
    size_t at;

    HOLDS(difference_say(&text, a, b) == SNUG_OK);
    HOLDS(text.len > 0);
    HOLDS(!strncmp(text.data, "its argument", 12));
    if (!is_same_form(a, b) && strcmp(text.data, "its arguments were others") != 0)
        HOLDS(strstr(text.data, " is ") && strstr(text.data, " was "));
    HOLDS(utf8_check(text.data, text.len, &at) == UTF8_FINE);
    str_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    const input first = take_until(&in, "\xff");
    char *one = copy_of(first.at, first.left), *other = copy_of(in.at, in.left);
    const jsontext_span a = { one, first.left }, b = { other, in.left };
    size_t at;

    if (!jsontext_check(a.text, a.len, &at) && !jsontext_check(b.text, b.len, &at)) {
        const int answer = same_json(a, b);
        HOLDS(answer == 0 || answer == 1);
        HOLDS(answer == is_same_form(a, b));
        HOLDS(answer == same_json(b, a));
        HOLDS(same_json(a, a) == 1);
        if (*a.text == '{' && *b.text == '{')
            check_difference(a, b);
    }
    free(one);
    free(other);
    return 0;
}
