/*
 * keep_streams.c - _PySys_GetAttr, as the program defines it in libpython's place. Only in the
 * static programs.
 *
 * print() and what prints warnings borrow a stream from sys, and its write() may set another. The
 * borrowed one stays alive until the cell ends.
 */
#include <string.h>

#include "py/core/state.h"
#include "py/host/stdstream.h"

#if PYTHON_BORROWS_SYS_STREAMS
extern PyObject *snug_python_sys_attribute(PyThreadState *tstate, PyObject *name);

static int keep_stream(interp *in, PyObject *kept)
{
    PyTypeObject *type = Py_TYPE(kept);
    enum { MOST_LOOKED_AT = 8 };

    if (!in || kept == Py_None || stdstream_is_output(kept) ||
        (PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE) &&
         strcmp(type->tp_name, "_io.StringIO") == 0))
        return 0;

    if (!in->notes.streams && !(in->notes.streams = PyList_New(0)))
        return -1;
    Py_ssize_t count = PyList_GET_SIZE(in->notes.streams);
    for (Py_ssize_t i = count; i > 0 && i > count - MOST_LOOKED_AT; i--)
        if (PyList_GET_ITEM(in->notes.streams, i - 1) == kept)
            return 0;
    return PyList_Append(in->notes.streams, kept);
}

PyObject *_PySys_GetAttr(PyThreadState *tstate, PyObject *name)
{
    PyObject *found = snug_python_sys_attribute(tstate, name);
    int is_stream = found && (PyUnicode_CompareWithASCIIString(name, "stdout") == 0 ||
                              PyUnicode_CompareWithASCIIString(name, "stderr") == 0);
    return is_stream && keep_stream(interp_current, found) != 0 ? NULL : found;
}
#endif
