/*
 * posix.h - the posix module of a session: an allowlist of functions, by the table in
 * posix.c. The functions that CPython made are kept where no code in a cell comes.
 * Those with answers of their own are in posix_own.h.
 */
#ifndef SNUG_PY_POSIX_H
#define SNUG_PY_POSIX_H

#include "py/core/state.h"

/* Makes a fresh posix module the session's. -1 with an exception. */
int posix_adopt(interp *in, PyObject *module);
/* os.stat of an exact str or bytes, judged as a cell's; a new reference, or NULL with an
 * exception. The caller holds the interpreter. */
PyObject *posix_stat(interp *in, PyObject *path);
/* A path-like object or a descriptor as an exact str, bytes or int, so that what is judged is what
 * is used. A new reference, or NULL with an exception. */
PyObject *posix_plain_path(PyObject *value);
/* Drops what the interpreter keeps of it. */
void posix_release(interp *in);

#endif
