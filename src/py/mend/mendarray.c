/* array: an item is made an exact int or float before anything of the array is looked at. */
#include "py/mend/mend.h"

#include <string.h>

static _Atomic(getter) type_code;
static void *_Atomic type_code_closure;

/* Such a value runs no code of the guest's when it is converted. */
static int is_exact_item(PyObject *value)
{
    return PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyUnicode_CheckExact(value);
}

static int has_floats(PyObject *array, int *is_text)
{
    getter get = atomic_load(&type_code);
    PyObject *code = get ? get(array, atomic_load(&type_code_closure)) : NULL;
    Py_UCS4 letter = 0;

    if (code && PyUnicode_GET_LENGTH(code) == 1)
        letter = PyUnicode_READ_CHAR(code, 0);
    Py_XDECREF(code);
    *is_text = letter == 'u' || letter == 'w';
    return letter == 'f' || letter == 'd';
}

/* A new reference. What cannot be converted is left to the original, which says why. */
static PyObject *as_plain(PyObject *array, PyObject *value)
{
    int is_text, is_float = has_floats(array, &is_text);

    if (PyErr_Occurred())
        return NULL;
    if (is_float) {
        double number = PyFloat_AsDouble(value);
        if (number == -1 && PyErr_Occurred())
            return NULL;
        return PyFloat_FromDouble(number);
    }

    if (is_text || !PyIndex_Check(value))
        return Py_NewRef(value);
    return PyNumber_Index(value);
}

/* ---- setting ---- */

static _Atomic(mend_function) set_by_key, set_by_index;

/* Slices take arrays, which are not converted. */
static int set_item(PyObject *self, PyObject *key, PyObject *value)
{
    objobjargproc original = (objobjargproc)atomic_load_explicit(&set_by_key, memory_order_relaxed);

    if (!value || is_exact_item(value) || PySlice_Check(key))
        return original(self, key, value);
    PyObject *plain = as_plain(self, value);
    if (!plain)
        return -1;

    int answer = original(self, key, plain);
    Py_DECREF(plain);
    return answer;
}

static int set_at(PyObject *self, Py_ssize_t at, PyObject *value)
{
    ssizeobjargproc original =
        (ssizeobjargproc)atomic_load_explicit(&set_by_index, memory_order_relaxed);

    if (!value || is_exact_item(value))
        return original(self, at, value);
    PyObject *plain = as_plain(self, value);
    if (!plain)
        return -1;

    int answer = original(self, at, plain);
    Py_DECREF(plain);
    return answer;
}

static mend_function *place_of_key(PyTypeObject *type)
{
    PyMappingMethods *table = type->tp_as_mapping;
    return table ? (mend_function *)(void *)&table->mp_ass_subscript : NULL;
}

static mend_function *place_of_index(PyTypeObject *type)
{
    PySequenceMethods *table = type->tp_as_sequence;
    return table ? (mend_function *)(void *)&table->sq_ass_item : NULL;
}

/* ---- adding ---- */

enum { APPEND, EXTEND, FROMLIST, INSERT, TOFILE, METHODS };
static mend_method methods[METHODS];

static PyObject *append_item(PyObject *self, PyObject *value)
{
    PyCFunction original = atomic_load_explicit(&methods[APPEND].original, memory_order_relaxed);

    if (is_exact_item(value))
        return original(self, value);
    PyObject *plain = as_plain(self, value);
    if (!plain)
        return NULL;

    PyObject *answer = original(self, plain);
    Py_DECREF(plain);
    return answer;
}

/* Where it is inserted is asked for after that; what it says is held to the size there is then. */
static PyObject *insert_item(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    _PyCFunctionFast original = (_PyCFunctionFast)(mend_function)atomic_load_explicit(
        &methods[INSERT].original, memory_order_relaxed);

    if (count != 2 || is_exact_item(args[1]))
        return original(self, args, count);
    PyObject *plain = as_plain(self, args[1]);
    if (!plain)
        return NULL;

    PyObject *const mended[] = { args[0], plain };
    PyObject *answer = original(self, mended, count);
    Py_DECREF(plain);
    return answer;
}

static int are_items_exact(PyObject *list)
{
    Py_ssize_t i = 0;
    while (i < PyList_GET_SIZE(list) && is_exact_item(PyList_GET_ITEM(list, i)))
        i++;
    return i == PyList_GET_SIZE(list);
}

