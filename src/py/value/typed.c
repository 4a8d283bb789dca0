#include "py/value/typed.h"

#include <string.h>

#include "py/core/pytext.h"
#include "py/value/jsonvalue.h"

/* ---- reading ---- */

/* How Python calls the elements of an array, and how large they are. */
typedef struct array_kind {
    snug_type type;
    const char *format;
    size_t bytes;
} array_kind;

static const array_kind array_kinds[] = {
    { SNUG_TYPE_INTS, "q", sizeof(int64_t) },
    { SNUG_TYPE_DOUBLES, "d", sizeof(double) },
    { SNUG_TYPE_BOOLS, "?", 1 },
};

static const array_kind *kind_of(snug_type type)
{
    for (size_t i = 0; i < sizeof array_kinds / sizeof *array_kinds; i++)
        if (array_kinds[i].type == type)
            return &array_kinds[i];
    return NULL;
}

/* memoryview.cast refuses a view without elements. */
static PyObject *make_empty_view(const array_kind *kind)
{
    static char nothing[sizeof(double)];
    Py_ssize_t shape = 0, stride = (Py_ssize_t)kind->bytes;
    Py_buffer view = { .buf = nothing,
                       .readonly = 1,
                       .itemsize = stride,
                       .format = (char *)(uintptr_t)kind->format,
                       .ndim = 1,
                       .shape = &shape,
                       .strides = &stride };
    return PyMemoryView_FromBuffer(&view);
}

/* A view of bytes that nobody else has. */
static PyObject *read_array(const snug_value *value, const array_kind *kind)
{
    if (value->len == 0)
        return make_empty_view(kind);

    const size_t bytes = value->len * kind->bytes;
    PyObject *copy = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    if (!copy)
        return NULL;

    char *to = PyBytes_AS_STRING(copy);
    memcpy(to, value->data, bytes);
    for (size_t i = 0; value->type == SNUG_TYPE_BOOLS && i < bytes; i++)
        to[i] = to[i] != 0;

    PyObject *view = PyMemoryView_FromObject(copy), *cast = NULL;
    Py_DECREF(copy);
    if (view)
        cast = PyObject_CallMethod(view, "cast", "s", kind->format);
    Py_XDECREF(view);
    return cast;
}

static PyObject *read_integer(int64_t integer, snug_type wanted)
{
    if (wanted == SNUG_TYPE_DOUBLE)
        return PyFloat_FromDouble((double)integer);
    return PyLong_FromLongLong(integer);
}

static PyObject *read_data(snug_type type, const char *data, size_t len)
{
    const char *at = len > 0 ? data : "";

    if (type == SNUG_TYPE_TEXT)
        return PyUnicode_DecodeUTF8(at, (Py_ssize_t)len, NULL);
    if (type == SNUG_TYPE_BYTES)
        return PyBytes_FromStringAndSize(at, (Py_ssize_t)len);
    return jsonvalue_read(at, len);
}

PyObject *typed_read(const snug_value *value, snug_type wanted)
{
    switch (value->type) {
    case SNUG_TYPE_INT:
        return read_integer(value->integer, wanted);
    case SNUG_TYPE_DOUBLE:
        return PyFloat_FromDouble(value->number);
    case SNUG_TYPE_BOOL:
        return PyBool_FromLong(value->integer != 0);
    case SNUG_TYPE_TEXT:
    case SNUG_TYPE_BYTES:
    case SNUG_TYPE_JSON:
        return read_data(value->type, value->data, value->len);
    case SNUG_TYPE_INTS:
    case SNUG_TYPE_DOUBLES:
    case SNUG_TYPE_BOOLS:
        return read_array(value, kind_of(value->type));
    case SNUG_TYPE_ANY:
    case SNUG_TYPE_NONE:
        break;
    }

    return Py_NewRef(Py_None);
}

PyObject *typed_read_row(const snug_column *column, uint64_t row, snug_type wanted)
{
    if (column->missing && column->missing[row])
        return Py_NewRef(Py_None);
    if (column->type == SNUG_TYPE_DOUBLE)
        return PyFloat_FromDouble(((const double *)column->data)[row]);
    if (column->type == SNUG_TYPE_INT)
        return read_integer(((const int64_t *)column->data)[row], wanted);
    if (column->type == SNUG_TYPE_BOOL)
        return PyBool_FromLong(((const uint8_t *)column->data)[row] != 0);

    const uint64_t begin = row > 0 ? column->ends[row - 1] : 0;
    const size_t len = (size_t)(column->ends[row] - begin);
    return read_data(column->type, len > 0 ? (const char *)column->data + begin : "", len);
}

