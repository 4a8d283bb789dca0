/*
 * compile() compiles text. A syntax tree becomes text before: CPython checks little of a tree that
 * a program has made, and takes any node for the kind that the grammar has at its place.
 */
#include "py/mend/mend.h"

#include <string.h>

typedef PyObject *(*compile_function)(PyObject *self, PyObject *const *args, Py_ssize_t count,
                                      PyObject *names);
static _Atomic(PyCFunction) original;

/* Exact: a subclass of str may have a __class__ that says that it is a tree. A new reference. */
static PyObject *text_of_source(PyObject *source)
{
    if (PyUnicode_CheckExact(source) || PyBytes_CheckExact(source))
        return Py_NewRef(source);
    if (PyUnicode_Check(source))
        return PyUnicode_FromObject(source);
    if (PyObject_CheckBuffer(source))
        return PyBytes_FromObject(source);
    if (!PyObject_HasAttrString(source, "_fields")) {
        PyErr_SetString(PyExc_TypeError, "compile() arg 1 must be a string, bytes or AST object");
        return NULL;
    }

    PyObject *ast = PyImport_ImportModule("ast");
    PyObject *text = ast ? PyObject_CallMethod(ast, "unparse", "O", source) : NULL;
    Py_XDECREF(ast);
    if (text && !PyUnicode_CheckExact(text)) {
        PyErr_SetString(PyExc_TypeError, "ast.unparse() returned no str");
        Py_CLEAR(text);
    }
    return text;
}

/* Of the argument among the positional ones and then the named ones; -1 where it is missing. */
static Py_ssize_t find_source(Py_ssize_t count, PyObject *names)
{
    Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;

    if (count > 0)
        return 0;
    for (Py_ssize_t i = 0; i < named; i++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "source") == 0)
            return i;
    return -1;
}

static PyObject *compile_text(PyObject *self, PyObject *const *args, Py_ssize_t count,
                              PyObject *names)
{
    compile_function call = (compile_function)(mend_function)atomic_load(&original);
    Py_ssize_t at = find_source(count, names), all = count + (names ? PyTuple_GET_SIZE(names) : 0);
    const interp *in = interp_current;
    PyObject *given[8];

    int is_own = count > 1 && interp_own.compiling && args[1] == interp_own.compiling;
    if (!in || in->options.is_full || is_own || at < 0 || all > 8)
        return call(self, args, count, names);

    memcpy(given, args, (size_t)all * sizeof *given);
    PyObject *text = given[at] = text_of_source(args[at]);
    PyObject *code = text ? call(self, given, count, names) : NULL;
    Py_XDECREF(text);
    return code;
}

void mend_compile(PyObject *module)
{
    PyObject *found = PyDict_GetItemString(PyModule_GetDict(module), "compile"); /* borrowed */
    if (!found || !PyCFunction_CheckExact(found) || PyCFunction_GET_SELF(found) != module)
        return;

    PyMethodDef *definition = ((PyCFunctionObject *)found)->m_ml;
    PyCFunction ours = (PyCFunction)(mend_function)compile_text;
    if (definition->ml_meth == ours || strcmp(definition->ml_name, "compile") != 0)
        return;
    atomic_store(&original, definition->ml_meth);
    __atomic_store_n(&definition->ml_meth, ours, __ATOMIC_RELEASE);
}
