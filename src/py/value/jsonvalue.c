#include "py/value/jsonvalue.h"

#include <snug/snug.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/jsontext.h"
#include "py/core/state.h"
#include "py/core/stopping.h"

/* ---- writing ---- */

static int fail_write(jsonvalue_writer *w, PyObject *error, const char *type_name,
                      const char *fault)
{
    w->error = error;
    w->type_name = type_name;
    w->fault = fault;
    return -1;
}

static int fail_memory(jsonvalue_writer *w)
{
    return fail_write(w, NULL, NULL, NULL);
}

static int write_bytes(jsonvalue_writer *w, const char *text, size_t len)
{
    if (len > w->most_bytes - w->out->len)
        return fail_write(w, PyExc_ValueError, NULL, "is too large");
    if (str_append(w->out, text, len))
        return fail_memory(w);
    return 0;
}

size_t jsonvalue_escape(char out[JSONVALUE_ESCAPE_BYTES], char c)
{
    if (c == '"' || c == '\\')
        return (size_t)snprintf(out, JSONVALUE_ESCAPE_BYTES, "\\%c", c);
    return (size_t)snprintf(out, JSONVALUE_ESCAPE_BYTES, "\\u%04x", (unsigned)(unsigned char)c);
}

static int write_escape(jsonvalue_writer *w, char c)
{
    char escape[JSONVALUE_ESCAPE_BYTES];
    return write_bytes(w, escape, jsonvalue_escape(escape, c));
}

static int write_characters(jsonvalue_writer *w, const char *text, size_t len)
{
    const char *end = text + len;

    while (text < end) {
        const char *plain = text;
        while (text < end && !jsonvalue_is_escaped(*text))
            text++;
        if (write_bytes(w, plain, (size_t)(text - plain)))
            return -1;
        if (text < end && write_escape(w, *text++))
            return -1;
    }

    return 0;
}

static int write_string(jsonvalue_writer *w, PyObject *text)
{
    Py_ssize_t len;

    if ((size_t)PyUnicode_GET_LENGTH(text) > w->most_bytes - w->out->len)
        return write_bytes(w, "", w->most_bytes + 1);
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &len);
    if (!utf8) {
        int is_memory = PyErr_ExceptionMatches(PyExc_MemoryError);
        PyErr_Clear();
        if (is_memory)
            return fail_memory(w);
        return fail_write(w, PyExc_ValueError, NULL,
                          "has text with half a surrogate pair, which is not JSON");
    }

    if (write_bytes(w, "\"", 1) || write_characters(w, utf8, (size_t)len))
        return -1;
    return write_bytes(w, "\"", 1);
}

static int write_integer(jsonvalue_writer *w, PyObject *value)
{
    char digits[32];
    int overflow;

    long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow)
        return write_bytes(w, digits, (size_t)snprintf(digits, sizeof digits, "%lld", small));

    /* The time to write it grows with the square of its length. */
    size_t most_bits = JSONTEXT_DIGITS * 10 / 3;
    if ((size_t)_PyLong_NumBits(value) > most_bits)
        return fail_write(w, PyExc_ValueError, NULL, "has an integer of more than 4,300 digits");

    PyObject *text = PyLong_Type.tp_repr(value);
    Py_ssize_t len = 0;
    const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text, &len) : NULL;
    int error = utf8 ? write_bytes(w, utf8, (size_t)len) : fail_memory(w);
    PyErr_Clear();
    Py_XDECREF(text);
    return error;
}

static int write_float(jsonvalue_writer *w, PyObject *value)
{
    double number = PyFloat_AS_DOUBLE(value);
    if (!isfinite(number))
        return fail_write(w, PyExc_ValueError, NULL, "has nan or inf, which is not JSON");

    char *text = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    int error = text ? write_bytes(w, text, strlen(text)) : fail_memory(w);
    PyMem_Free(text);
    PyErr_Clear();
    return error;
}

static int write_value(jsonvalue_writer *w, PyObject *value, int level);

/* Of a list or a tuple. */
static int write_items(jsonvalue_writer *w, PyObject *items, int level)
{
    if (write_bytes(w, "[", 1))
        return -1;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++) {
        if (i > 0 && write_bytes(w, ", ", 2))
            return -1;
        if (write_value(w, PySequence_Fast_GET_ITEM(items, i), level + 1))
            return -1;
    }

    return write_bytes(w, "]", 1);
}

