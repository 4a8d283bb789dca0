/*
 * name_use.h - whether Python's text gives names another meaning, told from its words alone. Pure.
 */
#ifndef SNUG_CLI_NAME_USE_H
#define SNUG_CLI_NAME_USE_H

#include <stddef.h>

/* Whether the text may give the name a meaning: it has it other than to use it, NAME.x or
 * NAME(...). */
int name_may_be_bound(const char *text, const char *name, size_t len);
/* Whether the text may give one to any name, which it need not have: import *, exec(...). */
int name_any_may_be_bound(const char *text);

#endif
