/*
 * toolserver.h - the name in front of the dot of tools as "github.search": an object with the
 * functions of that name as attributes.
 *
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_TOOLSERVER_H
#define SNUG_PY_TOOLSERVER_H

#include "py/core/state.h"

/* The one under that name in the session's namespace, made if there is none, or something else.
 * Owned; NULL with an exception. */
PyObject *toolserver_get(interp *in, PyObject *name);
int toolserver_is_one(PyObject *value);

#endif
