/*
 * direntry.h - os.DirEntry of a session: what it tells of a symbolic link's target is judged
 * as for os.stat.
 *
 * CPython's own follows the link in C, past the functions that posix.c replaces. The type stays
 * CPython's; three of its methods are exchanged.
 */
#ifndef SNUG_PY_DIRENTRY_H
#define SNUG_PY_DIRENTRY_H

#include "py/core/state.h"

/* Of a fresh posix module; may be called again. -1 with an exception. The caller holds the
 * interpreter. */
int direntry_adopt(interp *in, PyObject *type);
void direntry_release(interp *in);

#endif
