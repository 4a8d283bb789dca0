#include "calls/same_json.h"

#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>

#include "base/array.h"

/* Both are read once into nodes, so that the time does not depend on how deeply they are nested. */

/* A value, or a name with its value behind it. What is in it follows. */
typedef struct node {
    jsontext_kind kind;
    const char *text; /* a string's characters, a number as it stands there */
    size_t len;
    size_t span; /* nodes, with this one */
} node;

typedef struct tree {
    node *nodes;
    size_t count, cap;
    char *characters; /* of strings that have escapes; NULL: none has */
    size_t used;
} tree;

/* ---- read ---- */

/* UTF-8, with halves of surrogate pairs as if they were characters. */
static size_t put_character(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }

    const size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    for (size_t i = more; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((0xf0u << (3 - more) & 0xff) | c);
    return more + 1;
}

static int take_escaped(tree *t, node *n, const jsontext_token *token)
{
    uint32_t *characters = malloc(token->len * sizeof *characters);
    if (!characters)
        return SNUG_ENOMEM;

    const size_t count = jsontext_unescape(characters, token);
    n->text = t->characters + t->used;
    for (size_t i = 0; i < count; i++)
        t->used += put_character(t->characters + t->used, characters[i]);
    n->len = (size_t)(t->characters + t->used - n->text);
    free(characters);
    return SNUG_OK;
}

static int add_node(tree *t, const jsontext_token *token)
{
    if (array_reserve(&t->nodes, &t->cap, t->count + 1, sizeof *t->nodes))
        return SNUG_ENOMEM;

    node *n = &t->nodes[t->count++];
    *n = (node){ token->kind, token->text, token->len, 1 };
    return token->has_escapes ? take_escaped(t, n, token) : SNUG_OK;
}

static int read_nodes(tree *t, jsontext_span value)
{
    jsontext j;
    jsontext_token token;
    size_t open[JSONTEXT_LEVELS];
    int level = 0, error = SNUG_OK;

    jsontext_init(&j, value.text, value.len);
    while (!error && jsontext_next(&j, &token) < JSONTEXT_END) {
        if (token.kind == JSONTEXT_LIST_END || token.kind == JSONTEXT_OBJECT_END) {
            node *n = &t->nodes[open[--level]];
            n->span = t->count - open[level];
            continue;
        }
        if (token.kind == JSONTEXT_LIST || token.kind == JSONTEXT_OBJECT)
            open[level++] = t->count;
        error = add_node(t, &token);
    }
    return error;
}

static int read_tree(tree *t, jsontext_span value)
{
    /* No escape is shorter than its character. */
    if (memchr(value.text, '\\', value.len) && !(t->characters = malloc(value.len)))
        return SNUG_ENOMEM;
    return read_nodes(t, value);
}

static void free_tree(tree *t)
{
    free(t->nodes);
    free(t->characters);
}

/* ---- compared ---- */

static int compare_text(const node *a, const node *b)
{
    const size_t least = a->len < b->len ? a->len : b->len;
    const int order = least > 0 ? memcmp(a->text, b->text, least) : 0;

    return order ? order : (a->len > b->len) - (a->len < b->len);
}

/* Those of one name stay in their order. */
static int compare_names(const void *a, const void *b)
{
    const node *x = *(const node *const *)a, *y = *(const node *const *)b;
    const int order = compare_text(x, y);

    return order ? order : (x > y) - (x < y);
}

/* *out: the object's names in their order, the caller's to free. SNUG_OK or SNUG_ENOMEM. */
static int sort_names(const node ***out, size_t *count, const node *object)
{
    const node *const end = object + object->span;

    *count = 0;
    for (const node *name = object + 1; name < end; name += 1 + name[1].span)
        ++*count;
    if (!(*out = malloc((*count + 1) * sizeof **out)))
        return SNUG_ENOMEM;

    size_t at = 0;
    for (const node *name = object + 1; name < end; name += 1 + name[1].span)
        (*out)[at++] = name;
    qsort(*out, *count, sizeof **out, compare_names);
    return SNUG_OK;
}

/* As same_json. */
static int compare(const node *a, const node *b);

static int compare_objects(const node *a, const node *b)
{
    const node **x = NULL, **y = NULL;
    size_t x_count, y_count;
    int answer = SNUG_ENOMEM;

    if (!sort_names(&x, &x_count, a) && !sort_names(&y, &y_count, b)) {
        answer = x_count == y_count;
        for (size_t i = 0; answer == 1 && i < x_count; i++)
            answer = compare_text(x[i], y[i]) ? 0 : compare(x[i] + 1, y[i] + 1);
    }
    free(x);
    free(y);
    return answer;
}

static int compare_lists(const node *a, const node *b)
{
    const node *x = a + 1, *y = b + 1;
    int answer = 1;

    while (answer == 1 && x < a + a->span && y < b + b->span) {
        answer = compare(x, y);
        x += x->span;
        y += y->span;
    }
    return answer == 1 ? x == a + a->span && y == b + b->span : answer;
}

static int compare(const node *a, const node *b)
{
    if (a->kind != b->kind)
        return 0;
    if (a->kind == JSONTEXT_OBJECT)
        return compare_objects(a, b);
    return a->kind == JSONTEXT_LIST ? compare_lists(a, b) : !compare_text(a, b);
}

/* Of more, the nodes would take many times the room. */
enum { MOST_BYTES = 1 << 20 };

int same_json(jsontext_span a, jsontext_span b)
{
    tree x = { 0 }, y = { 0 };
    int answer = SNUG_ENOMEM;

    if (a.len == b.len && !memcmp(a.text, b.text, a.len))
        return 1;
    if (a.len > MOST_BYTES || b.len > MOST_BYTES)
        return 0;
    if (!read_tree(&x, a) && !read_tree(&y, b))
        answer = x.count == y.count ? compare(x.nodes, y.nodes) : 0;
    free_tree(&x);
    free_tree(&y);
    return answer;
}
