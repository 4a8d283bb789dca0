#include "py/shared/shared_table.h"

#include <stdlib.h>

#include "base/array.h"

/* By hash, at most half full; a free row has no object. */
struct common_table {
    size_t cap; /* a power of two */
    common_row rows[];
};

void common_list_add(common_list *list, const void *of, const void *which, PyObject *object)
{
    if (array_reserve(&list->rows, &list->cap, list->count + 1, sizeof *list->rows) == 0)
        list->rows[list->count++] = (common_row){ of, which, Py_NewRef(object) };
}

void common_list_free(common_list *list)
{
    free(list->rows);
    *list = (common_list){ 0 };
}

static size_t first_place(const common_table *t, const void *of, const void *which)
{
    size_t hash = ((size_t)of >> 4) * 31 + (size_t)which;
    return (hash * 0x9E3779B97F4A7C15U >> 20) & (t->cap - 1);
}

common_table *common_table_new(const common_list *list)
{
    size_t cap = 16;

    while (cap < list->count * 2)
        cap *= 2;
    common_table *t = calloc(1, sizeof *t + cap * sizeof *t->rows);
    if (!t)
        return NULL;

    t->cap = cap;
    for (size_t i = 0; i < list->count; i++) {
        size_t at = first_place(t, list->rows[i].of, list->rows[i].which);
        while (t->rows[at].object)
            at = (at + 1) & (cap - 1);
        t->rows[at] = list->rows[i];
    }

    return t;
}

PyObject *common_table_find(const common_table *t, const void *of, const void *which)
{
    if (!t)
        return NULL;
    size_t at = first_place(t, of, which);
    while (t->rows[at].object && (t->rows[at].of != of || t->rows[at].which != which))
        at = (at + 1) & (t->cap - 1);
    return t->rows[at].object;
}
