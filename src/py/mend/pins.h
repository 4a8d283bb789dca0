/*
 * pins.h - what CPython 3.11 keeps for the process instead of for an interpreter, made the first
 * interpreter's, which lives for ever: so that it is never a session's, which ends, or is torn in
 * the middle of a collection. docs/process-state.md lists it all. From 3.13 on an interpreter has
 * its own, and nothing here does anything.
 */
#ifndef SNUG_PY_PINS_H
#define SNUG_PY_PINS_H

#include "py/core/python.h"

/* Once, at the start, by the first interpreter. -1 with an exception. */
int pins_make(void);
/* In the interpreter that was just created, before another is; or, with is_born 0, in the first one
 * where that has failed. */
void pins_after_birth(int is_born);
/* Of a module in C that a session has just made, and again when its code has run: the types that
 * the process keeps, where it is the first to bring them. -1 with an exception. */
int pins_hold_types(PyObject *module, int has_run);
/* Of a session's module array: what its arrays are pickled by is its own. -1 with an exception. */
int pins_adopt_arrays(PyObject *module);

#endif
