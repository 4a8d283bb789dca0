/* bytearray, memoryview and list: what CPython's own functions keep of them while code of the
 * guest's runs stays as it is. */
#include "py/mend/mend.h"

static int is_safe_argument(PyObject *value)
{
    return PyLong_CheckExact(value) || PyBytes_CheckExact(value) || value == Py_None ||
           PyUnicode_CheckExact(value) || PyByteArray_CheckExact(value);
}

/* ---- held ---- */

/* With an exported buffer, a bytearray cannot be resized and a memoryview not be released: who
 * tries that gets a BufferError. */
static PyObject *call_held(mend_method *method, MEND_PARAMETERS)
{
    Py_buffer hold;
    if (PyObject_GetBuffer(self, &hold, PyBUF_FULL_RO) != 0)
        return NULL;
    PyObject *answer = MEND_ORIGINAL(method)(MEND_ARGUMENTS);
    PyBuffer_Release(&hold);
    return answer;
}

/* 3.11 has a tuple of arguments, 3.13 an array. */
#if PYTHON_OWN_GIL
static int are_arguments_safe(void *args, void *count)
{
    PyObject *const *items = args;
    Py_ssize_t left = (Py_ssize_t)(intptr_t)count;
    while (left > 0 && is_safe_argument(items[left - 1]))
        left--;
    return left == 0;
}
#else
static int are_arguments_safe(void *args, void *unused)
{
    PyObject *tuple = args;
    Py_ssize_t left = PyTuple_GET_SIZE(tuple);
    (void)unused;
    while (left > 0 && is_safe_argument(PyTuple_GET_ITEM(tuple, left - 1)))
        left--;
    return left == 0;
}
#endif

/* name, whether the arguments tell that no code of the guest's runs. */
#define OF_BYTEARRAY(X)             \
    X(count, are_arguments_safe)    \
    X(endswith, are_arguments_safe) \
    X(find, are_arguments_safe)     \
    X(hex, never)                   \
    X(index, are_arguments_safe)    \
    X(rfind, are_arguments_safe)    \
    X(rindex, are_arguments_safe)   \
    X(rsplit, never)                \
    X(split, never)                 \
    X(startswith, are_arguments_safe)
#define NUMBER(name, is_safe) NUMBER_##name,
enum { OF_BYTEARRAY(NUMBER) BYTEARRAY_METHODS };
static mend_method of_bytearray[BYTEARRAY_METHODS];

