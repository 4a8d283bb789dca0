#include "py/value/jsonvalue.h"
#include "py/core/stopping.h"

#include <snug/snug.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/jsontext.h"
#include "py/core/state.h"

/* ---- writing ---- */

static int fail(jsonvalue_writer *w, PyObject *error, const char *type_name, const char *fault)
{
    w->error = error;
    w->type_name = type_name;
    w->fault = fault;
    return -1;
}

static int put(jsonvalue_writer *w, const char *text, size_t len)
{
    if (len > w->most_bytes - w->out->len)
        return fail(w, PyExc_ValueError, NULL, "is too large");
    return str_append(w->out, text, len) ? fail(w, NULL, NULL, NULL) : 0;
}

static int put_characters(jsonvalue_writer *w, const char *text, size_t len)
{
    const char *end = text + len;

    while (text < end) {
        const char *plain = text;
        while (text < end && (unsigned char)*text >= ' ' && *text != '"' && *text != '\\')
            text++;
        if (put(w, plain, (size_t)(text - plain)))
            return -1;
        if (text == end)
            break;
        char escape[8];
        int n = *text == '"' || *text == '\\'
                    ? snprintf(escape, sizeof escape, "\\%c", *text)
                    : snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*text);
        if (put(w, escape, (size_t)n))
            return -1;
        text++;
    }

    return 0;
}

static int put_string(jsonvalue_writer *w, PyObject *text)
{
    Py_ssize_t len;

    if ((size_t)PyUnicode_GET_LENGTH(text) > w->most_bytes - w->out->len)
        return put(w, "", w->most_bytes + 1);
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &len);
    if (!utf8) {
        int is_memory = PyErr_ExceptionMatches(PyExc_MemoryError);
        PyErr_Clear();
        return is_memory ? fail(w, NULL, NULL, NULL)
                         : fail(w, PyExc_ValueError, NULL,
                                "has text with half a surrogate pair, "
                                "which is not JSON");
    }

    return put(w, "\"", 1) || put_characters(w, utf8, (size_t)len) || put(w, "\"", 1) ? -1 : 0;
}

static int put_integer(jsonvalue_writer *w, PyObject *value)
{
    char digits[32];
    int overflow;

    long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow)
        return put(w, digits, (size_t)snprintf(digits, sizeof digits, "%lld", small));

    /* The time to write it grows with the square of its length. */
    size_t most_bits = JSONTEXT_DIGITS * 10 / 3;
    if (_PyLong_NumBits(value) > most_bits)
        return fail(w, PyExc_ValueError, NULL, "has an integer of more than 4,300 digits");

    PyObject *text = PyLong_Type.tp_repr(value);
    Py_ssize_t len = 0;
    const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, &len) : NULL;
    int error = utf8 ? put(w, utf8, (size_t)len) : fail(w, NULL, NULL, NULL);
    PyErr_Clear();
    Py_XDECREF(text);
    return error;
}

static int put_float(jsonvalue_writer *w, PyObject *value)
{
    double number = PyFloat_AS_DOUBLE(value);
    if (!isfinite(number))
        return fail(w, PyExc_ValueError, NULL, "has nan or inf, which is not JSON");

    char *text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    int error = text ? put(w, text, strlen(text)) : fail(w, NULL, NULL, NULL);
    PyMem_Free(text);
    PyErr_Clear();
    return error;
}

static int put_value(jsonvalue_writer *w, PyObject *value, int level);

/* Of a list or a tuple. */
static int put_items(jsonvalue_writer *w, PyObject *items, int level)
{
    int error = put(w, "[", 1);
    for (Py_ssize_t i = 0; !error && i < PySequence_Fast_GET_SIZE(items); i++)
        error = (i > 0 && put(w, ", ", 2)) ||
                put_value(w, PySequence_Fast_GET_ITEM(items, i), level + 1);
    return error || put(w, "]", 1) ? -1 : 0;
}

static int put_dict(jsonvalue_writer *w, PyObject *dict, int level)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int error = put(w, "{", 1), first = 1;

    while (!error && PyDict_Next(dict, &at, &key, &value)) {
        if (!PyUnicode_Check(key))
            return fail(w, PyExc_TypeError, Py_TYPE(key)->tp_name,
                        "is not a key of a JSON object: it must be str");
        error = (!first && put(w, ", ", 2)) || put_string(w, key) || put(w, ": ", 2) ||
                put_value(w, value, level + 1);
        first = 0;
    }

    return error || put(w, "}", 1) ? -1 : 0;
}

static int put_value(jsonvalue_writer *w, PyObject *value, int level)
{
    if (level > JSONTEXT_LEVELS)
        return fail(w, PyExc_ValueError, NULL, "is nested deeper than 200 levels, or holds itself");
    if (value == Py_None)
        return put(w, "null", 4);
    if (PyBool_Check(value))
        return value == Py_True ? put(w, "true", 4) : put(w, "false", 5);
    if (PyLong_Check(value))
        return put_integer(w, value);
    if (PyFloat_Check(value))
        return put_float(w, value);
    if (PyUnicode_Check(value))
        return put_string(w, value);
    if (PyList_Check(value) || PyTuple_Check(value))
        return put_items(w, value, level);
    if (PyDict_Check(value))
        return put_dict(w, value, level);
    return fail(w, PyExc_TypeError, Py_TYPE(value)->tp_name, "has no JSON");
}

