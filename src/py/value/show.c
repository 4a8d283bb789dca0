#include "py/value/show.h"

#include <limits.h>
#include <string.h>

#include "base/base64.h"
#include "base/jsontext.h"
#include "py/core/fixed.h"
#include "py/core/valuetext.h"
#include "py/guard/gate.h"
#include "py/value/value.h"

/* ---- text ---- */

/* More items than this do not fit a line anyway. */
enum { LINE_CHARS = 79, LINE_ITEMS = 40 };

static int is_short_repr(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyFloat_Type ||
           type == &PyBool_Type || value == Py_None || type == &PyBytes_Type ||
           type == &PyComplex_Type || value == Py_Ellipsis || type == &PyRange_Type ||
           type == &PySlice_Type || type == &PyByteArray_Type;
}

static int has_plain_repr(PyObject *value, int *items_left);

/* Of a list or a tuple. */
static int are_items_plain(PyObject *items, int *items_left)
{
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++)
        if (--*items_left < 0 || !has_plain_repr(PySequence_Fast_GET_ITEM(items, i), items_left))
            return 0;
    return *items_left >= 0;
}

static int is_dict_plain(PyObject *dict, int *items_left)
{
    PyObject *key, *item;
    Py_ssize_t at = 0;

    while (PyDict_Next(dict, &at, &key, &item))
        if (--*items_left < 0 || !has_plain_repr(key, items_left) ||
            !has_plain_repr(item, items_left))
            return 0;
    return *items_left >= 0;
}

/* Whether the repr of value is what a notebook shows, if it fits a line; counts its items
 * down. */
static int has_plain_repr(PyObject *value, int *items_left)
{
    if (is_short_repr(value))
        return 1;
    if (--*items_left < 0)
        return 0;

    if (PyList_CheckExact(value) || PyTuple_CheckExact(value))
        return are_items_plain(value, items_left);
    return PyDict_CheckExact(value) && is_dict_plain(value, items_left);
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

static PyObject *pretty_text(interp *in, PyObject *value, uint64_t max_bytes)
{
    PyObject *function = frozen_function(&in->pretty, in, "_snug_pretty", "pretty");
    uint64_t most = max_bytes < INT_MAX / TIMES_SHOWN ? max_bytes * TIMES_SHOWN : INT_MAX;
    PyObject *text = function ? PyObject_CallFunction(function, "OK", value, most) : NULL;

    if (text && !PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "the text of the value is not a str");
        Py_CLEAR(text);
    }
    return text;
}

int show_text(str *out, interp *in, PyObject *value, uint64_t max_bytes)
{
    int items_left = LINE_ITEMS;
    PyObject *text = NULL;

    if (has_plain_repr(value, &items_left)) {
        text = PyObject_Repr(value);
        if (!text)
            return -1;
        if (PyUnicode_GET_LENGTH(text) > LINE_CHARS && items_left < LINE_ITEMS)
            Py_CLEAR(text);
    }

    if (!text && !(text = pretty_text(in, value, max_bytes)))
        return -1;
    int error = value_utf8(out, text, max_bytes);
    Py_DECREF(text);
    return error;
}

/* ---- MIME bundles ---- */

/* What the display may still count. Once it is over, nothing more is copied. */
typedef struct account {
    uint64_t max_bytes, bytes;
} account;

static int count_bytes(account *a, uint64_t bytes)
{
    a->bytes += bytes;
    return a->bytes <= a->max_bytes;
}

static uint64_t room_of(const account *a)
{
    return a->bytes < a->max_bytes ? a->max_bytes - a->bytes : 0;
}

/* 0, or -1 with the exception of what has failed for want of memory. */
static int raise_no_memory(int error)
{
    if (!error)
        return 0;
    PyErr_NoMemory();
    return -1;
}

static int add_part_json(str *out, PyObject *value, account *a, const char *what, const char *of)
{
    uint64_t room = room_of(a);

    switch (value_json(out, value, room)) {
    case VALUE_IS_JSON:
        count_bytes(a, out->len);
        return 0;
    case VALUE_TOO_LARGE:
        count_bytes(a, room + 1);
        return 0;
    case VALUE_IS_NOT_JSON:
        break;
    }

    PyErr_Format(PyExc_TypeError, "%s%s is not JSON", what, of);
    return -1;
}

