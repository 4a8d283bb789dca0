#include "py/value.h"

#include <math.h>
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

/* ---- JSON ---------------------------------------------------------------- */

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
