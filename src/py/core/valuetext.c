#include "py/core/valuetext.h"

#include <string.h>

#include <snug/snug.h>

#include "base/utf8.h"

int value_clip(str *out, const char *text, size_t len, uint64_t max_bytes)
{
    if (len <= max_bytes)
        return str_append(out, text, len);
    size_t half = (size_t)(max_bytes / 2);
    size_t head = utf8_floor(text, len, half), tail = utf8_ceil(text, len, len - half);
    int error;
    if ((error = str_append(out, text, head)) ||
        (error = str_printf(out, " ... %zu bytes left out ... ", tail - head)))
        return error;

    return str_append(out, text + tail, len - tail);
}

/* Lone surrogates have no UTF-8: shown escaped. */
static PyObject *escape(PyObject *text)
{
    PyErr_Clear();
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    PyObject *escaped =
        bytes ? PyUnicode_DecodeUTF8(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes), NULL)
              : NULL;
    Py_XDECREF(bytes);
    return escaped;
}

const char *value_text(PyObject **holder, size_t *len, PyObject *text)
{
    Py_ssize_t bytes;

    *holder = Py_NewRef(text);
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &bytes);
    if (!utf8) {
        Py_SETREF(*holder, escape(text));
        utf8 = *holder ? PyUnicode_AsUTF8AndSize(*holder, &bytes) : NULL;
    }

    *len = utf8 ? (size_t)bytes : 0;
    return utf8;
}

int value_utf8(str *out, PyObject *text, uint64_t max_bytes)
{
    size_t len;
    PyObject *holder;
    const char *utf8 = value_text(&holder, &len, text);
    int failed = !utf8;

    if (utf8 && value_clip(out, utf8, len, max_bytes) != SNUG_OK) {
        PyErr_NoMemory();
        failed = 1;
    }

    Py_XDECREF(holder);
    return failed ? -1 : 0;
}

/* A type made in C says its name with that of its module before it. */
static int static_type(str *out, const PyTypeObject *type)
{
    const char *dot = strrchr(type->tp_name, '.');
    return str_add(out, dot ? dot + 1 : type->tp_name);
}

int value_type(str *out, PyObject *value)
{
    if (!PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HEAPTYPE)) {
        if (static_type(out, Py_TYPE(value)) == SNUG_OK)
            return 0;
        PyErr_NoMemory();
        return -1;
    }

    PyObject *name = PyType_GetName(Py_TYPE(value));
    int failed = !name || value_utf8(out, name, 1000) != 0;
    Py_XDECREF(name);
    return failed ? -1 : 0;
}
