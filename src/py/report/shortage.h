/*
 * shortage.h - exceptions that the end of the session's memory made.
 *
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_SHORTAGE_H
#define SNUG_PY_SHORTAGE_H

#include "py/core/python.h"
#include "py/core/state.h"

/* What CPython says itself where an exception was forgotten. */
#define SHORTAGE_UNSET "error return without exception set"

/* Whether the session's limit made it, and not a size beyond all reason. An exception that stands
 * for a forgotten MemoryError is replaced by one; the reference stays the caller's. */
int shortage_made(const interp *in, PyObject **exc);

#endif
