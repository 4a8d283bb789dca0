#include "py/surface/fullmain.h"

#include <string.h>

#include "py/core/home.h"
#include "py/guard/gate.h"

/* ---- the thread's state ---- */

PyThreadState *fullmain_enter(void)
{
    PyThreadState *tstate = home_new_state();
    if (tstate) {
        internals_number_state(tstate);
        PyEval_RestoreThread(tstate);
    }
    return tstate;
}

void fullmain_leave(PyThreadState *tstate)
{
    PyThreadState_Clear(tstate);
    PyThreadState_DeleteCurrent();
}

/* ---- what is put back ---- */

/* Modules whose names sessions change, and lists of sys that they fill. */
static const char *const module_names[] = { "__main__", "builtins",  "sys",
                                            "_thread",  "itertools", "time" };
static const char *const list_names[] = { "path", "meta_path", "path_hooks" };
enum {
    MODULES = sizeof module_names / sizeof *module_names,
    LISTS = sizeof list_names / sizeof *list_names
};

/* The exception to "no file-level state": there is one main interpreter a process. Written by the
 * first session, before its first cell. */
static struct {
    int is_kept, is_used;
    PyObject *modules[MODULES], *dicts[MODULES], *lists[LISTS];
} first;

int fullmain_is_fresh(void)
{
    return !first.is_used;
}

static int keep_first(void)
{
    for (int i = 0; i < MODULES; i++) {
        PyObject *module = PyImport_ImportModule(module_names[i]);
        if (!module || !(first.dicts[i] = PyDict_Copy(PyModule_GetDict(module))))
            return -1;
        first.modules[i] = module;
    }

    for (int i = 0; i < LISTS; i++) {
        PyObject *list = PySys_GetObject(list_names[i]); /* borrowed */
        if (!list || !(first.lists[i] = PySequence_List(list)))
            return -1;
    }

    first.is_kept = 1;
    return 0;
}

/* The names that the guest has added go last: what they hold may have finalizers. */
static int put_back_dict(PyObject *dict, PyObject *before)
{
    PyObject *names = PyDict_Update(dict, before) == 0 ? PyDict_Keys(dict) : NULL;
    int failed = !names;

    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(names); i++) {
        PyObject *name = PyList_GET_ITEM(names, i);
        int is_known = PyDict_Contains(before, name);
        if (is_known == 0 && PyDict_DelItem(dict, name) != 0)
            PyErr_Clear(); /* a finalizer was quicker */
        failed = is_known < 0;
    }

    Py_XDECREF(names);
    return failed ? -1 : 0;
}

/* Ours are loaded again, as the guest may have changed them. */
static int forget_frozen(PyObject *modules)
{
    PyObject *names = PyDict_Keys(modules);
    int failed = !names;

    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(names); i++) {
        PyObject *name = PyList_GET_ITEM(names, i);
        const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
        PyErr_Clear();
        if (text && strncmp(text, "_snug", 5) == 0 && PyDict_DelItem(modules, name) != 0)
            PyErr_Clear();
    }

    Py_XDECREF(names);
    return failed ? -1 : 0;
}

int fullmain_restore(void)
{
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    int was_used = first.is_used;

    first.is_used = 1;
    if (!was_used)
        return first.is_kept ? 0 : keep_first();

    for (int i = 0; i < MODULES; i++) {
        if (PyDict_SetItemString(modules, module_names[i], first.modules[i]) != 0)
            return -1;
        if (put_back_dict(PyModule_GetDict(first.modules[i]), first.dicts[i]) != 0)
            return -1;
    }

    for (int i = 0; i < LISTS; i++) {
        PyObject *list = PySequence_List(first.lists[i]);
        int failed = !list || PySys_SetObject(list_names[i], list) != 0;
        Py_XDECREF(list);
        if (failed)
            return -1;
    }

    return forget_frozen(modules);
}

/* ---- packages ---- */

/* Calls a function of frozen/full.py. */
static int call_frozen(interp *in, const char *name, PyObject *argument)
{
    PyObject *module = gate_load(in, "_snug_full");
    PyObject *function = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *answer = function ? PyObject_CallOneArg(function, argument) : NULL;
    Py_XDECREF(answer);
    Py_XDECREF(function);
    Py_XDECREF(module);
    return answer ? 0 : -1;
}

int fullmain_warm(void)
{
    PyObject *frozen = PyImport_ImportModule("_snug_full");
    PyObject *answer = frozen ? PyObject_CallMethod(frozen, "adopt_loaded", NULL) : NULL;
    int failed = !answer || keep_first() != 0;
    Py_XDECREF(answer);
    Py_XDECREF(frozen);
    return failed ? -1 : 0;
}

int fullmain_begin(interp *in)
{
    PyObject *folder = PyUnicode_DecodeFSDefault(in->options.workdir);
    int failed = !folder || call_frozen(in, "begin", folder) != 0;
    Py_XDECREF(folder);
    return failed ? -1 : 0;
}

int fullmain_adopt(interp *in, PyObject *module)
{
    return call_frozen(in, "adopt", module);
}

int fullmain_show_figures(interp *in, PyObject *value)
{
    return call_frozen(in, "show_figures", value ? value : Py_None);
}

void fullmain_drop_figures(interp *in)
{
    call_frozen(in, "drop_figures", Py_None);
    PyErr_Clear();
}
