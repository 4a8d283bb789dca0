/*
 * exceptions.h - the exceptions of snug's own: what the policy raises and what
 * stops a cell.
 *
 * They are marked by being these very types of the interpreter, not by name. The
 * caller holds the interpreter.
 */
#ifndef SNUG_PY_EXCEPTIONS_H
#define SNUG_PY_EXCEPTIONS_H

#include "py/core/state.h"

/* 0, or -1 with an exception. */
int exceptions_make(interp *in);
/* Of in->stopped, before the interpreter ends. */
void exceptions_release(PyObject *stopped);

#endif