#define never(args, count) 0
#define HELD(name, is_safe)                                 \
    static PyObject *bytearray_##name(MEND_PARAMETERS)      \
    {                                                       \
        mend_method *method = &of_bytearray[NUMBER_##name]; \
        if (is_safe(a, b))                                  \
            return MEND_ORIGINAL(method)(MEND_ARGUMENTS);   \
        return call_held(method, MEND_ARGUMENTS);           \
    }
OF_BYTEARRAY(HELD)

#define ROW(method, is_safe) \
    [NUMBER_##method] = { .name = #method, .ours = (PyCFunction)(mend_function)bytearray_##method },
static mend_method of_bytearray[BYTEARRAY_METHODS] = { OF_BYTEARRAY(ROW) };

static mend_method of_memoryview[1];

static PyObject *memoryview_hex(MEND_PARAMETERS)
{
    return call_held(&of_memoryview[0], MEND_ARGUMENTS);
}

static mend_method of_memoryview[] = {
    { .name = "hex", .ours = (PyCFunction)(mend_function)memoryview_hex },
};

/* The list may change while one of its items is asked for its buffer. */
static PyObject *join_kept(mend_method *method, PyObject *self, PyObject *items)
{
    PyCFunction original = atomic_load_explicit(&method->original, memory_order_relaxed);

    if (!PyList_Check(items))
        return original(self, items);

    Py_ssize_t i = PyList_GET_SIZE(items);
    while (i > 0 && is_safe_argument(PyList_GET_ITEM(items, i - 1)))
        i--;
    if (i == 0)
        return original(self, items);

    PyObject *kept = PyList_AsTuple(items);
    if (!kept)
        return NULL;

    PyObject *joined = original(self, kept);
    Py_DECREF(kept);
    return joined;
}

static mend_method join_bytes[1], join_bytearray[1];

static PyObject *bytes_join(PyObject *self, PyObject *items)
{
    return join_kept(&join_bytes[0], self, items);
}

static PyObject *bytearray_join(PyObject *self, PyObject *items)
{
    Py_buffer hold;
    if (PyObject_GetBuffer(self, &hold, PyBUF_SIMPLE) != 0)
        return NULL;
    PyObject *joined = join_kept(&join_bytearray[0], self, items);
    PyBuffer_Release(&hold);
    return joined;
}

static mend_method extend_bytearray[1];

/* It goes by the length that it had before a __buffer__ of the guest's was asked, and by the
 * __length_hint__ of what has none. */
static PyObject *bytearray_extend(PyObject *self, PyObject *items)
{
    PyCFunction original =
        atomic_load_explicit(&extend_bytearray[0].original, memory_order_relaxed);

    if (is_safe_argument(items) || PyList_CheckExact(items) || PyTuple_CheckExact(items) ||
        PyUnicode_Check(items))
        return original(self, items);
    PyObject *asked = NULL, *iterator = NULL;
    if (PyObject_CheckBuffer(items))
        asked = PyMemoryView_FromObject(items);
    else if ((iterator = PyObject_GetIter(items)))
        asked = PyByteArray_FromObject(iterator);
    Py_XDECREF(iterator);
    if (!asked)
        return NULL;

    PyObject *answer = original(self, asked);
    Py_DECREF(asked);
    return answer;
}

static mend_method extend_bytearray[] = { { .name = "extend", .ours = bytearray_extend } };
static mend_method join_bytes[] = { { .name = "join", .ours = bytes_join } };
static mend_method join_bytearray[] = { { .name = "join", .ours = bytearray_join } };

/* ---- slots ---- */

static _Atomic(mend_function) set_bytes, contains, format, hash_view, compare_view, set_list;
#define CALL(type, slot) ((type)atomic_load_explicit(&(slot), memory_order_relaxed))

static int is_plain_bound(PyObject *bound)
{
    return bound == Py_None || PyLong_CheckExact(bound);
}

static int is_plain_key(PyObject *key)
{
    if (!PySlice_Check(key))
        return PyLong_CheckExact(key) || !PyIndex_Check(key);
    const PySliceObject *slice = (PySliceObject *)key;
    return is_plain_bound(slice->start) && is_plain_bound(slice->stop) &&
           is_plain_bound(slice->step);
}

/* A new reference, for a key that is not plain. */
static PyObject *plain_key(PyObject *key)
{
    Py_ssize_t start, stop, step;

    if (!PySlice_Check(key))
        return PyNumber_Index(key);
    if (PySlice_Unpack(key, &start, &stop, &step) != 0)
        return NULL;

    PyObject *bounds[] = { PyLong_FromSsize_t(start), PyLong_FromSsize_t(stop),
                           PyLong_FromSsize_t(step) };
    PyObject *plain = NULL;
    if (bounds[0] && bounds[1] && bounds[2])
        plain = PySlice_New(bounds[0], bounds[1], bounds[2]);
    for (int i = 0; i < 3; i++)
        Py_XDECREF(bounds[i]);
    return plain;
}

/* An iterable becomes a bytearray. What cannot be one is left to the original, which says why. */
static PyObject *plain_bytes(PyObject *key, PyObject *value)
{
    if (PySlice_Check(key)) {
        if (!PyNumber_Check(value) && !PyUnicode_Check(value))
            return PyByteArray_FromObject(value);
    } else if (PyIndex_Check(value)) {
        return PyNumber_Index(value);
    }
    return Py_NewRef(value);
}

/* Where the bytes lie is the first thing that the original looks up. */
static int set_bytes_item(PyObject *self, PyObject *key, PyObject *value)
{
    int is_safe_key = is_plain_key(key);
    if (is_safe_key && (!value || PyLong_CheckExact(value) || PyByteArray_CheckExact(value)))
        return CALL(objobjargproc, set_bytes)(self, key, value);

    int answer = -1;
    PyObject *plain = NULL, *position = is_safe_key ? Py_NewRef(key) : plain_key(key);
    if (!position)
        return -1;

    if (value)
        plain = plain_bytes(key, value);
    if (plain || !value)
        answer = CALL(objobjargproc, set_bytes)(self, position, plain);
    Py_XDECREF(plain);
    Py_DECREF(position);
    return answer;
}

static int contains_byte(PyObject *self, PyObject *value)
{
    Py_buffer hold;

    if (is_safe_argument(value))
        return CALL(objobjproc, contains)(self, value);
    if (PyObject_GetBuffer(self, &hold, PyBUF_SIMPLE) != 0)
        return -1;

    int answer = CALL(objobjproc, contains)(self, value);
    PyBuffer_Release(&hold);
    return answer;
}

static PyObject *format_bytes(PyObject *self, PyObject *value)
{
    Py_buffer hold;

    if (!PyByteArray_Check(self))
        return CALL(binaryfunc, format)(self, value);
    if (PyObject_GetBuffer(self, &hold, PyBUF_SIMPLE) != 0)
        return NULL;

    PyObject *answer = CALL(binaryfunc, format)(self, value);
    PyBuffer_Release(&hold);
    return answer;
}

/* It asks the object that is looked at for its hash first. */
static Py_hash_t hash_memoryview(PyObject *self)
{
    Py_buffer hold;
    if (PyObject_GetBuffer(self, &hold, PyBUF_FULL_RO) != 0)
        return -1;
    Py_hash_t answer = CALL(hashfunc, hash_view)(self);
    PyBuffer_Release(&hold);
    return answer;
}

/* Formats that it does not know are read by struct.Struct, whatever the module has by that name. A
 * view that has been released is compared without its memory. */
static void hold_view(PyObject *view, Py_buffer *hold)
{
    hold->obj = NULL;
    if (PyMemoryView_Check(view) && PyObject_GetBuffer(view, hold, PyBUF_FULL_RO) != 0)
        PyErr_Clear();
}

static PyObject *compare_memoryviews(PyObject *self, PyObject *other, int how)
{
    Py_buffer of_self, of_other;
    hold_view(self, &of_self);
    hold_view(other, &of_other);
    PyObject *answer = CALL(richcmpfunc, compare_view)(self, other, how);
    PyBuffer_Release(&of_other);
    PyBuffer_Release(&of_self);
    return answer;
}

/* The items are taken out of the iterable before the slice is held to the list's size. */
static int set_list_item(PyObject *self, PyObject *key, PyObject *value)
{
    if (!value || !PySlice_Check(key) || PyList_Check(value) || PyTuple_Check(value))
        return CALL(objobjargproc, set_list)(self, key, value);
    PyObject *items = PySequence_Fast(value, "can only assign an iterable");
    if (!items)
        return -1;

    int answer = CALL(objobjargproc, set_list)(self, key, items);
    Py_DECREF(items);
    return answer;
}

#define PLACE(name, table, slot)                                                 \
    static mend_function *name(PyTypeObject *type)                               \
    {                                                                            \
        return type->table ? (mend_function *)(void *)&type->table->slot : NULL; \
    }
PLACE(place_of_key, tp_as_mapping, mp_ass_subscript)
PLACE(place_of_contains, tp_as_sequence, sq_contains)
PLACE(place_of_remainder, tp_as_number, nb_remainder)

static mend_function *place_of_hash(PyTypeObject *type)
{
    return (mend_function *)(void *)&type->tp_hash;
}

static mend_function *place_of_compare(PyTypeObject *type)
{
    return (mend_function *)(void *)&type->tp_richcompare;
}

int mend_builtins(interp *in, PyObject *module)
{
    static const struct {
        PyTypeObject *type;
        mend_place place;
        mend_function ours;
        _Atomic(mend_function) *original;
    } slots[] = {
        { &PyByteArray_Type, place_of_key, (mend_function)set_bytes_item, &set_bytes },
        { &PyByteArray_Type, place_of_contains, (mend_function)contains_byte, &contains },
        { &PyByteArray_Type, place_of_remainder, (mend_function)format_bytes, &format },
        { &PyMemoryView_Type, place_of_hash, (mend_function)hash_memoryview, &hash_view },
        { &PyMemoryView_Type, place_of_compare, (mend_function)compare_memoryviews, &compare_view },
        { &PyList_Type, place_of_key, (mend_function)set_list_item, &set_list },
    };
    int failed = 0;
    (void)in;
    mend_compile(module);
    internals_call_list_append(PyThreadState_Get());
    mend_methods(&PyByteArray_Type, of_bytearray, BYTEARRAY_METHODS);
    mend_methods(&PyMemoryView_Type, of_memoryview, 1);
    mend_methods(&PyBytes_Type, join_bytes, 1);
    mend_methods(&PyByteArray_Type, join_bytearray, 1);
    mend_methods(&PyByteArray_Type, extend_bytearray, 1);
    for (size_t i = 0; !failed && i < sizeof slots / sizeof *slots; i++)
        failed = mend_slots(slots[i].type, slots[i].place, slots[i].ours, slots[i].original) != 0;
    if (failed || mend_exceptions() != 0 || mend_unicode_errors() != 0 ||
        mend_sequence_iterator() != 0)
        return -1;
    return mend_parts_of_builtins();
}
