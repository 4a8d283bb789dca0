#include "calls/difference.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"
#include "base/utf8.h"
#include "calls/same_json.h"

typedef struct argument {
    jsontext_token name;
    jsontext_span value;
    str key; /* its name without escapes */
} argument;

typedef struct arguments {
    argument *items;
    argument **sorted; /* those of one name in their order */
    size_t count, cap;
} arguments;

/* Of more nothing is said. */
enum { MOST_ARGUMENTS = 10000 };

/* ---- arguments ---- */

static int compare_keys(const str *a, const str *b)
{
    const size_t least = a->len < b->len ? a->len : b->len;
    const int order = memcmp(str_text(a), str_text(b), least);

    return order ? order : (a->len > b->len) - (a->len < b->len);
}

static int compare_arguments(const void *a, const void *b)
{
    const argument *x = *(argument *const *)a, *y = *(argument *const *)b;
    const int order = compare_keys(&x->key, &y->key);

    return order ? order : (x > y) - (x < y);
}

static int add_argument(arguments *l, const jsontext_token *name, jsontext_span value)
{
    if (array_reserve(&l->items, &l->cap, l->count + 1, sizeof *l->items))
        return SNUG_ENOMEM;
    argument *a = &l->items[l->count++];
    *a = (argument){ *name, value, { 0 } };
    return jsontext_token_string(&a->key, name);
}

static int read_arguments(arguments *l, jsontext_span object)
{
    jsontext j;
    jsontext_token name;
    jsontext_span value;
    int error = SNUG_OK;

    if (jsontext_enter(&j, object))
        while (!error && l->count <= MOST_ARGUMENTS && jsontext_item(&j, &name, &value))
            error = add_argument(l, &name, value);
    if (error || !(l->sorted = malloc((l->count + 1) * sizeof *l->sorted)))
        return SNUG_ENOMEM;
    for (size_t i = 0; i < l->count; i++)
        l->sorted[i] = &l->items[i];
    if (l->count > 1)
        qsort(l->sorted, l->count, sizeof *l->sorted, compare_arguments);
    return SNUG_OK;
}

static void free_arguments(arguments *l)
{
    for (size_t i = 0; i < l->count; i++)
        str_free(&l->items[i].key);
    free(l->items);
    free(l->sorted);
}

/* The value of the last one of that name. */
static jsontext_span find_value(const arguments *l, const str *key)
{
    size_t from = 0, to = l->count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (compare_keys(&l->sorted[middle]->key, key) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0 || compare_keys(&l->sorted[from - 1]->key, key) != 0)
        return (jsontext_span){ NULL, 0 };
    return l->sorted[from - 1]->value;
}

/* ---- in words ---- */

enum { MOST_SHOWN = 200 };

int difference_add_cut(str *out, jsontext_span value)
{
    const size_t kept =
        value.len > MOST_SHOWN ? utf8_floor(value.text, value.len, MOST_SHOWN) : value.len;
    int error = str_append(out, value.text, kept);

    if (!error && kept < value.len)
        error = str_printf(out, "... (%zu more bytes)", value.len - kept);
    return error;
}

/* value or was: NULL if there is none. */
static int say_argument(str *out, const jsontext_token *name, jsontext_span value,
                        jsontext_span was)
{
    int error = str_add(out, "its argument ");

    if (!error)
        error = difference_add_cut(out, (jsontext_span){ name->text, name->len });
    if (!error)
        error = str_add(out, value.text ? " is " : " is missing");
    if (!error && value.text)
        error = difference_add_cut(out, value);
    if (!error)
        error = str_add(out, was.text ? ", and was " : ", and was not there");
    if (!error && was.text)
        error = difference_add_cut(out, was);
    return error;
}

static int say_first(str *out, const arguments *now, const arguments *was)
{
    for (size_t i = 0; i < now->count; i++) {
        const argument *a = &now->items[i];
        const jsontext_span there = find_value(was, &a->key);
        if (!there.text || same_json(a->value, there) != 1)
            return say_argument(out, &a->name, a->value, there);
    }
    for (size_t i = 0; i < was->count; i++) {
        const argument *a = &was->items[i];
        const jsontext_span there = find_value(now, &a->key);
        if (!there.text)
            return say_argument(out, &a->name, there, a->value);
    }
    return str_add(out, "its arguments were others"); /* in their order, or names in theirs */
}

int difference_say(str *out, jsontext_span now, jsontext_span was)
{
    arguments a = { 0 }, b = { 0 };
    int error = read_arguments(&a, now);

    if (!error)
        error = read_arguments(&b, was);
    if (!error && (a.count > MOST_ARGUMENTS || b.count > MOST_ARGUMENTS))
        error = str_add(out, "its arguments were others");
    else if (!error)
        error = say_first(out, &a, &b);
    free_arguments(&a);
    free_arguments(&b);
    return error;
}
