#include "py/queries/item_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

/* A prompt waits for the answer: no more keys are looked at, and no longer ones. */
enum { KEYS_MAX = 100000, KEY_CHARACTERS_MAX = 200, NESTED_MAX = 16 };

/* ---- what the index is of ---- */

/* Where the bracket is that byte at stands behind; at: there is none. */
static size_t bracket_before(const char *source, size_t at)
{
    size_t end = at;

    while (end > 0 && is_between_words(source[end - 1]))
        end--;
    return end > 0 && source[end - 1] == '[' ? end - 1 : at;
}

int is_index(const char *source, size_t at)
{
    size_t bracket = bracket_before(source, at);

    return bracket < at && bracket > 0 &&
           (is_name(source[bracket - 1]) || strchr(")]}", source[bracket - 1]));
}

static PyObject *text_of(piece name)
{
    return PyUnicode_DecodeUTF8(name.at, (Py_ssize_t)name.len, NULL);
}

/* Whether looking the attribute up runs nothing of the guest's. */
static int is_plain_attribute(PyObject *object, PyObject *name)
{
    PyTypeObject *type = Py_TYPE(object);
    if (type->tp_getattro != PyObject_GenericGetAttr)
        return 0;

    PyObject *found = _PyType_Lookup(type, name); /* borrowed */
    return !found || !Py_TYPE(found)->tp_descr_get || Py_TYPE(found) == &PyMemberDescr_Type;
}

/* A new reference, or NULL, with an exception or without. */
static PyObject *find_attribute(PyObject *object, PyObject *name)
{
    if (PyModule_CheckExact(object))
        return Py_XNewRef(PyDict_GetItemWithError(PyModule_GetDict(object), name));
    return is_plain_attribute(object, name) ? PyObject_GetAttr(object, name) : NULL;
}

static PyObject *find_name(PyObject *namespace, PyObject *name)
{
    PyObject *found = PyDict_GetItemWithError(namespace, name); /* borrowed, as the next */
    if (!found && !PyErr_Occurred())
        found = PyDict_GetItemWithError(PyEval_GetBuiltins(), name);
    return Py_XNewRef(found);
}

/* "a.b.c" */
static PyObject *find_path(PyObject *namespace, piece path)
{
    PyObject *object = NULL;

    do {
        PyObject *name = text_of(cut_word(&path, 0));
        PyObject *next = NULL;
        if (name)
            next = object ? find_attribute(object, name) : find_name(namespace, name);
        Py_XDECREF(name);
        Py_XSETREF(object, next);
        if (path.len > 0) { /* the dot */
            path.at++;
            path.len--;
        }
    } while (object && path.len > 0);

    return object;
}

/* Where the index that ends behind the bracket at end - 1 begins, and its text: a string without
 * backslashes, or a number. 0: it is another one. */
static size_t index_before(piece *index, const char *source, size_t end)
{
    size_t last = end - 1, at = last;

    if (last > 1 && (source[last - 1] == '"' || source[last - 1] == '\'')) {
        for (at = last - 1; at > 0 && source[at - 1] != source[last - 1];)
            if (source[--at] == '\\' || ends_line(source[at]))
                return 0;
        at -= at > 0;
    } else {
        while (at > 0 && is_digit(source[at - 1]))
            at--;
    }

    *index = (piece){ source + at, last - at };
    return index->len > 0 && at > 1 && source[at - 1] == '[' ? at - 1 : 0;
}

/* Of what is exactly a dict, a list or a tuple. */
static PyObject *find_item(PyObject *object, piece index)
{
    if (!is_digit(index.at[0])) {
        PyObject *key = text_of((piece){ index.at + 1, index.len - 2 }), *item = NULL;
        if (key && PyDict_CheckExact(object))
            item = Py_XNewRef(PyDict_GetItemWithError(object, key));
        Py_XDECREF(key);
        return item;
    }

    size_t number = strtoul(index.at, NULL, 10);
    if (PyList_CheckExact(object) && number < (size_t)PyList_GET_SIZE(object))
        return Py_NewRef(PyList_GET_ITEM(object, (Py_ssize_t)number));
    if (PyTuple_CheckExact(object) && number < (size_t)PyTuple_GET_SIZE(object))
        return Py_NewRef(PyTuple_GET_ITEM(object, (Py_ssize_t)number));
    return NULL;
}

/* What ends at byte end: names with dots, with items behind them. */
static PyObject *find_before(PyObject *namespace, const char *source, size_t end)
{
    piece indices[NESTED_MAX];
    size_t count = 0;

    while (end > 1 && source[end - 1] == ']') {
        if (count == NESTED_MAX || (end = index_before(&indices[count++], source, end)) == 0)
            return NULL;
    }

    piece path = path_at(source, end, end);
    if (path.len == 0 || path.at[0] == '.' || is_digit(path.at[0]))
        return NULL;
    PyObject *object = find_path(namespace, path);
    while (object && count > 0)
        Py_SETREF(object, find_item(object, indices[--count]));
    return object;
}

/* ---- its keys ---- */

static void offer_key(collector *to, PyObject *key, literal_style style)
{
    if (!PyUnicode_CheckExact(key) || PyUnicode_GET_LENGTH(key) > KEY_CHARACTERS_MAX)
        return;
    PyObject *text = PyUnicode_AsUTF8String(key);
    if (text)
        offer_quoted(to, PyBytes_AS_STRING(text), (size_t)PyBytes_GET_SIZE(text), style,
                     NAME_IS_KEY);
    else
        PyErr_Clear();
    Py_XDECREF(text);
}

static void offer_dict(collector *to, PyObject *dict, literal_style style)
{
    PyObject *key, *value;
    Py_ssize_t at = 0, seen = 0;

    while (seen++ < KEYS_MAX && PyDict_Next(dict, &at, &key, &value)) {
        Py_INCREF(key);
        offer_key(to, key, style);
        Py_DECREF(key);
    }
}

/* Whether it is exactly of that type of pandas, which is loaded then. */
static int is_of_pandas(PyObject *object, const char *type)
{
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed, as the next */
    PyObject *pandas = PyDict_Check(modules) ? PyDict_GetItemString(modules, "pandas") : NULL;

    return pandas && PyModule_CheckExact(pandas) &&
           PyDict_GetItemString(PyModule_GetDict(pandas), type) == (PyObject *)Py_TYPE(object);
}

static void offer_columns(collector *to, PyObject *frame, literal_style style)
{
    PyObject *columns = PyObject_GetAttrString(frame, "columns"), *some = NULL, *names = NULL;

    if (columns && is_of_pandas(columns, "Index"))
        some = PySequence_GetSlice(columns, 0, KEYS_MAX);
    if (some)
        names = PyObject_CallMethod(some, "tolist", NULL);
    for (Py_ssize_t i = 0; names && PyList_CheckExact(names) && i < PyList_GET_SIZE(names); i++)
        offer_key(to, PyList_GET_ITEM(names, i), style);

    Py_XDECREF(names);
    Py_XDECREF(some);
    Py_XDECREF(columns);
}

void offer_item_keys(collector *to, PyObject *namespace, const char *source, size_t at,
                     literal_style style)
{
    PyObject *object = find_before(namespace, source, bracket_before(source, at));

    if (object && PyDict_CheckExact(object))
        offer_dict(to, object, style);
    else if (object && is_of_pandas(object, "DataFrame"))
        offer_columns(to, object, style);
    Py_XDECREF(object);
    PyErr_Clear();
}
