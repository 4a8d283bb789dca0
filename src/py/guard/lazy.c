#include "py/guard/lazy.h"

#include "py/guard/gate.h"

/*
 * CPython's function makes a placeholder, which keeps the builtins of the globals that it is given.
 * When the name is used, it is their __import__ that loads the module, called from whatever code
 * uses the name. So each placeholder gets builtins of its own, which nobody else has: their
 * __import__ knows whose the statement was, and no cell can call it with another name.
 */

static PyObject *import_whole(interp *in, const gate_import *want)
{
    return gate_import_whole(in, want->name, want->globals, want->locals, want->names, want->level);
}

static PyObject *import_for_library(interp *in, const gate_import *want)
{
    return gate_import_for_library(in, want->name, want->globals, want->locals, want->names,
                                   want->level);
}

/* ---- when the name is used ---- */

static PyObject *load_for_cell(PyObject *self, PyObject *args)
{
    gate_import want;

    (void)self;
    if (gate_read_import(&want, args, NULL, "U|OOOi:__import__") != 0)
        return NULL;

    interp *in = interp_current;
    PyObject *module;
    if (in)
        module = gate_import_for_cell(in, want.name, want.names, want.level);
    else
        module = import_whole(in, &want);
    Py_DECREF(want.name);
    return module;
}

static PyObject *load_declared(interp *in, const gate_import *want)
{
    if (!in || !in->is_guarded || in->options.is_full)
        return import_whole(in, want);
    if (gate_find_caller(in, want->globals) == GATE_CELL)
        return gate_import_for_cell(in, want->name, want->names, want->level);
    return import_for_library(in, want);
}

static PyObject *load_for_library(PyObject *self, PyObject *args)
{
    gate_import want;

    (void)self;
    if (gate_read_import(&want, args, NULL, "U|OOOi:__import__") != 0)
        return NULL;

    PyObject *module = load_declared(interp_current, &want);
    Py_DECREF(want.name);
    return module;
}

static PyMethodDef of_cell = { "__import__", load_for_cell, METH_VARARGS, NULL };
static PyMethodDef of_library = { "__import__", load_for_library, METH_VARARGS, NULL };

/* ---- when the statement runs ---- */

static PyObject *make_builtins(PyMethodDef *method)
{
    PyObject *builtins = PyDict_New(), *function = PyCFunction_New(method, NULL);
    if (!function || !builtins || PyDict_SetItemString(builtins, "__import__", function) != 0)
        Py_CLEAR(builtins);
    Py_XDECREF(function);
    return builtins;
}

/* What tells the name of a relative import, and the builtins. */
static PyObject *make_globals(PyObject *globals, PyMethodDef *method)
{
    static const char *const names[] = { "__name__", "__package__", "__spec__", "__path__" };

    PyObject *builtins = make_builtins(method), *own = builtins ? PyDict_New() : NULL;
    int failed = !own || PyDict_SetItemString(own, "__builtins__", builtins) != 0;
    for (size_t i = 0; !failed && i < sizeof names / sizeof *names; i++) {
        PyObject *value = PyDict_GetItemString(globals, names[i]); /* borrowed */
        failed = value && PyDict_SetItemString(own, names[i], value) != 0;
    }

    Py_XDECREF(builtins);
    if (failed)
        Py_CLEAR(own);
    return own;
}

/* The placeholder; or the module, where a filter of the guest's wants no placeholder. */
static PyObject *declare(interp *in, const gate_import *want, PyMethodDef *method)
{
    PyObject *globals = want->globals ? want->globals : PyEval_GetGlobals();
    if (!globals || !PyDict_Check(globals)) {
        PyErr_SetString(PyExc_TypeError, "globals must be a dict");
        return NULL;
    }

    PyObject *own = make_globals(globals, method), *answer = NULL;
    if (own)
        answer = PyObject_CallFunction(in->lazy_import, "OOOOi", want->name, own, own,
                                       want->names ? want->names : Py_None, want->level);
    Py_XDECREF(own);

    if (answer && PyModule_Check(answer) && module_hooks.on_import(in) != 0)
        Py_CLEAR(answer);
    return answer;
}

static int is_of_library(interp *in, const PyObject *globals)
{
    if (!in->is_guarded)
        return 1;
    if (in->options.is_full)
        return !gate_is_of_cell(in, globals);
    return gate_find_caller(in, globals) == GATE_STATEMENT;
}

/* As a statement has them. CPython takes one name too, as a str, and would format a subclass. */
static int are_plain(PyObject *names)
{
    if (!names || names == Py_None)
        return 1;
    if (!PyTuple_CheckExact(names))
        return 0;

    Py_ssize_t left = PyTuple_GET_SIZE(names);
    while (left > 0 && PyUnicode_CheckExact(PyTuple_GET_ITEM(names, left - 1)))
        left--;
    return left == 0;
}

static PyObject *import_lazily(interp *in, const gate_import *want)
{
    /* A host's thread; or the interpreter ends, and has no original any more. */
    if (!in)
        return import_whole(in, want);

    if (is_of_library(in, want->globals))
        return in->lazy_import ? declare(in, want, &of_library) : import_for_library(in, want);

    /* A placeholder also marks the module as one to load when its package is asked for it, and then
     * no __import__ is called: so what a cell may not have gets none. */
    if (in->lazy_import && want->level == 0 && are_plain(want->names) &&
        gate_is_public(in, want->name, want->names))
        return declare(in, want, &of_cell);
    return gate_import_for_cell(in, want->name, want->names, want->level);
}

static PyObject *import_by_name(PyObject *self, PyObject *args, PyObject *keywords)
{
    gate_import want;

    (void)self;
    if (gate_read_import(&want, args, keywords, "U|OOOi:__lazy_import__") != 0)
        return NULL;

    PyObject *answer = import_lazily(interp_current, &want);
    Py_DECREF(want.name);
    return answer;
}

static PyMethodDef lazy_method = {
    "__lazy_import__", (PyCFunction)(void (*)(void))import_by_name, METH_VARARGS | METH_KEYWORDS,
    "__lazy_import__(name, globals=None, locals=None, fromlist=(), level=0)\n\n"
    "Import a module that the session's profile allows when it is used."
};

int lazy_install(interp *in)
{
    PyObject *original = PyDict_GetItemString(in->builtins, lazy_method.ml_name); /* borrowed */
    if (!original)
        return 0;

    /* Not of the function: a cell would see it as its __self__. */
    Py_XSETREF(in->lazy_import, Py_NewRef(original));
    return gate_put_builtin(in, &lazy_method);
}
