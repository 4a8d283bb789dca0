/*
 * What an interpreter has and knows before its first cell.
 */
#include "py/cell/compile.h"
#include "py/cell/magic.h"
#include "py/core/exceptions.h"
#include "py/core/state.h"
#include "py/guard/gate.h"
#include "py/guard/loader.h"
#include "py/guard/relative.h"
#include "py/host/print.h"
#include "py/host/stdstream.h"
#include "py/host/tool.h"
#include "py/surface/fixed_functions.h"
#include "py/surface/fullmain.h"
#include "py/surface/patch_c.h"
#include "py/surface/patch_py.h"
#include "py/value/publish.h"

static PyObject *quit(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *code = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : Py_None;
    PyErr_SetObject(PyExc_SystemExit, code);
    return NULL;
}

/* Loaded at the first call: pydoc is large. */
static PyObject *show_help(PyObject *self, PyObject *args)
{
    (void)self;
    interp *in = interp_current;
    PyObject *module = gate_load(in, "_snug_help"), *answer = NULL;
    if (!module)
        return NULL;

    PyObject *function = PyObject_GetAttrString(module, "describe");
    Py_DECREF(module);
    if (function)
        answer = PyObject_CallObject(function, args);
    Py_XDECREF(function);
    return answer;
}

/* What site would add. */
static PyMethodDef site_methods[] = {
    { "quit", quit, METH_VARARGS, "End the cell; the session goes on." },
    { "exit", quit, METH_VARARGS, "End the cell; the session goes on." },
    { "help", show_help, METH_VARARGS, "help(object)\n\nPrint what is known of an object." },
};

static int set_builtin(interp *in, const char *name, PyObject *value)
{
    int failed = !value || PyDict_SetItemString(in->builtins, name, value) != 0;
    Py_XDECREF(value);
    return failed;
}

static int set_up_builtins(interp *in)
{
    for (size_t i = 0; i < sizeof site_methods / sizeof *site_methods; i++)
        if (set_builtin(in, site_methods[i].ml_name, PyCFunction_New(&site_methods[i], NULL)))
            return -1;
#ifndef SNUG_STATIC_PYTHON
    /* Before a cell can put another one there. */
    in->compile = Py_XNewRef(PyDict_GetItemString(in->builtins, "compile"));
#endif
    if (print_install(in) != 0 || publish_install(in) != 0 || tool_install(in) != 0 ||
        magic_install(in) != 0)
        return -1;

    return gate_install(in);
}

/* A stop that hits a finalizer or a weak reference's callback is in the result
 * and not on stderr as well. */
static PyObject *on_unraisable(PyObject *self, PyObject *unraisable)
{
    (void)self;
    interp *in = interp_current;
    PyObject *type = PyObject_GetAttrString(unraisable, "exc_type");
    int is_stop = in && type == in->stopped;
    Py_XDECREF(type);
    PyErr_Clear();
    if (is_stop)
        Py_RETURN_NONE;
    PyObject *original = PySys_GetObject("__unraisablehook__"); /* borrowed */
    if (!original)
        Py_RETURN_NONE;
    return PyObject_CallOneArg(original, unraisable);
}

static PyMethodDef unraisable_method = { "unraisablehook", on_unraisable, METH_O,
                                         "Show an exception that could not be raised." };

static int set_up_unraisable(void)
{
    PyObject *hook = PyCFunction_New(&unraisable_method, NULL);
    int failed = !hook || PySys_SetObject("unraisablehook", hook) != 0;
    Py_XDECREF(hook);
    return failed ? -1 : 0;
}

/* What sys would tell of the host, and a limit that 3.11.2 leaves off in
 * subinterpreters. */
static int set_up_sys(void)
{
    PyObject *arguments = Py_BuildValue("[s]", "");
    PyObject *nothing = PyUnicode_FromString("");
    int failed = !arguments || PySys_SetObject("argv", arguments) != 0 || !nothing ||
                 PySys_SetObject("executable", nothing) != 0;

    Py_XDECREF(nothing);
    Py_XDECREF(arguments);
#if PYTHON_SHARES_INT_DIGITS
    PyObject *set_limit = PySys_GetObject("set_int_max_str_digits"); /* borrowed */
    PyObject *answer = NULL;
    if (set_limit)
        answer = PyObject_CallFunction(set_limit, "i", 4300);
    failed = failed || !answer;
    Py_XDECREF(answer);
#endif
    if (failed || set_up_unraisable() != 0)
        return -1;
    return stdstream_install();
}

/* Behind the standard library; of a full session before it, as a virtual environment's. */
static int set_up_path(interp *in)
{
    if (!in->options.packages || in->has_session)
        return 0;
    PyObject *path = PySys_GetObject("path"); /* borrowed */
    PyObject *folder = PyUnicode_DecodeFSDefault(in->options.packages);
    int failed = !path || !folder || !PyList_Check(path) ||
                 PyList_Insert(path, in->options.is_full ? 0 : PyList_GET_SIZE(path), folder) != 0;
    Py_XDECREF(folder);
    return failed ? -1 : 0;
}

static int set_up_names(interp *in)
{
    static const char *const last_names[] = { "_", "__", "___" };

    for (size_t i = 0; i < 3; i++)
        if (!(in->last_names[i] = PyUnicode_InternFromString(last_names[i])))
            return -1;

    in->in_list = Py_BuildValue("[s]", "");
    in->out_dict = PyDict_New();
    if (!in->in_list || !in->out_dict)
        return -1;
    if (PyDict_SetItemString(in->main, "In", in->in_list) != 0)
        return -1;
    return PyDict_SetItemString(in->main, "Out", in->out_dict);
}

static int take_main_names(interp *in)
{
    PyObject *module = PyImport_AddModule("__main__"); /* borrowed */
    if (!module)
        return -1;
    in->main = Py_NewRef(PyModule_GetDict(module));
    in->builtins = Py_NewRef(PyEval_GetBuiltins());
    in->value_name = PyUnicode_InternFromString("<value>");
    return in->value_name ? set_up_sys() : -1;
}

int interp_set_up_full(interp *in)
{
    if (take_main_names(in) != 0 || set_up_path(in) != 0 || set_up_builtins(in) != 0 ||
        set_up_names(in) != 0 || compile_prepare(in) != 0 || surface_adopt_loaded(in) != 0 ||
        loader_install_lock(in) != 0 || relative_install(in) != 0 || adopt_loaded(in) != 0)
        return -1;
    changes_take(NULL, in, NULL);
    return 0;
}

int interp_set_up(interp *in)
{
    if (loader_find_folders() != 0 || take_main_names(in) != 0 || exceptions_make(in) != 0 ||
        set_up_builtins(in) != 0 || set_up_names(in) != 0 || compile_prepare(in) != 0 ||
        surface_adopt_loaded(in) != 0 || loader_install(in) != 0 || relative_install(in) != 0 ||
        adopt_loaded(in) != 0)
        return -1;
    changes_take(NULL, in, NULL);
    return 0;
}

int interp_set_up_session(interp *in)
{
    if ((!in->options.is_full && set_up_path(in) != 0) || tool_install_input(in) != 0 ||
        (in->options.is_full && !in->has_session && fullmain_begin(in) != 0) ||
        fixed_functions_begin(in) != 0)
        return -1;
    in->has_session = 1;
    return 0;
}
