#include "py/mend/mend.h"

#include <string.h>

/* CPython's own: static, or made by a module in C. A class statement's can always be a base. */
static int is_of_module(PyTypeObject *type)
{
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) ||
        !PyType_HasFeature(type, Py_TPFLAGS_BASETYPE))
        return 1;
    int has_module = PyType_GetModule(type) != NULL;
    PyErr_Clear();
    return has_module;
}

PyTypeObject *mend_type(PyObject *module, const char *name, const char *full_name)
{
    PyObject *found = PyDict_GetItemString(PyModule_GetDict(module), name); /* borrowed */
    if (!found || !PyType_Check(found))
        return NULL;
    PyTypeObject *type = (PyTypeObject *)found;
    return is_of_module(type) && strcmp(type->tp_name, full_name) == 0 ? type : NULL;
}

/* ---- methods ---- */

/* The definition that CPython has, whatever a cell has put into the type: its own are those of a
 * method descriptor of that very type. */
static PyMethodDef *method_definition(PyTypeObject *type, PyObject *dict, const char *name)
{
    PyObject *method = PyDict_GetItemString(dict, name); /* borrowed */
    if (!method || !Py_IS_TYPE(method, &PyMethodDescr_Type) || PyDescr_TYPE(method) != type)
        return NULL;
    return ((PyMethodDescrObject *)method)->d_method;
}

void mend_methods(PyTypeObject *type, mend_method *methods, size_t count)
{
    PyObject *dict = python_type_dict(type);

    for (size_t i = 0; dict && i < count; i++) {
        PyMethodDef *definition = method_definition(type, dict, methods[i].name);
        if (!definition || definition->ml_meth == methods[i].ours)
            continue;
        atomic_store(&methods[i].original, definition->ml_meth);
        __atomic_store_n(&definition->ml_meth, methods[i].ours, __ATOMIC_RELEASE);
    }
    Py_XDECREF(dict);
}

/* ---- slots ---- */

static void replace_wrappers(PyTypeObject *type, mend_function original, mend_function ours)
{
    PyObject *dict = python_type_dict(type), *name, *value;
    Py_ssize_t at = 0;

    while (dict && PyDict_Next(dict, &at, &name, &value)) {
        if (!Py_IS_TYPE(value, &PyWrapperDescr_Type))
            continue;
        PyWrapperDescrObject *wrapper = (PyWrapperDescrObject *)value;
        if ((mend_function)(uintptr_t)wrapper->d_wrapped == original)
            wrapper->d_wrapped = (void *)(uintptr_t)ours;
    }
    Py_XDECREF(dict);
}

/* Those that were made before have a copy of the slot. */
static int replace_below(PyTypeObject *type, mend_place place, mend_function original,
                         mend_function ours)
{
    mend_function *slot = place(type);

    if (slot && *slot == original)
        *slot = ours;

    PyObject *below = PyObject_CallMethod((PyObject *)&PyType_Type, "__subclasses__", "O", type);
    if (!below)
        return -1;

    int error = 0;
    for (Py_ssize_t i = 0; !error && i < PyList_GET_SIZE(below); i++)
        error = replace_below((PyTypeObject *)PyList_GET_ITEM(below, i), place, original, ours);
    Py_DECREF(below);
    return error;
}

int mend_slots(PyTypeObject *type, mend_place place, mend_function ours,
               _Atomic(mend_function) *original)
{
    mend_function *slot = place(type), found = slot ? *slot : NULL;
    int is_new = found && found != ours;

    if (is_new)
        atomic_store(original, found);
    replace_wrappers(type, atomic_load(original), ours);
    if (!is_new)
        return 0;
    return replace_below(type, place, found, ours);
}

/* ---- what is in use ---- */

/* By the object's address. A chain of iterators may be a million long: what is deeper than this is
 * refused, as other recursion is. */
enum { MOST_USES = 20000 };

static mend_use **uses_of(interp *in, const PyObject *object)
{
    uintptr_t at = (uintptr_t)object;
    return &in->uses[((at >> 4) ^ (at >> 10)) % (sizeof in->uses / sizeof *in->uses)];
}

void mend_begin(mend_use *use, PyObject *object)
{
    interp *in = interp_current;

    *use = (mend_use){ .object = Py_NewRef(object) };
    if (!in)
        return;

    mend_use **list = uses_of(in, object);
    use->behind = *list;
    if (use->behind)
        use->behind->before = use;
    *list = use;
    in->use_count++;
}

/* Threads of a session come and go in any order. */
void mend_end(mend_use *use)
{
    interp *in = interp_current;

    if (in)
        in->use_count--;
    if (use->before)
        use->before->behind = use->behind;
    else if (in)
        *uses_of(in, use->object) = use->behind;

    if (use->behind)
        use->behind->before = use->before;
    Py_DECREF(use->object);
}

int mend_refuse(PyObject *object)
{
    interp *in = interp_current;
    if (!in)
        return 0;

    if (in->use_count > MOST_USES) {
        PyErr_SetString(PyExc_RecursionError, "too many calls have not returned yet");
        return -1;
    }

    for (mend_use *use = *uses_of(in, object); use; use = use->behind) {
        if (use->object != object)
            continue;
        PyErr_Format(PyExc_RuntimeError, "a call of the same %.100s object has not returned yet",
                     Py_TYPE(object)->tp_name);
        return -1;
    }

    return 0;
}
