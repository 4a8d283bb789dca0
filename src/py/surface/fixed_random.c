/*
 * _random.Random takes a seed of the machine's when it is made, in C (tp_init) and so not by its
 * method seed(). The types are each interpreter's own, and the function the process's.
 */
#include "py/surface/fixed_random.h"

#include "py/core/fixed.h"

/* The same in every interpreter. */
static _Atomic(initproc) original;

/* Of the session's, where the arguments have none: a new reference. */
static PyObject *with_seed(PyObject *args)
{
    struct interp *in = fixed_seed_here();
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    unsigned long long drawn;

    if (!in || count > 1 || (count == 1 && PyTuple_GET_ITEM(args, 0) != Py_None))
        return Py_NewRef(args);
    fixed_draw(in, &drawn, sizeof drawn);
    return Py_BuildValue("(K)", drawn);
}

static int begin_random(PyObject *self, PyObject *args, PyObject *keywords)
{
    PyObject *seeded = with_seed(args);
    const int failed = seeded ? original(self, seeded, keywords) : -1;

    Py_XDECREF(seeded);
    return failed;
}

/* The method __init__ has a pointer of its own. */
static int replace_method(PyTypeObject *type)
{
    PyObject *dict = python_type_dict(type);
    PyObject *method = dict ? PyDict_GetItemString(dict, "__init__") : NULL; /* borrowed */

    if (method && Py_IS_TYPE(method, &PyWrapperDescr_Type))
        ((PyWrapperDescrObject *)method)->d_wrapped = (void *)begin_random;
    Py_XDECREF(dict);
    return dict ? 0 : -1;
}

/* And in what has inherited it. */
static int replace_in(PyTypeObject *type)
{
    PyObject *list = PyObject_CallMethod((PyObject *)type, "__subclasses__", NULL);
    int failed = !list || !PyList_Check(list);

    if (type->tp_init == original)
        type->tp_init = begin_random;
    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(list); i++)
        failed = replace_in((PyTypeObject *)PyList_GET_ITEM(list, i)) != 0;
    Py_XDECREF(list);
    return failed ? -1 : 0;
}

int fixed_random_adopt(PyObject *module)
{
    PyObject *found = PyDict_GetItemString(PyModule_GetDict(module), "Random"); /* borrowed */
    if (!found || !PyType_Check(found))
        return 0;

    PyTypeObject *type = (PyTypeObject *)found;
    if (type->tp_init == begin_random)
        return 0;
    if (type->tp_init == PyBaseObject_Type.tp_init) {
        PyErr_SetString(PyExc_RuntimeError, "_random.Random of this Python cannot be fixed");
        return -1;
    }
    original = type->tp_init;
    return replace_in(type) != 0 ? -1 : replace_method(type);
}
