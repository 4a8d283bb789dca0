/*
 * names.h - the variables and functions of a shell, as it declares them at the end of a cell. The
 * guest's own shell does that: they are a convenience, and nothing rests on them.
 */
#ifndef SNUG_BASH_NAMES_H
#define SNUG_BASH_NAMES_H

#include <stdint.h>

#include "base/str.h"

/* snug.variables/1 of those that `declare -p` and `declare -F` wrote now and not first, as far as
 * list_bytes go. NULL if memory ran out. */
char *names_describe(const str *now, const str *first, const char *session, uint64_t list_bytes);

#endif
