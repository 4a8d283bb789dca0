#include "py/show.h"

#include <limits.h>

#include "base/base64.h"
#include "py/gate.h"
#include "py/value.h"

/* ---- text --------------------------------------------------------------------- */

/* More items than this do not fit a line anyway. */
enum { LINE_CHARS = 79, LINE_ITEMS = 40 };

static int is_atom(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyFloat_Type ||
           type == &PyBool_Type || value == Py_None || type == &PyBytes_Type ||
           type == &PyComplex_Type || value == Py_Ellipsis || type == &PyRange_Type ||
           type == &PySlice_Type || type == &PyByteArray_Type;
}

/* Whether the repr of value is what a notebook shows, if it fits a line; counts its items
 * down. */
static int is_plain(PyObject *value, int *items_left)
{
    if (is_atom(value))
        return 1;
    if (--*items_left < 0)
        return 0;
    PyObject *key, *item;
    Py_ssize_t position = 0;
    int is_list = PyList_CheckExact(value), answer = 1;
    if (is_list || PyTuple_CheckExact(value)) {
        Py_ssize_t len = is_list ? PyList_GET_SIZE(value) : PyTuple_GET_SIZE(value);
        for (Py_ssize_t i = 0; answer && i < len && --*items_left >= 0; i++)
            answer = is_plain(is_list ? PyList_GET_ITEM(value, i) : PyTuple_GET_ITEM(value, i),
                              items_left);
        return answer && *items_left >= 0;
    }
    if (!PyDict_CheckExact(value))
        return 0;
    while (answer && PyDict_Next(value, &position, &key, &item) && --*items_left >= 0)
        answer = is_plain(key, items_left) && is_plain(item, items_left);
    return answer && *items_left >= 0;
}

/* A function of a frozen module, kept in *place. Borrowed. */
static PyObject *frozen_function(PyObject **place, interp *in, const char *module, const char *name)
{
    if (!*place) {
        PyObject *loaded = gate_load(in, module);
        *place = loaded ? PyObject_GetAttrString(loaded, name) : NULL;
        Py_XDECREF(loaded);
    }
    return *place;
}

/* So much of a large value is put together that its clipped text says how much is missing. */
enum { TIMES_SHOWN = 8 };

static PyObject *pretty(interp *in, PyObject *value, uint64_t max_bytes)
{
    PyObject *function = frozen_function(&in->pretty, in, "_snug_pretty", "pretty");
    uint64_t most = max_bytes < INT_MAX / TIMES_SHOWN ? max_bytes * TIMES_SHOWN : INT_MAX;
    PyObject *text = function ? PyObject_CallFunction(function, "OK", value, most) : NULL;
    if (text && !PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "the text of the value is no str");
        Py_CLEAR(text);
    }
    return text;
}

int show_text(str *out, interp *in, PyObject *value, uint64_t max_bytes)
{
    int items_left = LINE_ITEMS;
    PyObject *text = NULL;
    if (is_plain(value, &items_left)) {
        text = PyObject_Repr(value);
        if (!text)
            return -1;
        if (PyUnicode_GET_LENGTH(text) > LINE_CHARS && items_left < LINE_ITEMS)
            Py_CLEAR(text);
    }
    if (!text && !(text = pretty(in, value, max_bytes)))
        return -1;
    int error = value_utf8(out, text, max_bytes);
    Py_DECREF(text);
    return error;
}

/* ---- MIME bundles ---------------------------------------------------------------- */

static int add_data(display_part *part, PyObject *data, uint64_t max_bytes)
{
    if (part->is_json) {
        if (value_json(&part->data, data, max_bytes))
            return 0;
        PyErr_Format(PyExc_TypeError, "display data of type %s is no JSON, or too large",
                     str_text(&part->type));
        return -1;
    }
    if (PyUnicode_Check(data))
        return value_utf8(&part->data, data, UINT64_MAX);
    if (PyBytes_Check(data)) {
        if (base64_append(&part->data, PyBytes_AS_STRING(data), (size_t)PyBytes_GET_SIZE(data)))
            PyErr_NoMemory();
        return PyErr_Occurred() ? -1 : 0;
    }
    PyErr_Format(PyExc_TypeError, "display data of type %s is str or bytes, not %.100s",
                 str_text(&part->type), Py_TYPE(data)->tp_name);
    return -1;
}

