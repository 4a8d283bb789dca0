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
    int error = str_append(out, text, head);
    if (!error)
        error = str_printf(out, " ... %zu bytes left out ... ", tail - head);
    if (error)
        return error;
    return str_append(out, text + tail, len - tail);
}

/* Lone surrogates have no UTF-8: shown escaped. */
static PyObject *escape_surrogates(PyObject *text)
{
    PyErr_Clear();
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    if (!bytes)
        return NULL;

    PyObject *escaped =
        PyUnicode_DecodeUTF8(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes), NULL);
    Py_DECREF(bytes);
    return escaped;
}

const char *value_text(PyObject **holder, size_t *len, PyObject *text)
{
    Py_ssize_t bytes = 0;

    *holder = Py_NewRef(text);
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &bytes);
    if (!utf8) {
        bytes = 0;
        Py_SETREF(*holder, escape_surrogates(text));
        if (*holder)
            utf8 = PyUnicode_AsUTF8AndSize(*holder, &bytes);
    }

    *len = (size_t)bytes;
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
static int append_static_name(str *out, const PyTypeObject *type)
{
    const char *dot = strrchr(type->tp_name, '.');
    if (dot)
        return str_add(out, dot + 1);
    return str_add(out, type->tp_name);
}

int value_type(str *out, PyObject *value)
{
    if (!PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HEAPTYPE)) {
        if (append_static_name(out, Py_TYPE(value)) == SNUG_OK)
            return 0;
        PyErr_NoMemory();
        return -1;
    }

    PyObject *name = PyType_GetName(Py_TYPE(value));
    int failed = !name || value_utf8(out, name, 1000) != 0;
    Py_XDECREF(name);
    return failed ? -1 : 0;
}
