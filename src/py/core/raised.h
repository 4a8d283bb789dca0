/*
 * raised.h - the exception that is set: taken, or set aside while something else is done.
 *
 * Before 3.12 CPython keeps it in parts, and makes an instance of them only when somebody looks.
 * To set it aside leaves them as they are; to take it makes the instance. The caller holds the
 * interpreter.
 */
#ifndef SNUG_PY_RAISED_H
#define SNUG_PY_RAISED_H

#include "py/core/python.h"

#if PY_VERSION_HEX >= 0x030c0000

typedef struct raised_exception {
    PyObject *value;
} raised_exception;

/* What was set, and is not any more; nothing, where nothing was. */
static inline raised_exception raised_set_aside(void)
{
    return (raised_exception){ PyErr_GetRaisedException() };
}

/* Sets it again, in place of what was set meanwhile. */
static inline void raised_put_back(raised_exception aside)
{
    PyErr_SetRaisedException(aside.value);
}

static inline void raised_drop(raised_exception aside)
{
    Py_XDECREF(aside.value);
}

static inline int raised_is_any(raised_exception aside)
{
    return aside.value != NULL;
}

/* The exception that was set, and is not any more, with its traceback; NULL where none was. */
static inline PyObject *raised_take(void)
{
    return PyErr_GetRaisedException();
}

/* Sets what raised_take answered, or another instance; takes the reference. */
static inline void raised_set(PyObject *exc)
{
    PyErr_SetRaisedException(exc);
}

#else

typedef struct raised_exception {
    PyObject *type, *value, *traceback;
} raised_exception;

static inline raised_exception raised_set_aside(void)
{
    raised_exception aside;
    PyErr_Fetch(&aside.type, &aside.value, &aside.traceback);
    return aside;
}

static inline void raised_put_back(raised_exception aside)
{
    PyErr_Restore(aside.type, aside.value, aside.traceback);
}

static inline void raised_drop(raised_exception aside)
{
    Py_XDECREF(aside.type);
    Py_XDECREF(aside.value);
    Py_XDECREF(aside.traceback);
}

static inline int raised_is_any(raised_exception aside)
{
    return aside.type != NULL;
}

static inline PyObject *raised_take(void)
{
    PyObject *type, *value, *traceback;

    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (value && traceback)
        PyException_SetTraceback(value, traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return value;
}

static inline void raised_set(PyObject *exc)
{
    if (exc)
        PyErr_Restore(Py_NewRef(Py_TYPE(exc)), exc, PyException_GetTraceback(exc));
    else
        PyErr_Clear();
}

#endif

#endif