enum { MOST_PARTS = 32 };

static int add_part(display *d, PyObject *item, uint64_t max_bytes)
{
    const char *type;
    PyObject *data;
    int is_json;
    if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "sOp", &type, &data, &is_json))
        return -1;
    display_part *part = display_add(d, type);
    if (!part) {
        PyErr_NoMemory();
        return -1;
    }
    part->is_json = is_json;
    return add_data(part, data, max_bytes);
}

static int add_metadata(display *d, PyObject *metadata, uint64_t max_bytes)
{
    if (!PyDict_Check(metadata) || PyDict_GET_SIZE(metadata) == 0)
        return 0;
    if (value_json(&d->metadata, metadata, max_bytes))
        return 0;
    PyErr_SetString(PyExc_TypeError, "the metadata of a display is no JSON");
    return -1;
}

/* A tuple, so that no part goes while it is read: the truth of its last item is the guest's to
 * tell. */
static PyObject *parts_of(PyObject *list)
{
    if (PyList_Check(list) && PyList_GET_SIZE(list) <= MOST_PARTS)
        return PyList_AsTuple(list);
    return PyErr_Format(PyExc_ValueError, "a display is a list of at most %d parts", MOST_PARTS);
}

display *show_bundle(PyObject *list, PyObject *metadata, uint64_t max_bytes)
{
    PyObject *parts = parts_of(list);
    display *d = parts ? display_new() : NULL;
    int failed = !d;
    if (parts && !d)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(parts); i++)
        failed = add_part(d, PyTuple_GET_ITEM(parts, i), max_bytes);
    Py_XDECREF(parts);
    if (!failed)
        failed = add_metadata(d, metadata, max_bytes);
    if (failed) {
        display_drop(d);
        return NULL;
    }
    return d;
}

/* Most values are of a built-in type, which has no such methods; nor has a class of the
 * guest's that defines none of them and no way to make names up. */
static int may_be_rich(PyObject *value)
{
    static const char *const methods[] = {
        "_repr_html_", "_repr_mimebundle_", "_repr_markdown_",   "_repr_svg_",
        "_repr_png_",  "_repr_latex_",      "_repr_json_",       "_ipython_display_",
        "_repr_jpeg_", "_repr_pdf_",        "_repr_javascript_",
    };
    PyTypeObject *type = Py_TYPE(value);
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || PyType_Check(value))
        return 0;
    if (type->tp_getattro != PyObject_GenericGetAttr)
        return 1;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        PyObject *name = PyUnicode_InternFromString(methods[i]);
        int has = name && _PyType_Lookup(type, name) != NULL;
        Py_XDECREF(name);
        if (has)
            return 1;
    }
    PyErr_Clear();
    return 0;
}

int show_rich(display **out, int *is_shown, interp *in, PyObject *value)
{
    *out = NULL;
    *is_shown = 0;
    if (!may_be_rich(value))
        return 0;
    PyObject *parts, *metadata;
    PyObject *function = frozen_function(&in->rich, in, "_snug_display", "main_result");
    PyObject *answer = function ? PyObject_CallOneArg(function, value) : NULL;
    int failed = !answer;
    if (answer == Py_None)
        *is_shown = 1;
    else if (answer) {
        failed = !PyTuple_Check(answer) || !PyArg_ParseTuple(answer, "OO", &parts, &metadata);
        if (!failed && PyList_Check(parts) && PyList_GET_SIZE(parts) > 0)
            failed =
                !(*out = show_bundle(parts, metadata, in->options.output->displays.limit_bytes));
    }
    Py_XDECREF(answer);
    return failed ? -1 : 0;
}
