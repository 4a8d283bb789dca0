/*
 * shared_table.h - objects of the first interpreter that others find (shared_objects.h): lists of
 * what was made, and tables of them, which never change.
 */
#ifndef SNUG_PY_SHARED_TABLE_H
#define SNUG_PY_SHARED_TABLE_H

#include "py/core/python.h"

/* An object by two words that say which it is. */
typedef struct common_row {
    const void *of, *which;
    PyObject *object;
} common_row;

/* Zeroed before first use. */
typedef struct common_list {
    common_row *rows;
    size_t count, cap;
} common_list;

/* With a reference of its own; what there is no memory for is left out. */
void common_list_add(common_list *list, const void *of, const void *which, PyObject *object);
/* The references stay. */
void common_list_free(common_list *list);

typedef struct common_table common_table;

/* Never freed. NULL: no memory. */
common_table *common_table_new(const common_list *list);
/* Borrowed; NULL: not there. t may be NULL. Any thread. */
PyObject *common_table_find(const common_table *t, const void *of, const void *which);

#endif
