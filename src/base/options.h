/*
 * options.h - the structs of a caller that may have been built for another version.
 *
 * Each begins with its size, as the caller's compiler knows it, and only ever grows at its end.
 */
#ifndef SNUG_BASE_OPTIONS_H
#define SNUG_BASE_OPTIONS_H

#include <stddef.h>

/* Copies the caller's struct to out, which has size bytes here: members that an older caller does
 * not have become zero, and the size becomes ours. SNUG_EINVAL where a newer caller has set
 * something that this version does not know, and where the size cannot be one: then most likely
 * the struct was never initialised. All of out is zero but for its size if given is NULL. type is
 * the name of the struct, for the message. */
int options_take(void *out, size_t size, const void *given, const char *type);

/* Fills a struct of counters that the caller has given its size: with what it has room for of the
 * size bytes of facts, and zero for what only a newer version counts. Its size stays the caller's.
 * SNUG_EINVAL where given is NULL or its size cannot be one. */
int options_give(void *given, const void *facts, size_t size, const char *type);

#endif