/* Whether no code of the guest's runs when it is gone through and its items are converted. */
static int is_plain_iterable(PyObject *items)
{
    return PyRange_Check(items) || (PyList_CheckExact(items) && are_items_exact(items));
}

static int append_all(PyObject *self, PyObject *items)
{
    PyObject *item, *iterator = PyObject_GetIter(items);
    if (!iterator)
        return -1;

    int failed = 0;
    while (!failed && (item = PyIter_Next(iterator))) {
        PyObject *none = append_item(self, item);
        failed = !none;
        Py_XDECREF(none);
        Py_DECREF(item);
    }

    Py_DECREF(iterator);
    return failed || PyErr_Occurred() ? -1 : 0;
}

/* An array is taken as a whole, too. */
static PyObject *extend_array(PyObject *self, PyTypeObject *cls, PyObject *const *args,
                              Py_ssize_t count, PyObject *names)
{
    PyCMethod original = (PyCMethod)(mend_function)atomic_load(&methods[EXTEND].original);
    if (count != 1 || names || PyObject_TypeCheck(args[0], cls) || is_plain_iterable(args[0]))
        return original(self, cls, args, (python_count)count, names);
    if (append_all(self, args[0]) != 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *plain_list(PyObject *self, PyObject *list)
{
    Py_ssize_t count = PyList_GET_SIZE(list);
    PyObject *plain = PyList_New(0);

    for (Py_ssize_t i = 0; plain && i < count; i++) {
        PyObject *item = Py_NewRef(PyList_GET_ITEM(list, i));
        PyObject *value = is_exact_item(item) ? Py_NewRef(item) : as_plain(self, item);
        int failed = !value || PyList_Append(plain, value) != 0;
        Py_XDECREF(value);
        Py_DECREF(item);
        if (!failed && PyList_GET_SIZE(list) != count) {
            PyErr_SetString(PyExc_RuntimeError, "list changed size during iteration");
            failed = 1;
        }
        if (failed)
            Py_CLEAR(plain);
    }

    return plain;
}

static PyObject *extend_by_list(PyObject *self, PyObject *list)
{
    PyCFunction original = atomic_load(&methods[FROMLIST].original);

    if (!PyList_Check(list) || are_items_exact(list))
        return original(self, list);
    PyObject *plain = plain_list(self, list);
    if (!plain)
        return NULL;

    PyObject *answer = original(self, plain);
    Py_DECREF(plain);
    return answer;
}

/* It writes a piece at a time from where the items were at first: they stay there. */
static PyObject *tofile(MEND_PARAMETERS)
{
    Py_buffer hold;
    if (PyObject_GetBuffer(self, &hold, PyBUF_SIMPLE) != 0)
        return NULL;
    PyObject *answer = MEND_ORIGINAL(&methods[TOFILE])(MEND_ARGUMENTS);
    PyBuffer_Release(&hold);
    return answer;
}

#define FUNCTION(name) ((PyCFunction)(mend_function)(name))
static mend_method methods[METHODS] = {
    [APPEND] = { .name = "append", .ours = append_item },
    [EXTEND] = { .name = "extend", .ours = FUNCTION(extend_array) },
    [FROMLIST] = { .name = "fromlist", .ours = extend_by_list },
    [INSERT] = { .name = "insert", .ours = FUNCTION(insert_item) },
    [TOFILE] = { .name = "tofile", .ours = FUNCTION(tofile) },
};

static void find_type_code(PyTypeObject *type)
{
    for (PyGetSetDef *row = type->tp_getset; row && row->name; row++) {
        if (strcmp(row->name, "typecode") != 0)
            continue;
        atomic_store(&type_code_closure, row->closure);
        atomic_store(&type_code, row->get);
    }
}

int mend_array(interp *in, PyObject *module)
{
    PyTypeObject *type = mend_type(module, "array", "array.array");

    (void)in;
    if (!type)
        return 0;

    find_type_code(type);
    mend_methods(type, methods, METHODS);
    if (mend_slots(type, place_of_key, (mend_function)set_item, &set_by_key) != 0)
        return -1;
    return mend_slots(type, place_of_index, (mend_function)set_at, &set_by_index);
}
