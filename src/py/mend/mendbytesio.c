/*
 * BytesIO: it looks whether its memory may move, and then asks what is written for its buffer,
 * since 3.12 by a __buffer__ of the guest's, which may take a view of that memory. Here the buffer
 * is asked for before.
 */
#include "py/mend/mend.h"

#if PYTHON_BUFFERS_OF_CLASSES

/* A new reference to what no code of the guest's runs for; what has no buffer stays as it is. */
static PyObject *asked_before(PyObject *value)
{
    if (PyBytes_CheckExact(value) || !PyObject_CheckBuffer(value))
        return Py_NewRef(value);
    return PyMemoryView_FromObject(value);
}

static mend_method of_bytesio[3];
enum { METHOD_WRITE, METHOD_WRITELINES, METHOD_SETSTATE };

static PyObject *write_asked(PyObject *self, PyObject *value)
{
    PyObject *asked = asked_before(value);
    if (!asked)
        return NULL;
    PyObject *answer = MEND_ORIGINAL(&of_bytesio[METHOD_WRITE])(self, asked, NULL, NULL, NULL);
    Py_DECREF(asked);
    return answer;
}

static PyObject *bytesio_write(MEND_PARAMETERS)
{
    (void)b, (void)c, (void)d;
    return write_asked(self, a);
}

/* The original looks at the stream; it gets no lines. */
static PyObject *bytesio_writelines(MEND_PARAMETERS)
{
    PyObject *lines = a, *none = PyTuple_New(0), *item = NULL;
    PyObject *iterator = none ? PyObject_GetIter(lines) : NULL;
    PyObject *answer = NULL;

    if (iterator)
        answer = MEND_ORIGINAL(&of_bytesio[METHOD_WRITELINES])(self, none, b, c, d);
    while (answer && (item = PyIter_Next(iterator))) {
        PyObject *written = write_asked(self, item);
        Py_DECREF(item);
        if (!written)
            Py_CLEAR(answer);
        Py_XDECREF(written);
    }

    if (answer && PyErr_Occurred())
        Py_CLEAR(answer);
    Py_XDECREF(iterator);
    Py_XDECREF(none);
    return answer;
}

/* The state is (bytes, position, attributes). */
static PyObject *bytesio_setstate(MEND_PARAMETERS)
{
    PyObject *state = a;
    if (!PyTuple_Check(state) || PyTuple_GET_SIZE(state) != 3)
        return MEND_ORIGINAL(&of_bytesio[METHOD_SETSTATE])(MEND_ARGUMENTS);

    PyObject *asked = asked_before(PyTuple_GET_ITEM(state, 0)), *changed = NULL, *answer = NULL;
    if (asked)
        changed = PyTuple_Pack(3, asked, PyTuple_GET_ITEM(state, 1), PyTuple_GET_ITEM(state, 2));
    if (changed)
        answer = MEND_ORIGINAL(&of_bytesio[METHOD_SETSTATE])(self, changed, b, c, d);
    Py_XDECREF(changed);
    Py_XDECREF(asked);
    return answer;
}

static mend_method of_bytesio[] = {
    [METHOD_WRITE] = { .name = "write", .ours = (PyCFunction)(mend_function)bytesio_write },
    [METHOD_WRITELINES] = { .name = "writelines",
                            .ours = (PyCFunction)(mend_function)bytesio_writelines },
    [METHOD_SETSTATE] = { .name = "__setstate__",
                          .ours = (PyCFunction)(mend_function)bytesio_setstate },
};

static _Atomic(mend_function) init_bytesio;

static int call_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    initproc original = (initproc)atomic_load_explicit(&init_bytesio, memory_order_relaxed);
    return original(self, args, keywords);
}

static int init_with_bytes(PyObject *self, PyObject *value)
{
    PyObject *asked = asked_before(value);
    if (!asked)
        return -1;

    PyObject *args = PyTuple_Pack(1, asked);
    Py_DECREF(asked);
    if (!args)
        return -1;

    int answer = call_init(self, args, NULL);
    Py_DECREF(args);
    return answer;
}

static int bytesio_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    Py_ssize_t more = keywords ? PyDict_GET_SIZE(keywords) : 0;
    PyObject *value = NULL; /* borrowed */

    if (PyTuple_GET_SIZE(args) == 1 && more == 0)
        value = PyTuple_GET_ITEM(args, 0);
    else if (PyTuple_GET_SIZE(args) == 0 && more == 1)
        value = PyDict_GetItemString(keywords, "initial_bytes");

    if (!value)
        return call_init(self, args, keywords);
    return init_with_bytes(self, value);
}

static mend_function *place_of_init(PyTypeObject *type)
{
    return (mend_function *)(void *)&type->tp_init;
}

int mend_bytesio(PyObject *module)
{
    PyTypeObject *type = mend_type(module, "BytesIO", "_io.BytesIO");
    if (!type)
        return 0;
    mend_methods(type, of_bytesio, sizeof of_bytesio / sizeof *of_bytesio);
    return mend_slots(type, place_of_init, (mend_function)bytesio_init, &init_bytesio);
}

#else

int mend_bytesio(PyObject *module)
{
    (void)module;
    return 0;
}

#endif
