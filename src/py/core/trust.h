/*
 * trust.h - which code is the standard library's or our own.
 */
#ifndef SNUG_PY_TRUST_H
#define SNUG_PY_TRUST_H

#include "py/core/state.h"

/* Whether code of that file name is the standard library's or our own: names that
 * no cell can give to compile (py/guard/audit.c refuses them). */
int interp_trusts(const interp *in, PyObject *filename);
/* Whether path, as it is written, names a file of the standard library. */
int interp_is_library(const interp *in, const char *path);

#endif
