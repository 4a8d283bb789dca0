#include "py/value/value.h"

#include <math.h>
#include <string.h>

#include <snug/snug.h>

#include "base/utf8.h"
#include "py/value/jsonvalue.h"

/* ---- JSON ---- */

enum { MAX_LEVELS = 100 };

typedef struct writer {
    str *out;
    size_t start;
    uint64_t max_bytes;
    int is_full;
} writer;

static int put_bytes(writer *w, const char *text, size_t len)
{
    if (w->out->len - w->start + len <= w->max_bytes)
        return str_append(w->out, text, len) == SNUG_OK;
    w->is_full = 1;
    return 0;
}

static int put_characters(writer *w, const char *at, const char *end)
{
    char escape[JSONVALUE_ESCAPE_BYTES];

    while (at < end) {
        const char *plain = at;
        while (at < end && !jsonvalue_is_escaped(*at))
            at++;
        if (!put_bytes(w, plain, (size_t)(at - plain)))
            return 0;
        if (at < end && !put_bytes(w, escape, jsonvalue_escape(escape, *at++)))
            return 0;
    }

    return 1;
}

static int put_quoted(writer *w, PyObject *text)
{
    Py_ssize_t len;

    /* Nothing is encoded that is too long anyway. */
    if ((uint64_t)PyUnicode_GET_LENGTH(text) > w->max_bytes) {
        w->is_full = 1;
        return 0;
    }

    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &len);
    if (!utf8) {
        PyErr_Clear();
        return 0;
    }

    return put_bytes(w, "\"", 1) && put_characters(w, utf8, utf8 + len) && put_bytes(w, "\"", 1);
}

/* Exact ints and floats: their repr is C code and JSON. */
static int put_repr(writer *w, PyObject *value)
{
    Py_ssize_t len;

    if (PyFloat_CheckExact(value) && !isfinite(PyFloat_AS_DOUBLE(value)))
        return 0;
    PyObject *text = PyObject_Repr(value);
    const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, &len) : NULL;
    int fine = utf8 && put_bytes(w, utf8, (size_t)len);
    Py_XDECREF(text);
    PyErr_Clear(); /* an int of too many digits */
    return fine;
}

static int put_exact(writer *w, PyObject *value, int level);

static int put_exact_list(writer *w, PyObject *list, int level)
{
    if (!put_bytes(w, "[", 1))
        return 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        if (i > 0 && !put_bytes(w, ", ", 2))
            return 0;
        if (!put_exact(w, PyList_GET_ITEM(list, i), level + 1))
            return 0;
    }

    return put_bytes(w, "]", 1);
}

static int put_exact_dict(writer *w, PyObject *dict, int level)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int count = 0;

    if (!put_bytes(w, "{", 1))
        return 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        if (!PyUnicode_CheckExact(key) || (count++ > 0 && !put_bytes(w, ", ", 2)))
            return 0;
        if (!put_quoted(w, key) || !put_bytes(w, ": ", 2) || !put_exact(w, value, level + 1))
            return 0;
    }

    return put_bytes(w, "}", 1);
}

static int put_exact(writer *w, PyObject *value, int level)
{
    if (level > MAX_LEVELS)
        return 0;
    if (value == Py_None)
        return put_bytes(w, "null", 4);
    if (value == Py_True)
        return put_bytes(w, "true", 4);
    if (value == Py_False)
        return put_bytes(w, "false", 5);
    if (PyLong_CheckExact(value) || PyFloat_CheckExact(value))
        return put_repr(w, value);
    if (PyUnicode_CheckExact(value))
        return put_quoted(w, value);
    if (PyList_CheckExact(value))
        return put_exact_list(w, value, level);
    if (PyDict_CheckExact(value))
        return put_exact_dict(w, value, level);
    return 0;
}

value_fit value_json(str *out, PyObject *value, uint64_t max_bytes)
{
    writer w = { out, out->len, max_bytes, 0 };
    if (put_exact(&w, value, 0))
        return VALUE_IS_JSON;
    out->len = w.start;
    if (out->data)
        out->data[out->len] = '\0';
    return w.is_full ? VALUE_TOO_LARGE : VALUE_IS_NOT_JSON;
}