/* ---- writing ---- */

static const char *const words[] = {
    [SNUG_TYPE_INT] = "an int",
    [SNUG_TYPE_DOUBLE] = "a number",
    [SNUG_TYPE_BOOL] = "True or False",
    [SNUG_TYPE_TEXT] = "a str",
    [SNUG_TYPE_BYTES] = "bytes",
    [SNUG_TYPE_JSON] = "JSON",
    [SNUG_TYPE_INTS] = "an array of int",
    [SNUG_TYPE_DOUBLES] = "an array of float",
    [SNUG_TYPE_BOOLS] = "an array of bool",
};

static int refuse(PyObject *object, snug_type wanted)
{
    PyErr_Format(PyExc_TypeError, "the program's value is %.100s, and its output is %s",
                 Py_TYPE(object)->tp_name, words[wanted]);
    return -1;
}

static int refuse_size(void)
{
    PyErr_SetString(PyExc_ValueError, "the program's value is larger than the session's memory");
    return -1;
}

static int append(str *data, const void *bytes, size_t len, uint64_t most_bytes)
{
    if (len > most_bytes || data->len > most_bytes - len)
        return refuse_size();
    if (str_append(data, bytes, len) == SNUG_OK)
        return 0;
    PyErr_NoMemory();
    return -1;
}

static int write_integer(int64_t *out, PyObject *object, snug_type wanted)
{
    int overflow;
    PyObject *integer;

    if (PyLong_Check(object))
        integer = Py_NewRef(object);
    else if (PyIndex_Check(object))
        integer = PyNumber_Index(object);
    else
        return refuse(object, wanted);
    if (!integer)
        return -1;

    *out = PyLong_AsLongLongAndOverflow(integer, &overflow);
    Py_DECREF(integer);
    if (!overflow)
        return 0;
    PyErr_SetString(PyExc_OverflowError,
                    "the program's value is an int of more than 64 bits: str() makes it a text");
    return -1;
}

/* What is not a number has neither method. */
static int write_number(double *out, PyObject *object, snug_type wanted)
{
    const PyNumberMethods *methods = Py_TYPE(object)->tp_as_number;

    if (PyFloat_CheckExact(object)) {
        *out = PyFloat_AS_DOUBLE(object);
        return 0;
    }

    if (!methods || !(methods->nb_float || methods->nb_index))
        return refuse(object, wanted);
    *out = PyFloat_AsDouble(object);
    return *out == -1.0 && PyErr_Occurred() ? -1 : 0;
}

static int write_truth(int64_t *out, PyObject *object, snug_type wanted)
{
    if (!PyBool_Check(object))
        return refuse(object, wanted);
    *out = object == Py_True;
    return 0;
}

static int write_text(str *data, PyObject *object, uint64_t most_bytes)
{
    Py_ssize_t len;

    if (!PyUnicode_Check(object))
        return refuse(object, SNUG_TYPE_TEXT);
    const char *text = PyUnicode_AsUTF8AndSize(object, &len);
    if (!text)
        return -1;
    return append(data, text, (size_t)len, most_bytes);
}

static int write_bytes(str *data, PyObject *object, uint64_t most_bytes)
{
    Py_buffer view;

    if (!PyObject_CheckBuffer(object))
        return refuse(object, SNUG_TYPE_BYTES);
    if (PyObject_GetBuffer(object, &view, PyBUF_C_CONTIGUOUS) != 0)
        return -1;
    int failed = append(data, view.buf, (size_t)view.len, most_bytes);
    PyBuffer_Release(&view);
    return failed;
}

static int write_json(str *data, PyObject *object, uint64_t most_bytes)
{
    const size_t room = most_bytes < SIZE_MAX ? (size_t)most_bytes : SIZE_MAX;
    jsonvalue_writer w = { .out = data, .most_bytes = room };

    if (jsonvalue_write(&w, object) == 0)
        return 0;
    if (!w.error)
        PyErr_NoMemory();
    else
        PyErr_Format(w.error, "the program's value cannot be JSON: %.100s%s%s",
                     w.type_name ? w.type_name : "", w.type_name ? " " : "", w.fault);
    return -1;
}

