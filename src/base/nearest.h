/*
 * nearest.h - which of some names was probably meant.
 *
 * The costs are those of CPython's "Did you mean" (Python/suggestions.c), so
 * that our suggestions are the ones people know.
 */
#ifndef SNUG_BASE_NEAREST_H
#define SNUG_BASE_NEAREST_H

#include <stddef.h>

/* The name nearest to word, or NULL if none is near enough, or, as in CPython, if
 * there are 750 or more. Names equal to word are passed over. Of equally near
 * ones the first wins. */
const char *nearest_name(const char *word, const char *const *names, size_t count);
/* The same of what somebody types at a terminal: a name of which two neighbouring letters were
 * swapped goes before all others. */
const char *nearest_typed(const char *word, const char *const *names, size_t count);
/* Edit distance in units of CPython's MOVE_COST (2; a change of case costs 1),
 * or limit + 1 if it is more than limit; limit < SIZE_MAX. What is left without the
 * common beginning and end is too far if it is over 40 bytes. Of bytes, not of
 * characters. */
size_t nearest_distance(const char *a, size_t a_len, const char *b, size_t b_len, size_t limit);

#endif
