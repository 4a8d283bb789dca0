/*
 * Texts of exceptions. Their attributes can be anything and can be set, and CPython's functions
 * read them as what they were at first, or go on with what __str__ of one has made another drop.
 */
#include "py/mend/mend.h"

static _Atomic(mend_function) text_of_decode, text_of_encode, text_of_os;

static int is_exact_or_none(PyObject *value)
{
    return !value || PyUnicode_CheckExact(value);
}

/* CPython's own function reads the object's bytes at start, whatever the object is. It may where
 * the object is of the kind, start lies in it, and no __str__ of the guest's changes that. */
static PyObject *show_unicode_error(PyObject *self, int is_kind, Py_ssize_t length,
                                    const char *what, mend_function original)
{
    PyUnicodeErrorObject *error = (PyUnicodeErrorObject *)self;
    int is_plain = is_exact_or_none(error->encoding) && is_exact_or_none(error->reason);
    if (!error->object || (is_plain && is_kind && error->start >= 0 && error->start < length))
        return ((reprfunc)original)(self);

    PyObject *reason = PyObject_Str(error->reason);
    PyObject *encoding = reason ? PyObject_Str(error->encoding) : NULL;
    PyObject *text = NULL;
    if (encoding)
        text = PyUnicode_FromFormat("'%U' codec can't %s in position %zd-%zd: %U", encoding, what,
                                    error->start, error->end - 1, reason);

    Py_XDECREF(encoding);
    Py_XDECREF(reason);
    return text;
}

static PyObject *decode_error_text(PyObject *self)
{
    PyObject *object = ((PyUnicodeErrorObject *)self)->object;
    mend_function original = atomic_load_explicit(&text_of_decode, memory_order_relaxed);
    int is_bytes = object && PyBytes_Check(object);
    Py_ssize_t size = is_bytes ? PyBytes_GET_SIZE(object) : 0;
    return show_unicode_error(self, is_bytes, size, "decode bytes", original);
}

static PyObject *encode_error_text(PyObject *self)
{
    PyObject *object = ((PyUnicodeErrorObject *)self)->object;
    mend_function original = atomic_load_explicit(&text_of_encode, memory_order_relaxed);
    int is_text = object && PyUnicode_Check(object);
    Py_ssize_t size = is_text ? PyUnicode_GetLength(object) : 0;
    return show_unicode_error(self, is_text, size, "encode characters", original);
}

/* CPython's own function has borrowed all four when it calls __str__ of the first, which may drop
 * the others. */
static PyObject *os_error_text(PyObject *self)
{
    PyOSErrorObject *error = (PyOSErrorObject *)self;
    mend_function original = atomic_load_explicit(&text_of_os, memory_order_relaxed);
    PyObject *parts[] = { error->myerrno, error->strerror, error->filename, error->filename2 };
    const size_t count = sizeof parts / sizeof *parts;

    for (size_t i = 0; i < count; i++)
        Py_XINCREF(parts[i]);

    PyObject *text = ((reprfunc)original)(self);

    for (size_t i = 0; i < count; i++)
        Py_XDECREF(parts[i]);
    return text;
}

static mend_function *place_of_text(PyTypeObject *type)
{
    return (mend_function *)(void *)&type->tp_str;
}

int mend_exceptions(void)
{
    const struct {
        PyObject *type;
        mend_function ours;
        _Atomic(mend_function) *original;
    } types[] = {
        { PyExc_UnicodeDecodeError, (mend_function)decode_error_text, &text_of_decode },
        { PyExc_UnicodeEncodeError, (mend_function)encode_error_text, &text_of_encode },
        { PyExc_OSError, (mend_function)os_error_text, &text_of_os },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (mend_slots((PyTypeObject *)types[i].type, place_of_text, types[i].ours,
                       types[i].original) != 0)
            return -1;

    return 0;
}
