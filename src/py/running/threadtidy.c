/*
 * What a stop leaves behind in module threading.
 */
#include "py/core/state.h"
#include "py/running/threads.h"

/* The value of a name in an object's own dict, as the type wants it; borrowed, or NULL. */
static PyObject *own_value(PyObject *object, const char *name, PyTypeObject *type)
{
    PyObject **dict = object ? _PyObject_GetDictPtr(object) : NULL;
    PyObject *value = dict && *dict ? PyDict_GetItemString(*dict, name) : NULL;
    return value && Py_IS_TYPE(value, type) ? value : NULL;
}

#if !PYTHON_THREAD_HANDLES
/* A stop in the midst of join() leaves a thread's lock taken, and threading waits for it
 * at the next join and at the interpreter's end. No code of the guest's runs here. */
static void forget_locks(PyObject *module)
{
    PyObject *locks = own_value(module, "_shutdown_locks", &PySet_Type);
    PyObject *dict = PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
    PyObject *dangling = dict ? PyDict_GetItemString(dict, "_dangling") : NULL;
    PyObject *main_thread = dict ? PyDict_GetItemString(dict, "_main_thread") : NULL;
    PyObject *known = own_value(dangling, "data", &PySet_Type);
    PyObject *references = known ? PySequence_List(known) : NULL;

    for (Py_ssize_t i = 0; references && i < PyList_GET_SIZE(references); i++) {
        PyObject *reference = PyList_GET_ITEM(references, i);
        PyObject *found =
            PyWeakref_CheckRef(reference) ? PyWeakref_GetObject(reference) : NULL; /* borrowed */
        PyObject **own = found && found != main_thread ? _PyObject_GetDictPtr(found) : NULL;
        if (own && *own && PyDict_GetItemString(*own, "_tstate_lock")) {
            PyDict_SetItemString(*own, "_tstate_lock", Py_None);
            PyDict_SetItemString(*own, "_is_stopped", Py_True);
        }
    }

    if (locks)
        PySet_Clear(locks);
    Py_XDECREF(references);
    PyErr_Clear();
}
#endif

void threads_forget(interp *in)
{
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    PyObject *module = in->options.threads > 0 ? PyDict_GetItemString(modules, "threading") : NULL;
    PyObject *active = own_value(module, "_active", &PyDict_Type);
    PyObject *own = active ? PyLong_FromUnsignedLong(PyThread_get_thread_ident()) : NULL;
    PyObject *idents = own ? PyDict_Keys(active) : NULL;

    for (Py_ssize_t i = 0; idents && i < PyList_GET_SIZE(idents); i++) {
        PyObject *ident = PyList_GET_ITEM(idents, i);
        if (PyLong_CheckExact(ident) && PyObject_RichCompareBool(ident, own, Py_EQ) == 0)
            PyDict_DelItem(active, ident);
        PyErr_Clear();
    }

    PyObject *limbo = own_value(module, "_limbo", &PyDict_Type);
    if (limbo)
        PyDict_Clear(limbo);
#if !PYTHON_THREAD_HANDLES
    if (module)
        forget_locks(module);
#endif
    Py_XDECREF(idents);
    Py_XDECREF(own);
    PyErr_Clear();
}
