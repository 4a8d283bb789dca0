#include "py/value/value.h"

#include <math.h>
#include <string.h>

#include <snug/snug.h>

#include "base/utf8.h"

/* ---- JSON ---- */

enum { MAX_LEVELS = 100 };

typedef struct writer {
    str *out;
    size_t start;
    uint64_t max_bytes;
    int is_full;
} writer;

static int put(writer *w, const char *text, size_t len)
{
    if (w->out->len - w->start + len <= w->max_bytes)
        return str_append(w->out, text, len) == SNUG_OK;
    w->is_full = 1;
    return 0;
}

static int put_string(writer *w, PyObject *text)
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

    const char *end = utf8 + len;
    int fine = put(w, "\"", 1);
    for (const char *at = utf8; fine && at < end; at++) {
        const char *plain = at;
        while (at < end && (unsigned char)*at >= 0x20 && *at != '"' && *at != '\\')
            at++;
        fine = put(w, plain, (size_t)(at - plain));
        if (!fine || at == end)
            break;
        char escape_text[8];
        int n = *at == '"' || *at == '\\'
                    ? snprintf(escape_text, sizeof escape_text, "\\%c", *at)
                    : snprintf(escape_text, sizeof escape_text, "\\u%04x", (unsigned)*at);
        fine = put(w, escape_text, (size_t)n);
    }

    return fine && put(w, "\"", 1);
}

/* Exact ints and floats: their repr is C code and JSON. */
static int put_number(writer *w, PyObject *value)
{
    Py_ssize_t len;

    if (PyFloat_CheckExact(value) && !isfinite(PyFloat_AS_DOUBLE(value)))
        return 0;
    PyObject *text = PyObject_Repr(value);
    const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, &len) : NULL;
    int fine = utf8 && put(w, utf8, (size_t)len);
    Py_XDECREF(text);
    PyErr_Clear(); /* an int of too many digits */
    return fine;
}

static int put_value(writer *w, PyObject *value, int level);

static int put_list(writer *w, PyObject *list, int level)
{
    int fine = put(w, "[", 1);
    for (Py_ssize_t i = 0; fine && i < PyList_GET_SIZE(list); i++)
        fine = (i == 0 || put(w, ", ", 2)) && put_value(w, PyList_GET_ITEM(list, i), level + 1);
    return fine && put(w, "]", 1);
}

static int put_dict(writer *w, PyObject *dict, int level)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int fine = put(w, "{", 1), first = 1;

    while (fine && PyDict_Next(dict, &at, &key, &value)) {
        fine = PyUnicode_CheckExact(key) && (first || put(w, ", ", 2)) && put_string(w, key) &&
               put(w, ": ", 2) && put_value(w, value, level + 1);
        first = 0;
    }

    return fine && put(w, "}", 1);
}

static int put_value(writer *w, PyObject *value, int level)
{
    if (level > MAX_LEVELS)
        return 0;
    if (value == Py_None)
        return put(w, "null", 4);
    if (value == Py_True)
        return put(w, "true", 4);
    if (value == Py_False)
        return put(w, "false", 5);
    if (PyLong_CheckExact(value) || PyFloat_CheckExact(value))
        return put_number(w, value);
    if (PyUnicode_CheckExact(value))
        return put_string(w, value);
    if (PyList_CheckExact(value))
        return put_list(w, value, level);
    if (PyDict_CheckExact(value))
        return put_dict(w, value, level);
    return 0;
}

value_fit value_json(str *out, PyObject *value, uint64_t max_bytes)
{
    writer w = { out, out->len, max_bytes, 0 };
    if (put_value(&w, value, 0))
        return VALUE_IS_JSON;
    out->len = w.start;
    if (out->data)
        out->data[out->len] = '\0';
    return w.is_full ? VALUE_TOO_LARGE : VALUE_IS_NOT_JSON;
}
