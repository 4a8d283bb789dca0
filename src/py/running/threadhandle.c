#include "py/running/threadhandle.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "py/core/state.h"
#include "py/core/wait.h"

typedef struct thread_handle {
    PyObject head;
    _Atomic int is_started, is_done;
    _Atomic unsigned long ident;
} thread_handle;

static PyObject *handle_join(PyObject *object, PyObject *args)
{
    thread_handle *handle = (thread_handle *)object;
    interp *in = interp_current;
    PyObject *timeout = Py_None;
    uint64_t deadline_ns = UINT64_MAX;

    if (!PyArg_UnpackTuple(args, "join", 0, 1, &timeout))
        return NULL;
    if (timeout != Py_None) {
        double seconds = PyFloat_AsDouble(timeout);
        if (seconds == -1 && PyErr_Occurred())
            return NULL;
        if (seconds >= 0 && seconds < 1e9)
            deadline_ns = clock_now_ns() + (uint64_t)(seconds * 1e9);
    }

    if (!handle->is_started || (handle->ident == PyThread_get_thread_ident() && !handle->is_done)) {
        PyErr_SetString(PyExc_RuntimeError,
                        handle->is_started ? "Cannot join current thread" : "thread not started");
        return NULL;
    }

    for (int answer = 1; in && answer > 0;) {
        uint32_t seen = atomic_load(&in->bell);
        if (atomic_load(&handle->is_done))
            break;
        if ((answer = wait_for_bell(in, seen, deadline_ns)) < 0)
            return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *handle_is_done(PyObject *object, PyObject *ignored)
{
    (void)ignored;
    return PyBool_FromLong(atomic_load(&((thread_handle *)object)->is_done));
}

/* For the one of the main thread, at the end of the interpreter. */
static PyObject *ignore_done(PyObject *object, PyObject *ignored)
{
    (void)object;
    (void)ignored;
    Py_RETURN_NONE;
}

static PyObject *get_ident(PyObject *object, void *ignored)
{
    (void)ignored;
    return PyLong_FromUnsignedLong(((thread_handle *)object)->ident);
}

static PyMethodDef methods[] = {
    { "join", handle_join, METH_VARARGS, "join(timeout=None): wait for the thread's end." },
    { "is_done", handle_is_done, METH_NOARGS, "Whether the thread has ended." },
    { "_set_done", ignore_done, METH_NOARGS, "Do nothing." },
    { NULL },
};
static PyGetSetDef members[] = { { "ident", get_ident, NULL, NULL, NULL }, { NULL } };
static PyType_Slot slots[] = {
    { Py_tp_methods, methods },
    { Py_tp_getset, members },
    { Py_tp_new, PyType_GenericNew },
    { 0, NULL },
};
static PyType_Spec spec = { "_thread._ThreadHandle", sizeof(thread_handle), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots };

PyTypeObject *threadhandle_type(void)
{
    return (PyTypeObject *)PyType_FromSpec(&spec);
}

int threadhandle_claim(PyObject *handle)
{
    int was_started = 0;
    return atomic_compare_exchange_strong(&((thread_handle *)handle)->is_started, &was_started, 1);
}

void threadhandle_unclaim(PyObject *handle)
{
    atomic_store(&((thread_handle *)handle)->is_started, 0);
}

void threadhandle_set_ident(PyObject *handle, unsigned long ident)
{
    atomic_store(&((thread_handle *)handle)->ident, ident);
}

void threadhandle_set_done(PyObject *handle)
{
    atomic_store(&((thread_handle *)handle)->is_done, 1);
}
