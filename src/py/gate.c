#include "py/gate.h"

#include <string.h>

#include "py/adopt.h"
#include "py/runtime.h"

/* Raises what an import of the module gets that this caller must not have, and
 * answers NULL. What does not exist in any Python here is missing, not denied. */
static PyObject *refuse(interp *in, const char *module, size_t len, int is_logged)
{
    char reason[512];
    int exists = runtime_has_module(module, len) ||
                 allowlist_verdict(in->options.modules, module, len) != ALLOW_NEVER;
    allowlist_explain(in->options.modules, module, exists, reason, sizeof reason);
    PyObject *type = exists ? in->import_denied : PyExc_ModuleNotFoundError;
    PyObject *name = PyUnicode_DecodeUTF8(module, (Py_ssize_t)len, "replace");
    PyObject *message = exists ? PyUnicode_FromString(reason)
                               : PyUnicode_FromFormat("No module named '%U'", name);
    PyObject *error = name && message ? PyObject_CallOneArg(type, message) : NULL;
    if (error && PyObject_SetAttrString(error, "name", name) == 0) {
        interp_hint(in, error, reason);
        PyErr_SetObject(type, error);
    }
    if (exists && is_logged)
        interp_deny(in, "import", module, len);
    Py_XDECREF(error);
    Py_XDECREF(message);
    Py_XDECREF(name);
    return NULL;
}

/* `from package import name` may load package.name, which can have a line of its
 * own in the profile. */
static int allows_names(interp *in, const char *module, PyObject *names)
{
    if (!names || !PyTuple_CheckExact(names))
        return 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        char full[256];
        PyObject *item = PyTuple_GET_ITEM(names, i);
        const char *name = PyUnicode_Check(item) ? PyUnicode_AsUTF8(item) : NULL;
        if (!name) {
            PyErr_Clear();
            continue;
        }
        int len = snprintf(full, sizeof full, "%s.%s", module, name);
        if (len < (int)sizeof full &&
            allowlist_verdict(in->options.modules, full, (size_t)len) != ALLOW_PUBLIC) {
            refuse(in, full, (size_t)len, 1);
            return 0;
        }
    }
    return 1;
}

static PyObject *load(PyObject *name, PyObject *globals, PyObject *locals, PyObject *names,
                      int level)
{
    PyObject *module = PyImport_ImportModuleLevelObject(name, globals, locals, names, level);
    if (module && adopt_loaded(interp_current) != 0)
        Py_CLEAR(module);
    return module;
}

/* An import that a cell wrote, or that C code makes while the cell runs. */
static PyObject *import_for_cell(interp *in, PyObject *name, PyObject *names, int level)
{
    Py_ssize_t len;
    if (level != 0) {
        PyErr_SetString(PyExc_ImportError,
                        "attempted relative import with no known parent package");
        return NULL;
    }
    const char *module = PyUnicode_AsUTF8AndSize(name, &len);
    if (!module)
        return NULL;
    if (allowlist_verdict(in->options.modules, module, (size_t)len) != ALLOW_PUBLIC)
        return refuse(in, module, (size_t)len, 1);
    if (!allows_names(in, module, names))
        return NULL;
    return load(name, NULL, NULL, names, 0);
}

/* The name of the module, "" where it is relative; NULL with an exception. */
static const char *module_text(PyObject *name, int level, Py_ssize_t *len)
{
    *len = 0;
    return level > 0 ? "" : PyUnicode_AsUTF8AndSize(name, len);
}

static PyObject *import_for_stdlib(interp *in, PyObject *name, PyObject *globals,
                                   PyObject *locals, PyObject *names, int level)
{
    Py_ssize_t len;
    const char *module = module_text(name, level, &len);
    if (!module)
        return NULL;
    if (level == 0 && allowlist_verdict(in->options.modules, module, (size_t)len) == ALLOW_NEVER)
        return refuse(in, module, (size_t)len, 0);
    return load(name, globals, locals, names, level);
}

static PyObject *gate_import(PyObject *self, PyObject *args, PyObject *keywords)
{
    static const char *const words[] = { "name", "globals", "locals", "fromlist", "level", NULL };
    (void)self;
    PyObject *name, *globals = NULL, *locals = NULL, *names = NULL;
    int level = 0;
    interp *in = interp_current;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "U|OOOi:__import__",
                                     (char **)(uintptr_t)words, &name, &globals, &locals, &names,
                                     &level))
        return NULL;
    if (!in || !in->is_guarded)
        return PyImport_ImportModuleLevelObject(name, globals, locals, names, level);
    if (interp_caller_is_trusted(in))
        return import_for_stdlib(in, name, globals, locals, names, level);
    return import_for_cell(in, name, names, level);
}

static PyMethodDef import_method = {
    "__import__", (PyCFunction)(void (*)(void))gate_import, METH_VARARGS | METH_KEYWORDS,
    "__import__(name, globals=None, locals=None, fromlist=(), level=0)\n\n"
    "Import a module that the session's profile allows."
};

int gate_install(interp *in)
{
    PyObject *owner = PyUnicode_FromString("builtins");
    PyObject *function = owner ? PyCFunction_NewEx(&import_method, NULL, owner) : NULL;
    int failed = !function || PyDict_SetItemString(in->builtins, "__import__", function) != 0;
    Py_XDECREF(function);
    Py_XDECREF(owner);
    return failed ? -1 : 0;
}

int gate_audit_load(interp *in, PyObject *name)
{
    Py_ssize_t len;
    const char *module =
        PyUnicode_CheckExact(name) ? PyUnicode_AsUTF8AndSize(name, &len) : NULL;
    if (!module) {
        PyErr_SetString(in->import_denied, "the name of a module must be a string");
        return -1;
    }
    if (allowlist_verdict(in->options.modules, module, (size_t)len) != ALLOW_NEVER)
        return 0;
    refuse(in, module, (size_t)len, 0);
    return -1;
}
