/*
 * What module _thread has in a session that may start threads.
 */
#include "py/core/state.h"
#include "py/running/guestthread.h"
#include "py/running/threadhandle.h"
#include "py/running/threads.h"

/* ---- starting ---- */

static PyObject *raise_type_error(const char *what)
{
    PyErr_SetString(PyExc_TypeError, what);
    return NULL;
}

static PyObject *start_new_thread(PyObject *module, PyObject *args)
{
    PyObject *function, *function_args, *keywords = NULL;
    unsigned long ident;

    (void)module;
    if (!PyArg_UnpackTuple(args, "start_new_thread", 2, 3, &function, &function_args, &keywords))
        return NULL;
    if (!PyCallable_Check(function))
        return raise_type_error("first arg must be callable");
    if (!PyTuple_Check(function_args))
        return raise_type_error("2nd arg must be a tuple");
    if (keywords && !PyDict_Check(keywords))
        return raise_type_error("optional 3rd arg must be a dictionary");

    if (guest_thread_start(&ident, function, function_args, keywords, NULL) != 0)
        return NULL;
    return PyLong_FromUnsignedLong(ident);
}

#if PYTHON_THREAD_HANDLES
/* The handle, started; a reference of the caller's goes in and comes out, or NULL. */
static PyObject *start_by_handle(PyObject *function, PyObject *handle)
{
    unsigned long ident;
    int error = -1;
    PyObject *empty = PyTuple_New(0);
    if (!empty)
        goto done;

    if (!threadhandle_claim(handle)) {
        PyErr_SetString(PyExc_RuntimeError, "thread already started");
        goto done;
    }

    error = guest_thread_start(&ident, function, empty, NULL, handle);
    if (error)
        threadhandle_unclaim(handle);

done:
    if (error)
        Py_CLEAR(handle);
    Py_XDECREF(empty);
    return handle;
}

static PyObject *start_joinable_thread(PyObject *module, PyObject *args, PyObject *keywords)
{
    static const char *const words[] = { "function", "handle", "daemon", NULL };
    interp *in = interp_current;
    PyObject *function, *handle = Py_None;
    int is_daemon = 1;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|Op:start_joinable_thread",
                                     (char **)(uintptr_t)words, &function, &handle, &is_daemon))
        return NULL;

    if (!in || !PyCallable_Check(function) ||
        (handle != Py_None && !Py_IS_TYPE(handle, in->threads.handle_type))) {
        PyErr_SetString(PyExc_TypeError, "expected a callable and a _ThreadHandle");
        return NULL;
    }

    if (handle == Py_None)
        handle = PyObject_CallNoArgs((PyObject *)in->threads.handle_type);
    else
        Py_INCREF(handle);

    if (!handle)
        return NULL;
    return start_by_handle(function, handle);
}

/* CPython knows that of the process only, where threading has a main thread that is none of
 * the session's. */
static PyObject *get_main_thread_ident(PyObject *module, PyObject *ignored)
{
    interp *in = interp_current;
    (void)module;
    (void)ignored;
    return PyLong_FromUnsignedLong(in ? in->tstate->thread_id : PyThread_get_thread_ident());
}

/* A cell waits for all of them anyway. */
static PyObject *daemon_threads_allowed(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    Py_RETURN_TRUE;
}
#endif

/* ---- the rest ---- */

/* threading's excepthook is this. A stop is in the result and not on stderr; what
 * else is raised while a thread unwinds is of the stop's making. */
static PyObject *excepthook(PyObject *module, PyObject *args)
{
    interp *in = interp_current;
    (void)module;
    if (!in || !in->threads.excepthook || atomic_load(&in->stop.reason) != STOP_NONE)
        Py_RETURN_NONE;
    return PyObject_CallOneArg(in->threads.excepthook, args);
}

/* As sys.excepthook, which threading calls when the other one fails, and which on 3.11
 * writes to the host's own stderr when it fails itself. */
