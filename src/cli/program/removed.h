/*
 * removed.h - options, keys and commands that earlier builds had, and what replaces them.
 */
#ifndef SNUG_CLI_REMOVED_H
#define SNUG_CLI_REMOVED_H

#include <stddef.h>

/* What to do instead, as the end of a sentence; NULL if the name never existed. The name is that of
 * an option with its dashes, of a whole key ("response.score"), or of a command. */
const char *removed_advice(const char *name, size_t len);

#endif
