/*
 * posix_own.h - the functions of a session's posix module that have answers of their own: what
 * CPython's would say is about the process and the machine of the host.
 */
#ifndef SNUG_PY_POSIX_OWN_H
#define SNUG_PY_POSIX_OWN_H

#include "py/core/state.h"

/* CPython's functions, which posix.c keeps. */
struct posix_originals {
    PyObject *uname, *affinity;
    PyObject *of_path[]; /* by the rows of posix.c's table of paths */
};

/* The method at index, whose self is not looked at; NULL past the last. It lives as long as the
 * process, as functions made of it need. */
PyMethodDef *posix_own_method(size_t index);

#endif
