/*
 * decimal: the flags and traps of a context do not outlive it.
 *
 * They are objects with a pointer into the context, which does not know who else has them. When the
 * context goes, it comes to point to a place that the session has for all such.
 */
#include "py/mend/mend.h"

#include <stdint.h>

/* Where a context keeps them, found by looking through one; 0: not found. */
static _Atomic(Py_ssize_t) places[2];
static _Atomic(mend_function) original_dealloc, original_clear;

static void find_signals(int which, PyObject *context, const char *name)
{
    PyObject *signals = PyObject_GetAttrString(context, name);
    Py_ssize_t size = Py_TYPE(context)->tp_basicsize;
    for (Py_ssize_t at = sizeof(PyObject); signals && at < size; at += (Py_ssize_t)sizeof(void *))
        if (*(PyObject **)((char *)context + at) == signals)
            atomic_store(&places[which], at);
    Py_XDECREF(signals);
}

static void cut_off(PyObject *context)
{
    interp *in = interp_current;
    uintptr_t first = (uintptr_t)context, size = (uintptr_t)Py_TYPE(context)->tp_basicsize;

    for (int i = 0; i < 2; i++) {
        Py_ssize_t at = atomic_load_explicit(&places[i], memory_order_relaxed);
        PyObject *signals = at ? *(PyObject **)((char *)context + at) : NULL;
        if (!in || !signals)
            continue;
        uint32_t **pointer = (uint32_t **)((char *)signals + sizeof(PyObject));
        if ((uintptr_t)*pointer - first >= size)
            continue;
        in->lost_signals = **pointer;
        *pointer = &in->lost_signals;
    }
}

static void dealloc_context(PyObject *context)
{
    cut_off(context);
    ((destructor)atomic_load(&original_dealloc))(context);
}

/* In a cycle that is being collected. */
static int clear_context(PyObject *context)
{
    cut_off(context);
    return ((inquiry)atomic_load(&original_clear))(context);
}

static mend_function *place_of_dealloc(PyTypeObject *type)
{
    return (mend_function *)(void *)&type->tp_dealloc;
}

static mend_function *place_of_clear(PyTypeObject *type)
{
    return (mend_function *)(void *)&type->tp_clear;
}

#if PYTHON_OWN_GIL

static int register_types(PyObject *module, PyObject *context)
{
    (void)module;
    (void)context;
    return 0;
}

#else

static int register_type(const char *module_name, const char *name, PyObject *type)
{
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *abstract = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *answer = abstract ? PyObject_CallMethod(abstract, "register", "O", type) : NULL;
    Py_XDECREF(answer);
    Py_XDECREF(abstract);
    Py_XDECREF(module);
    return answer ? 0 : -1;
}

/* 3.11 makes the types for the first interpreter, and tells only that one's abstract classes. */
static int register_types(PyObject *module, PyObject *context)
{
    PyObject *decimal = PyDict_GetItemString(PyModule_GetDict(module), "Decimal"); /* borrowed */
    PyObject *flags = PyObject_GetAttrString(context, "flags");
    int failed =
        !flags || !decimal || register_type("numbers", "Number", decimal) != 0 ||
        register_type("collections.abc", "MutableMapping", (PyObject *)Py_TYPE(flags)) != 0;
    Py_XDECREF(flags);
    return failed ? -1 : 0;
}

#endif

int mend_decimal(interp *in, PyObject *module)
{
    (void)in;
    PyTypeObject *type = mend_type(module, "Context", "decimal.Context");
    if (!type)
        return 0;

    PyObject *context = PyObject_CallNoArgs((PyObject *)type);
    if (!context)
        return -1;

    find_signals(0, context, "traps");
    find_signals(1, context, "flags");
    int failed = PyErr_Occurred() || register_types(module, context) != 0;
    Py_DECREF(context);
    if (failed)
        return -1;
    if (mend_slots(type, place_of_dealloc, (mend_function)dealloc_context, &original_dealloc) != 0)
        return -1;
    return mend_slots(type, place_of_clear, (mend_function)clear_context, &original_clear);
}