static int is_format(const Py_buffer *view, const array_kind *kind)
{
    if (!view->format || view->ndim != 1 || view->itemsize != (Py_ssize_t)kind->bytes)
        return 0;
    const char *format = view->format + (*view->format == '@' || *view->format == '=');
    if (strcmp(format, kind->format) == 0)
        return 1;
    return kind->type == SNUG_TYPE_INTS && strcmp(format, "l") == 0;
}

/* The elements as they lie in memory. 1; 0: it has no such buffer; -1 with an exception. */
static int write_buffer(size_t *count, str *data, PyObject *object, const array_kind *kind,
                        uint64_t most_bytes)
{
    Py_buffer view;

    if (!PyObject_CheckBuffer(object))
        return 0;
    if (PyObject_GetBuffer(object, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
        PyErr_Clear();
        return 0;
    }

    int answer = is_format(&view, kind);
    if (answer && append(data, view.buf, (size_t)view.len, most_bytes) != 0)
        answer = -1;
    *count = (size_t)view.len / kind->bytes;
    PyBuffer_Release(&view);
    return answer;
}

static int write_element(str *data, PyObject *object, const array_kind *kind, uint64_t most_bytes)
{
    int64_t integer = 0;
    double number;

    if (kind->type == SNUG_TYPE_DOUBLES)
        return write_number(&number, object, SNUG_TYPE_DOUBLES) ||
               append(data, &number, sizeof number, most_bytes);
    if (kind->type == SNUG_TYPE_INTS)
        return write_integer(&integer, object, SNUG_TYPE_INTS) ||
               append(data, &integer, sizeof integer, most_bytes);
    if (write_truth(&integer, object, SNUG_TYPE_BOOLS) != 0)
        return -1;
    return append(data, integer ? "\1" : "\0", 1, most_bytes);
}

/* The methods of an element may change the list meanwhile: so its length is asked each time, and
 * the element held. */
static int write_sequence(size_t *count, str *data, PyObject *object, const array_kind *kind,
                          uint64_t most_bytes)
{
    if (PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object) ||
        PyDict_Check(object) || !(Py_TYPE(object)->tp_iter || PySequence_Check(object)))
        return refuse(object, kind->type);

    PyObject *items = PySequence_Fast(object, "");
    int failed = !items;
    Py_ssize_t i = 0;
    for (; !failed && i < PySequence_Fast_GET_SIZE(items); i++) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(items, i));
        failed = write_element(data, item, kind, most_bytes) != 0;
        Py_DECREF(item);
    }

    *count = (size_t)i;
    Py_XDECREF(items);
    return failed ? -1 : 0;
}

static int write_array(size_t *count, str *data, PyObject *object, snug_type wanted,
                       uint64_t most_bytes)
{
    const array_kind *kind = kind_of(wanted);
    int answer = write_buffer(count, data, object, kind, most_bytes);
    if (answer)
        return answer > 0 ? 0 : -1;
    return write_sequence(count, data, object, kind, most_bytes);
}

