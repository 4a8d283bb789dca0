/*
 * names.h - a list of names that completion found, in plain C.
 */
#ifndef SNUG_PY_NAMES_H
#define SNUG_PY_NAMES_H

#include <stddef.h>

#include "base/str.h"

typedef struct name_list {
    str *items;
    size_t count;
    size_t start; /* the byte of the source where the matches begin */
} name_list;

void name_list_free(name_list *list);

#endif