static PyObject *sys_excepthook(PyObject *module, PyObject *args)
{
    interp *in = interp_current;
    PyObject *original = PySys_GetObject("__excepthook__"); /* borrowed */
    (void)module;
    if (!original || (in && atomic_load(&in->stop.reason) != STOP_NONE))
        Py_RETURN_NONE;
    return PyObject_Call(original, args, NULL);
}

static PyMethodDef sys_excepthook_method = { "excepthook", sys_excepthook, METH_VARARGS,
                                             "Show an exception that nobody caught." };

/* RLock._acquire_restore, with which Condition.wait takes its lock back. CPython's own does
 * not look up, and a thread that was stopped may have left the lock taken. */
static PyObject *acquire_restore(PyObject *lock, PyObject *args)
{
    unsigned long count, owner;

    if (!PyArg_ParseTuple(args, "(kk):_acquire_restore", &count, &owner))
        return NULL;
    for (; count > 0; count--) {
        PyObject *answer = PyObject_CallMethod(lock, "acquire", NULL);
        if (!answer)
            return NULL;
        Py_DECREF(answer);
    }
    Py_RETURN_NONE;
}

static PyMethodDef acquire_restore_method = { "_acquire_restore", acquire_restore, METH_VARARGS,
                                              "For internal use by `threading.Condition`." };

/* The type is immutable and this interpreter's own. */
static int adopt_rlock(PyObject *module)
{
    PyObject *type = PyObject_GetAttrString(module, "RLock");
    int failed = !type || !PyType_Check(type);

    if (!failed) {
        PyTypeObject *rlock = (PyTypeObject *)type;
        PyObject *method = PyDescr_NewMethod(rlock, &acquire_restore_method);
        failed =
            !method || PyDict_SetItemString(rlock->tp_dict, acquire_restore_method.ml_name, method);
        PyType_Modified(rlock);
        Py_XDECREF(method);
    }

    Py_XDECREF(type);
    return failed ? -1 : 0;
}

static PyMethodDef functions[] = {
    { "start_new_thread", start_new_thread, METH_VARARGS,
      "start_new_thread(function, args[, kwargs])\n\nStart a thread of the session's." },
    { "start_new", start_new_thread, METH_VARARGS, "An obsolete synonym of start_new_thread()." },
    { "_excepthook", excepthook, METH_O, "Handle uncaught Thread.run() exception." },
#if PYTHON_THREAD_HANDLES
    { "start_joinable_thread", (PyCFunction)(void (*)(void))start_joinable_thread,
      METH_VARARGS | METH_KEYWORDS, "start_joinable_thread(function, handle=None, daemon=True)" },
    { "daemon_threads_allowed", daemon_threads_allowed, METH_NOARGS, "True." },
    { "_get_main_thread_ident", get_main_thread_ident, METH_NOARGS,
      "The number of the session's thread." },
#endif
};

int threads_adopt(interp *in, PyObject *module)
{
    guest_threads *threads = &in->threads;

    if (!threads->excepthook)
        threads->excepthook = PyObject_GetAttrString(module, "_excepthook");
    if (!threads->excepthook)
        return -1;
#if PYTHON_THREAD_HANDLES
    if (!threads->handle_type)
        threads->handle_type = threadhandle_type();
    if (!threads->handle_type ||
        PyObject_SetAttrString(module, "_ThreadHandle", (PyObject *)threads->handle_type) != 0)
        return -1;
#endif
    PyObject *hook = PyCFunction_New(&sys_excepthook_method, NULL);
    int has_failed = !hook || PySys_SetObject("excepthook", hook) != 0;
    Py_XDECREF(hook);
    if (has_failed || adopt_rlock(module) != 0)
        return -1;

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        PyObject *function = PyCFunction_NewEx(&functions[i], module, NULL);
        int failed =
            !function || PyObject_SetAttrString(module, functions[i].ml_name, function) != 0;
        Py_XDECREF(function);
        if (failed)
            return -1;
    }

    return 0;
}
