/*
 * names.h - a list of names that completion found, in plain C.
 */
#ifndef SNUG_PY_NAMES_H
#define SNUG_PY_NAMES_H

#include <stddef.h>

#include "base/str.h"

typedef enum name_kind {
    NAME_OF_SOMETHING, /* of what, only running code would tell */
    NAME_OF_FUNCTION,
    NAME_OF_CLASS,
    NAME_OF_MODULE,
    NAME_OF_INSTANCE,
    NAME_IS_KEYWORD,
    NAME_OF_PARAMETER, /* with its "=" */
    NAME_OF_MAGIC,     /* with its "%" */
    NAME_IS_KEY,       /* as it stands in a literal */
    NAME_OF_FILE,      /* the same; a folder's ends with a slash */
    NAME_KINDS
} name_kind;

typedef struct found_name {
    str text; /* first: they are sorted by it */
    name_kind kind;
} found_name;

typedef struct name_list {
    found_name *items;
    size_t count;
    size_t start; /* the byte of the source where the matches begin */
} name_list;

void name_list_free(name_list *list);

#endif
