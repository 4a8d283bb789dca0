/*
 * __init__ that takes an object apart which is in use, because it is called a second time or calls
 * code of the guest's in its own midst.
 *
 * A task runs its coroutine, a decoder of newlines calls its decoder, and a compressor lets others
 * run, with no reference of their own to what another __init__ frees: each has one __init__. What
 * an exception of Unicode's parses is borrowed until all of it is parsed, and an index may have a
 * method: it is asked before.
 */
#include "py/mend/mend.h"

static mend_function *place_of_init(PyTypeObject *type)
{
    return (mend_function *)(void *)&type->tp_init;
}

/* ---- called again ---- */

/* type, module and name, whether the first field tells that __init__ has run; else all fields are
 * looked at. */
#define TYPES(X)                                                 \
    X(future, "_asyncio", "Future", 1)                           \
    X(task, "_asyncio", "Task", 1)                               \
    X(newlines, "_io", "IncrementalNewlineDecoder", 1)           \
    /* From 3.12 on they have none: they are made by __new__. */ \
    X(bz2_compressor, "_bz2", "BZ2Compressor", 0)                \
    X(bz2_decompressor, "_bz2", "BZ2Decompressor", 0)            \
    X(lzma_compressor, "_lzma", "LZMACompressor", 0)             \
    X(lzma_decompressor, "_lzma", "LZMADecompressor", 0)
#define NUMBER(type, module, name, is_first) NUMBER_##type,
enum { TYPES(NUMBER) TYPE_COUNT };

static _Atomic(mend_function) originals[TYPE_COUNT];
/* Of an object of the type itself: those of classes below it are larger. */
static _Atomic(Py_ssize_t) sizes[TYPE_COUNT];

/* Whether __init__ has run: PyType_GenericNew makes each of them of zeros. */
static int was_initialised(PyObject *self, int number, int is_first)
{
    const char *fields = (const char *)self + sizeof(PyObject);
    size_t size = sizeof(void *);

    if (!is_first)
        size = (size_t)atomic_load(&sizes[number]) - sizeof(PyObject);

    for (size_t i = 0; i < size; i++)
        if (fields[i])
            return 1;

    return 0;
}

static int init_once(int number, int is_first, PyObject *self, PyObject *args, PyObject *keywords)
{
    if (!was_initialised(self, number, is_first))
        return ((initproc)atomic_load(&originals[number]))(self, args, keywords);
    PyErr_Format(PyExc_RuntimeError, "__init__ of this %.100s was called before",
                 Py_TYPE(self)->tp_name);
    return -1;
}

#define INIT(type, module, name, is_first)                                     \
    static int type##_init(PyObject *self, PyObject *args, PyObject *keywords) \
    {                                                                          \
        return init_once(NUMBER_##type, is_first, self, args, keywords);       \
    }
TYPES(INIT)

#define ROW(type, module, name, is_first) { name, module "." name, (mend_function)type##_init },
static const struct {
    const char *name, *full_name;
    mend_function ours;
} types[] = { TYPES(ROW) };

int mend_init(interp *in, PyObject *module)
{
    (void)in;
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        PyTypeObject *type = mend_type(module, types[i].name, types[i].full_name);
        if (!type || !type->tp_base || type->tp_init == type->tp_base->tp_init)
            continue;
        atomic_store(&sizes[i], type->tp_basicsize);
        if (mend_slots(type, place_of_init, types[i].ours, &originals[i]) != 0)
            return -1;
    }

    return 0;
}

/* ---- exceptions ---- */

static _Atomic(mend_function) init_decode, init_encode, init_translate;

/* The two arguments from that one on become ints, whatever they are. A new reference. */
static PyObject *with_indices(PyObject *args, Py_ssize_t first)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    PyObject *exact = PyTuple_New(count);

    for (Py_ssize_t i = 0; exact && i < count; i++) {
        PyObject *item = PyTuple_GET_ITEM(args, i);
        int is_index = (i == first || i == first + 1) && PyIndex_Check(item);
        PyObject *value = is_index ? PyNumber_Index(item) : Py_NewRef(item);
        if (value)
            PyTuple_SET_ITEM(exact, i, value);
        else
            Py_CLEAR(exact);
    }

    return exact;
}

static int init_unicode(mend_function original, Py_ssize_t first, PyObject *self, PyObject *args,
                        PyObject *keywords)
{
    int has_indices = PyTuple_GET_SIZE(args) > first + 1;
    if (!has_indices || (PyLong_Check(PyTuple_GET_ITEM(args, first)) &&
                         PyLong_Check(PyTuple_GET_ITEM(args, first + 1))))
        return ((initproc)original)(self, args, keywords);

    PyObject *exact = with_indices(args, first);
    if (!exact)
        return -1;

    int answer = ((initproc)original)(self, exact, keywords);
    Py_DECREF(exact);
    return answer;
}

#define UNICODE_INIT(name, original, first)                                         \
    static int name(PyObject *self, PyObject *args, PyObject *keywords)             \
    {                                                                               \
        return init_unicode(atomic_load(&(original)), first, self, args, keywords); \
    }
UNICODE_INIT(decode_init, init_decode, 2)
UNICODE_INIT(encode_init, init_encode, 2)
UNICODE_INIT(translate_init, init_translate, 1)

int mend_unicode_errors(void)
{
    PyTypeObject *decode = (PyTypeObject *)PyExc_UnicodeDecodeError;
    PyTypeObject *encode = (PyTypeObject *)PyExc_UnicodeEncodeError;
    PyTypeObject *translate = (PyTypeObject *)PyExc_UnicodeTranslateError;
    if (mend_slots(decode, place_of_init, (mend_function)decode_init, &init_decode) != 0 ||
        mend_slots(encode, place_of_init, (mend_function)encode_init, &init_encode) != 0)
        return -1;
    return mend_slots(translate, place_of_init, (mend_function)translate_init, &init_translate);
}
