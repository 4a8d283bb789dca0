/*
 * commonvalues.h - values and code of the first interpreter that all others are given (common.h).
 */
#ifndef SNUG_PY_COMMONVALUES_H
#define SNUG_PY_COMMONVALUES_H

#include "py/python.h"

/* All in the first interpreter, one thread at a time. */

/* Makes a value immortal that nothing can change, and what is in it. 0: it is not such a value, or
 * has a part that is none. Asked again, the answer is the same. */
int common_share_value(PyObject *object);
/* Also names that are interned since the start. */
void common_share_names(void);
/* As common_begin and common_share, for code. */
void common_code_begin(void);
void common_code_share(void);

#endif