int jsonvalue_write(jsonvalue_writer *w, PyObject *value)
{
    /* One level for the object of the arguments. */
    return put_value(w, value, 2);
}

/* ---- reading ---- */

/* A container that is being filled. */
typedef struct holder {
    PyObject *container; /* owned */
    PyObject *key;       /* of the value to come; owned, or NULL */
} holder;

static PyObject *make_string(const jsontext_token *token)
{
    if (!token->has_escapes)
        return PyUnicode_DecodeUTF8(token->text, (Py_ssize_t)token->len, NULL);
    if (token->len > PY_SSIZE_T_MAX / sizeof(uint32_t))
        return PyErr_NoMemory();

    uint32_t *characters = PyMem_Malloc(token->len * sizeof *characters);
    if (!characters)
        return PyErr_NoMemory();

    size_t count = jsontext_unescape(characters, token);
    PyObject *text = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, characters, (Py_ssize_t)count);
    PyMem_Free(characters);
    return text;
}

/* The token is followed by another character or a NUL, but perhaps by more of a number
 * only as Python reads it ("1_000"): so it is copied. */
static PyObject *make_number(const jsontext_token *token)
{
    char *text = PyMem_Malloc(token->len + 1);
    if (!text)
        return PyErr_NoMemory();

    memcpy(text, token->text, token->len);
    text[token->len] = '\0';
    PyObject *number = NULL;
    if (token->kind == JSONTEXT_INTEGER) {
        number = PyLong_FromString(text, NULL, 10);
    } else {
        double value = PyOS_string_to_double(text, NULL, NULL);
        if (value != -1.0 || !PyErr_Occurred())
            number = PyFloat_FromDouble(value);
    }

    PyMem_Free(text);
    return number;
}

static PyObject *make_value(const jsontext_token *token)
{
    switch (token->kind) {
    case JSONTEXT_NULL:
        return Py_NewRef(Py_None);
    case JSONTEXT_FALSE:
        return Py_NewRef(Py_False);
    case JSONTEXT_TRUE:
        return Py_NewRef(Py_True);
    case JSONTEXT_INTEGER:
    case JSONTEXT_FLOAT:
        return make_number(token);
    case JSONTEXT_STRING:
    case JSONTEXT_KEY:
        return make_string(token);
    case JSONTEXT_LIST:
        return PyList_New(0);
    case JSONTEXT_OBJECT:
        return PyDict_New();
    case JSONTEXT_LIST_END:
    case JSONTEXT_OBJECT_END:
    case JSONTEXT_END:
    case JSONTEXT_FAULT:
        break;
    }
    return NULL;
}

/* Puts it where it belongs. */
static int hold(holder *into, PyObject *value)
{
    if (!into->key)
        return PyList_Append(into->container, value);
    int error = PyDict_SetItem(into->container, into->key, value);
    Py_CLEAR(into->key);
    return error;
}

static PyObject *fail_read(const jsontext *j)
{
    return PyErr_Format(PyExc_ValueError, "%s at byte %zu", j->fault ? j->fault : "no JSON",
                        j->at + 1);
}

enum { TOKENS_A_TURN = 1 << 16 };

/* A large answer takes a while: others get their turns of the GIL, and a stop is seen. */
static int breathe(void)
{
    interp *in = interp_current;
    Py_BEGIN_ALLOW_THREADS
    Py_END_ALLOW_THREADS
    return in ? interp_check_stop(in) : 0;
}

/* holders[0] is not a container: it has the whole value. */
static PyObject *read_all(jsontext *j, holder *holders)
{
    PyObject *whole = NULL;
    jsontext_token token;
    int level = 0;

    for (size_t count = 1;; count++) {
        jsontext_kind kind = jsontext_next(j, &token);
        if (kind == JSONTEXT_END)
            return whole;
        if (kind == JSONTEXT_FAULT) {
            Py_XDECREF(whole);
            return fail_read(j);
        }
        if (kind == JSONTEXT_LIST_END || kind == JSONTEXT_OBJECT_END) {
            Py_CLEAR(holders[level].container);
            level--;
            continue;
        }
        PyObject *value = make_value(&token);
        int error = !value || (count % TOKENS_A_TURN == 0 && breathe() != 0);
        if (!error && kind == JSONTEXT_KEY) {
            holders[level].key = value;
            continue;
        }
        if (!error && level > 0)
            error = hold(&holders[level], value);
        else if (!error)
            whole = Py_NewRef(value);
        if (!error && (kind == JSONTEXT_LIST || kind == JSONTEXT_OBJECT))
            holders[++level].container = Py_NewRef(value);
        Py_XDECREF(value);
        if (error) {
            Py_XDECREF(whole);
            return NULL;
        }
    }
}

PyObject *jsonvalue_read(const char *text, size_t len)
{
    jsontext j;
    holder holders[JSONTEXT_LEVELS + 1] = { { NULL, NULL } };

    jsontext_init(&j, text, len);
    PyObject *value = read_all(&j, holders);
    for (int i = 0; i <= JSONTEXT_LEVELS; i++) {
        Py_XDECREF(holders[i].container);
        Py_XDECREF(holders[i].key);
    }

    return value;
}
