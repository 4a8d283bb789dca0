/*
 * frozen.h - the Python half of snug, compiled into the binary by freeze.py.
 *
 * Each file of frozen/ is a module "_snug_<name>" of every interpreter, once
 * PyImport_FrozenModules points here; that is set before Py_Initialize. With them are those of the
 * standard library that every interpreter loads at its start.
 */
#ifndef SNUG_PY_FROZEN_H
#define SNUG_PY_FROZEN_H

#include "py/core/python.h"

/* Ends with a NULL name. */
extern const struct _frozen frozen_modules[];
/* Of the bytecode; PyImport_GetMagicNumber() must agree. */
extern const long frozen_magic;

#endif
