/*
 * relative.h - relative paths where the kernel refuses a session's thread a current folder of
 * its own (unshare in many containers): they are made absolute before Python sees them.
 *
 * Only where paths come in: open() and os's functions. Elsewhere (FileIO, sqlite3.connect)
 * a relative path would start in the host's folder, and py/guard/audit.c refuses it.
 */
#ifndef SNUG_PY_RELATIVE_H
#define SNUG_PY_RELATIVE_H

#include "py/core/state.h"

/* Once, while the interpreter is set up. -1 with an exception. */
int relative_install(interp *in);
/* path, an exact str or bytes, from the work directory if it is relative and the thread has no
 * folder of its own; anything else as it is. A new reference, or NULL with an exception. */
PyObject *relative_resolve(const interp *in, PyObject *path);
/* An OSError that is set and names resolved names given instead. */
void relative_name_error(PyObject *resolved, PyObject *given);

#endif
