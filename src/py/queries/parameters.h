/*
 * parameters.h - the names that arguments of a call can be given by, as a callable has them: a
 * function in Python in its code, one in C in its text of a signature.
 *
 * The caller holds the session's interpreter. Attributes of a class may be looked up by code of the
 * guest's.
 */
#ifndef SNUG_PY_PARAMETERS_H
#define SNUG_PY_PARAMETERS_H

#include <stddef.h>

#include "py/core/python.h"

typedef void (*parameter_taken)(void *payload, const char *name, size_t len);

/* One after the other; none where the callable does not say. Leaves no exception. */
void parameters_of(PyObject *callable, parameter_taken take, void *payload);

#endif
