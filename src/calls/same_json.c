#include "calls/same_json.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"

/* Each value is written in one form of its own, and the bytes are compared. */
static int write_form(str *out, jsontext_span value);

/* The characters as they are, behind their number. */
static int write_text(str *out, const jsontext_token *token)
{
    uint32_t *characters = malloc((token->len + 1) * sizeof *characters);
    if (!characters)
        return SNUG_ENOMEM;

    const size_t count = jsontext_unescape(characters, token);
    int error = str_printf(out, "\"%zu:", count);
    if (!error)
        error = str_append(out, (const char *)characters, count * sizeof *characters);
    free(characters);
    return error;
}

static int write_list(str *out, jsontext_span list)
{
    jsontext j;
    jsontext_token name;
    jsontext_span item;
    int error = str_add(out, "[");

    if (jsontext_enter(&j, list))
        while (!error && jsontext_item(&j, &name, &item))
            error = write_form(out, item);
    return error ? error : str_add(out, "]");
}

static int compare_members(const void *a, const void *b)
{
    const str *x = a, *y = b;
    const size_t least = x->len < y->len ? x->len : y->len;
    const int order = memcmp(str_text(x), str_text(y), least);

    if (order)
        return order;
    return (x->len > y->len) - (x->len < y->len);
}

static int write_object(str *out, jsontext_span object)
{
    jsontext j;
    jsontext_token name;
    jsontext_span value;
    str *members = NULL;
    size_t count = 0, cap = 0;
    int error = SNUG_OK;

    if (jsontext_enter(&j, object))
        while (!error && jsontext_item(&j, &name, &value)) {
            error = array_reserve(&members, &cap, count + 1, sizeof *members);
            if (error)
                break;
            members[count] = (str){ 0 };
            error = write_text(&members[count], &name);
            if (!error)
                error = write_form(&members[count], value);
            count++;
        }

    if (count > 1)
        qsort(members, count, sizeof *members, compare_members);
    if (!error)
        error = str_add(out, "{");
    for (size_t i = 0; i < count; i++) {
        if (!error)
            error = str_add_str(out, &members[i]);
        str_free(&members[i]);
    }
    free(members);
    return error ? error : str_add(out, "}");
}

static int write_form(str *out, jsontext_span value)
{
    jsontext j;
    jsontext_token token;

    jsontext_init(&j, value.text, value.len);
    switch (jsontext_next(&j, &token)) {
    case JSONTEXT_OBJECT:
        return write_object(out, value);
    case JSONTEXT_LIST:
        return write_list(out, value);
    case JSONTEXT_STRING:
        return write_text(out, &token);
    case JSONTEXT_INTEGER:
    case JSONTEXT_FLOAT:
    case JSONTEXT_TRUE:
    case JSONTEXT_FALSE:
    case JSONTEXT_NULL:
    case JSONTEXT_KEY:
    case JSONTEXT_LIST_END:
    case JSONTEXT_OBJECT_END:
    case JSONTEXT_END:
    case JSONTEXT_FAULT:
        break;
    }
    int error = str_append(out, value.text, value.len);
    return error ? error : str_add(out, ",");
}

/* Of more, a form may take long, for what is nested deeply. */
enum { FORM_BYTES = 1 << 20 };

int same_json(jsontext_span a, jsontext_span b)
{
    str x = { 0 }, y = { 0 };
    int answer;

    if (a.len == b.len && !memcmp(a.text, b.text, a.len))
        return 1;
    if (a.len > FORM_BYTES || b.len > FORM_BYTES)
        return 0;
    if (write_form(&x, a) || write_form(&y, b))
        answer = SNUG_ENOMEM;
    else
        answer = x.len == y.len && !memcmp(str_text(&x), str_text(&y), x.len);
    str_free(&x);
    str_free(&y);
    return answer;
}
