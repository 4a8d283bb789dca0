/*
 * shared_values.h - values and code of the first interpreter that all others are given
 * (shared_objects.h).
 */
#ifndef SNUG_PY_SHARED_VALUES_H
#define SNUG_PY_SHARED_VALUES_H

#include "py/core/python.h"

/* All in the first interpreter, one thread at a time. */

/* Makes a value immortal that nothing can change: an ASCII string, bytes, a number, a constant of
 * the language. 0: it is another. Asked again, the answer is the same. Not so a tuple: CPython's
 * compiler puts what is equal in the place of what is in a constant tuple, also in one that it was
 * handed. */
int common_share_value(PyObject *object);
/* The same for a tuple of such that Python code cannot get at. */
void common_share_hidden(PyObject *tuple);
/* Also names that are interned since the start. */
void common_share_names(void);
/* As common_begin and common_share, for code. */
void common_code_begin(void);
void common_code_share(void);

#endif