static int add_part_text(str *out, PyObject *text, account *a)
{
    size_t len;
    PyObject *holder;

    /* Each character has a byte at least: one that is over already is not encoded. */
    if ((uint64_t)PyUnicode_GET_LENGTH(text) > room_of(a)) {
        count_bytes(a, (uint64_t)PyUnicode_GET_LENGTH(text));
        return 0;
    }

    const char *utf8 = value_text(&holder, &len, text);
    int failed = !utf8;
    if (utf8 && count_bytes(a, jsontext_quoted_bytes(utf8, len)))
        failed = raise_no_memory(str_append(out, utf8, len));
    Py_XDECREF(holder);
    return failed ? -1 : 0;
}

static int add_part_data(display_part *part, PyObject *data, account *a)
{
    if (part->is_json)
        return add_part_json(&part->data, data, a, "display data of type ", str_text(&part->type));
    if (PyUnicode_Check(data))
        return add_part_text(&part->data, data, a);
    if (PyBytes_Check(data)) {
        size_t len = (size_t)PyBytes_GET_SIZE(data);
        if (!count_bytes(a, (len + 2) / 3 * 4))
            return 0;
        return raise_no_memory(base64_append(&part->data, PyBytes_AS_STRING(data), len));
    }

    PyErr_Format(PyExc_TypeError, "display data of type %s is str or bytes, not %.100s",
                 str_text(&part->type), Py_TYPE(data)->tp_name);
    return -1;
}

enum { MOST_PARTS = 32 };

static int add_display_part(display *d, PyObject *item, account *a)
{
    const char *type;
    PyObject *data;
    int is_json;

    if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "sOp", &type, &data, &is_json))
        return -1;
    if (!count_bytes(a, DISPLAY_PART_BYTES + jsontext_quoted_bytes(type, strlen(type))))
        type = "";
    display_part *part = display_add(d, type);
    if (!part) {
        PyErr_NoMemory();
        return -1;
    }

    part->is_json = is_json;
    if (add_part_data(part, data, a) != 0)
        return -1;
    interp *in = strncmp(type, "text/", 5) == 0 ? fixed_seed_here() : NULL;
    return raise_no_memory(in ? fixed_settle(in, &part->data) : SNUG_OK);
}

static int add_display_metadata(display *d, PyObject *metadata, account *a)
{
    if (!PyDict_Check(metadata) || PyDict_GET_SIZE(metadata) == 0)
        return 0;
    return add_part_json(&d->metadata, metadata, a, "the metadata of a display", "");
}

/* A tuple, so that no part goes while it is read: the truth of its last item is the guest's to
 * tell. */
static PyObject *parts_of(PyObject *list)
{
    if (PyList_Check(list) && PyList_GET_SIZE(list) <= MOST_PARTS)
        return PyList_AsTuple(list);
    return PyErr_Format(PyExc_ValueError, "a display is a list of at most %d parts", MOST_PARTS);
}

display *show_bundle(uint64_t *bytes, PyObject *list, PyObject *metadata, uint64_t max_bytes)
{
    account a = { max_bytes, DISPLAY_BYTES };
    display *d = NULL;
    PyObject *parts = parts_of(list);
    if (!parts)
        return NULL;

    if (!(d = display_new())) {
        PyErr_NoMemory();
        goto fail;
    }

    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts); i++)
        if (add_display_part(d, PyTuple_GET_ITEM(parts, i), &a) != 0)
            goto fail;

    if (add_display_metadata(d, metadata, &a) != 0)
        goto fail;
    Py_DECREF(parts);
    *bytes = a.bytes;
    return d;

fail:
    Py_DECREF(parts);
    display_drop(d);
    return NULL;
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

/* The text of the value stands in the place of what is over the limit. */
static int take_rich(display **out, capture *output, PyObject *parts, PyObject *metadata)
{
    uint64_t bytes, room = display_list_room(&output->displays, "");
    display *d = show_bundle(&bytes, parts, metadata, room);
    if (!d)
        return -1;

    if (bytes > room) {
        output->displays.left_out++;
        display_drop(d);
        return 0;
    }

    display_list_count(&output->displays, d);
    *out = d;
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
    if (!answer)
        return -1;

    int error = 0;
    if (answer == Py_None)
        *is_shown = 1;
    else if (!PyTuple_Check(answer) || !PyArg_ParseTuple(answer, "OO", &parts, &metadata))
        error = -1;
    else if (PyList_Check(parts) && PyList_GET_SIZE(parts) > 0)
        error = take_rich(out, in->options.output, parts, metadata);

    Py_DECREF(answer);
    return error;
}