static int write_dict(jsonvalue_writer *w, PyObject *dict, int level)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int count = 0;

    if (write_bytes(w, "{", 1))
        return -1;
    while (PyDict_Next(dict, &at, &key, &value)) {
        if (!PyUnicode_Check(key))
            return fail_write(w, PyExc_TypeError, Py_TYPE(key)->tp_name,
                              "is not a key of a JSON object: it must be str");
        if (count++ > 0 && write_bytes(w, ", ", 2))
            return -1;
        if (write_string(w, key) || write_bytes(w, ": ", 2) || write_value(w, value, level + 1))
            return -1;
    }

    return write_bytes(w, "}", 1);
}

static int write_value(jsonvalue_writer *w, PyObject *value, int level)
{
    if (level > JSONTEXT_LEVELS)
        return fail_write(w, PyExc_ValueError, NULL,
                          "is nested deeper than 200 levels, or holds itself");

    if (value == Py_None)
        return write_bytes(w, "null", 4);
    if (PyBool_Check(value))
        return value == Py_True ? write_bytes(w, "true", 4) : write_bytes(w, "false", 5);
    if (PyLong_Check(value))
        return write_integer(w, value);
    if (PyFloat_Check(value))
        return write_float(w, value);
    if (PyUnicode_Check(value))
        return write_string(w, value);
    if (PyList_Check(value) || PyTuple_Check(value))
        return write_items(w, value, level);
    if (PyDict_Check(value))
        return write_dict(w, value, level);
    return fail_write(w, PyExc_TypeError, Py_TYPE(value)->tp_name, "has no JSON");
}

int jsonvalue_write(jsonvalue_writer *w, PyObject *value)
{
    /* One level for the object of the arguments. */
    return write_value(w, value, 2);
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
static int hold_item(holder *into, PyObject *value)
{
    if (!into->key)
        return PyList_Append(into->container, value);
    int error = PyDict_SetItem(into->container, into->key, value);
    Py_CLEAR(into->key);
    return error;
}

static void fail_read(const jsontext *j)
{
    const char *fault = j->fault ? j->fault : "no JSON";
    PyErr_Format(PyExc_ValueError, "%s at byte %zu", fault, j->at + 1);
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
static PyObject *read_tokens(jsontext *j, holder *holders)
{
    PyObject *whole = NULL;
    jsontext_token token;
    int level = 0;

    for (size_t count = 1;; count++) {
        jsontext_kind kind = jsontext_next(j, &token);
        if (kind == JSONTEXT_END)
            return whole;
        if (kind == JSONTEXT_FAULT) {
            fail_read(j);
            goto fail;
        }
        if (kind == JSONTEXT_LIST_END || kind == JSONTEXT_OBJECT_END) {
            Py_CLEAR(holders[level].container);
            level--;
            continue;
        }
        PyObject *value = make_value(&token);
        if (!value || (count % TOKENS_A_TURN == 0 && breathe() != 0)) {
            Py_XDECREF(value);
            goto fail;
        }
        if (kind == JSONTEXT_KEY) {
            holders[level].key = value;
            continue;
        }

        int error = 0;
        if (level > 0)
            error = hold_item(&holders[level], value);
        else
            whole = Py_NewRef(value);
        if (!error && (kind == JSONTEXT_LIST || kind == JSONTEXT_OBJECT))
            holders[++level].container = Py_NewRef(value);
        Py_DECREF(value);
        if (error)
            goto fail;
    }

fail:
    Py_XDECREF(whole);
    return NULL;
}

PyObject *jsonvalue_read(const char *text, size_t len)
{
    jsontext j;
    holder holders[JSONTEXT_LEVELS + 1] = { { NULL, NULL } };

    jsontext_init(&j, text, len);
    PyObject *value = read_tokens(&j, holders);
    for (int i = 0; i <= JSONTEXT_LEVELS; i++) {
        Py_XDECREF(holders[i].container);
        Py_XDECREF(holders[i].key);
    }

    return value;
}
