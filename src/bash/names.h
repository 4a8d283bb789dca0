/*
 * names.h - the variables and functions of a shell, as it tells them at the end of a cell, and
 * what has changed since the last one. The guest's own shell tells them: they are a convenience,
 * and nothing rests on them.
 */
#ifndef SNUG_BASH_NAMES_H
#define SNUG_BASH_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "py/core/outcome.h"

typedef struct shell_name {
    size_t name, line; /* in text: the name, and all that declare told of it */
    const char *type;  /* static: "string", "integer", "array", "map", "function" */
    uint64_t hash;     /* of the line */
} shell_name;

typedef struct shell_names {
    str text;
    shell_name *items; /* in the order of their bytes */
    size_t count, cap;
} shell_names;

/* What `declare -p` and `declare -F` have said. SNUG_OK, or SNUG_ENOMEM without a message. */
int names_read(shell_names *out, const char *variables, const char *functions);
void names_free(shell_names *names);
/* Adds to a cell's outcome those that are new, different or gone. SNUG_OK or SNUG_ENOMEM. */
int names_compare(outcome *out, const shell_names *before, const shell_names *now);
/* snug.variables/1, of those that are not as in first, as far as list_bytes go. NULL if memory ran
 * out. */
char *names_describe(const shell_names *now, const shell_names *first, const char *session,
                     uint64_t list_bytes);

#endif
