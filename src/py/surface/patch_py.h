/*
 * patch_py.h - what is done to a module in Python when a session first loads it: asyncio gets
 * our event loop, linecache learns the cells, types.coroutine is ours. Modules in C are
 * patch_c.h's.
 */
#ifndef SNUG_PY_PATCH_PY_H
#define SNUG_PY_PATCH_PY_H

#include "py/core/state.h"

/* Looks which of them have been loaded since the last call. The caller holds the
 * interpreter. 0, or -1 with an exception. */
int adopt_loaded(interp *in);
/* Not in the middle of its own import. The caller holds the interpreter. */
int adopt_is_whole(PyObject *module);
/* Tells linecache, where it is loaded, the source of a cell. */
int adopt_cell(interp *in, PyObject *filename, PyObject *source);
/* A short text around a number. */
PyObject *adopt_numbered(const char *before, uint64_t number, const char *after);
/* "<cell 3>"; a new reference. */
PyObject *adopt_filename(uint64_t number);

#endif