/* The type that the value has; an array only where its elements lie as one. */
static snug_type find_type(PyObject *object)
{
    Py_buffer view;
    snug_type found = SNUG_TYPE_JSON;
    int overflow = 0;

    if (PyBool_Check(object))
        return SNUG_TYPE_BOOL;
    if (PyLong_Check(object)) {
        (void)PyLong_AsLongLongAndOverflow(object, &overflow);
        return overflow ? SNUG_TYPE_JSON : SNUG_TYPE_INT;
    }
    if (PyFloat_Check(object))
        return SNUG_TYPE_DOUBLE;
    if (PyUnicode_Check(object))
        return SNUG_TYPE_TEXT;
    if (PyBytes_Check(object) || PyByteArray_Check(object))
        return SNUG_TYPE_BYTES;
    if (!PyObject_CheckBuffer(object) ||
        PyObject_GetBuffer(object, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
        PyErr_Clear();
        return found;
    }

    for (size_t i = 0; i < sizeof array_kinds / sizeof *array_kinds; i++)
        if (is_format(&view, &array_kinds[i]))
            found = array_kinds[i].type;
    if (found == SNUG_TYPE_JSON && view.itemsize == 1)
        found = SNUG_TYPE_BYTES;
    PyBuffer_Release(&view);
    return found;
}

int typed_write(snug_value *out, str *data, PyObject *object, snug_type wanted, uint64_t most_bytes)
{
    int failed = 0;

    *out = (snug_value){ .type = SNUG_TYPE_NONE };
    if (object == Py_None)
        return 0;

    const snug_type type = wanted == SNUG_TYPE_ANY ? find_type(object) : wanted;
    switch (type) {
    case SNUG_TYPE_INT:
        failed = write_integer(&out->integer, object, type);
        break;
    case SNUG_TYPE_DOUBLE:
        failed = write_number(&out->number, object, type);
        break;
    case SNUG_TYPE_BOOL:
        failed = write_truth(&out->integer, object, type);
        break;
    case SNUG_TYPE_TEXT:
        failed = write_text(data, object, most_bytes);
        break;
    case SNUG_TYPE_BYTES:
        failed = write_bytes(data, object, most_bytes);
        break;
    case SNUG_TYPE_JSON:
        failed = write_json(data, object, most_bytes);
        break;
    case SNUG_TYPE_INTS:
    case SNUG_TYPE_DOUBLES:
    case SNUG_TYPE_BOOLS:
        failed = write_array(&out->len, data, object, type, most_bytes);
        break;
    case SNUG_TYPE_ANY:
    case SNUG_TYPE_NONE:
        return 0; /* of an output that is always None */
    }

    if (failed)
        return -1;
    out->type = type;
    if (!kind_of(type))
        out->len = data->len;
    return 0;
}

/* ---- columns ---- */

static int has_ends(snug_type type)
{
    return type == SNUG_TYPE_TEXT || type == SNUG_TYPE_BYTES || type == SNUG_TYPE_JSON;
}

/* The rows before the first that is missing are not: until then there is no list of them. */
static int note_missing(program_column *out, int is_missing, uint64_t most_bytes)
{
    static const char none[256];

    if (!is_missing && out->missing.len == 0)
        return 0;
    while (out->missing.len < out->rows) {
        uint64_t left = out->rows - out->missing.len;
        size_t step = left < sizeof none ? (size_t)left : sizeof none;
        if (append(&out->missing, none, step, most_bytes) != 0)
            return -1;
    }

    return append(&out->missing, is_missing ? "\1" : "\0", 1, most_bytes);
}

static int write_fixed(program_column *out, PyObject *object, uint64_t most_bytes)
{
    int64_t integer = 0;
    double number = 0;
    int failed = 0;

    if (out->type == SNUG_TYPE_DOUBLE) {
        if (object != Py_None)
            failed = write_number(&number, object, out->type);
        return failed || append(&out->data, &number, sizeof number, most_bytes);
    }

    if (object != Py_None && out->type == SNUG_TYPE_INT)
        failed = write_integer(&integer, object, out->type);
    else if (object != Py_None)
        failed = write_truth(&integer, object, out->type);
    if (failed)
        return -1;
    if (out->type == SNUG_TYPE_INT)
        return append(&out->data, &integer, sizeof integer, most_bytes);
    return append(&out->data, integer ? "\1" : "\0", 1, most_bytes);
}

static int write_varying(program_column *out, PyObject *object, uint64_t most_bytes)
{
    int failed = 0;

    if (object != Py_None && out->type == SNUG_TYPE_TEXT)
        failed = write_text(&out->data, object, most_bytes);
    else if (object != Py_None && out->type == SNUG_TYPE_BYTES)
        failed = write_bytes(&out->data, object, most_bytes);
    else if (object != Py_None)
        failed = write_json(&out->data, object, most_bytes);
    if (failed)
        return -1;

    const uint64_t end = out->data.len;
    return append(&out->ends, &end, sizeof end, most_bytes);
}

/* What has been written of the row that failed. */
static void forget_row(program_column *out, size_t data_bytes)
{
    out->data.len = data_bytes;
    if (has_ends(out->type))
        out->ends.len = (size_t)out->rows * sizeof(uint64_t);
    if (out->missing.len > out->rows)
        out->missing.len = (size_t)out->rows;
}

int typed_write_row(program_column *out, PyObject *object, uint64_t most_bytes)
{
    const size_t before = out->data.len;
    int failed;

    if (has_ends(out->type))
        failed = write_varying(out, object, most_bytes);
    else
        failed = write_fixed(out, object, most_bytes);
    if (!failed)
        failed = note_missing(out, object == Py_None, most_bytes);
    if (failed) {
        forget_row(out, before);
        return -1;
    }

    out->rows++;
    return 0;
}
