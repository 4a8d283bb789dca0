#include "py/guard/gate.h"

#include <limits.h>
#include <opcode.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "py/core/cell_notes.h"
#include "py/core/home.h"
#include "py/core/python.h"
#include "py/core/raised.h"
#include "py/core/state.h"
#include "py/core/stopping.h"
#include "py/core/trust.h"
#include "py/guard/package_imports.h"

/* ---- workmodule ---- */

/* Modules that cells have written into the work directory.
 *
 * The caller holds the interpreter. */

static int has_type(const char *path, mode_t type)
{
    struct stat facts;
    return lstat(path, &facts) == 0 && (facts.st_mode & S_IFMT) == type;
}

static int is_module_name(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_name(text[i]))
            return 0;
    return len > 0;
}

/* Whether the folder has a file NAME.py, or a folder of that name; symbolic links are none. NULL:
 * no.
 */
static int workmodule_exists(const char *workdir, const char *name, size_t len)
{
    char path[PATH_MAX];

    if (!workdir || !is_module_name(name, len))
        return 0;
    int end = snprintf(path, sizeof path, "%s/%.*s", workdir, (int)len, name);
    if (end < 0 || (size_t)end + sizeof ".py" > sizeof path)
        return 0;
    if (has_type(path, S_IFDIR))
        return 1;
    memcpy(path + end, ".py", sizeof ".py");
    return has_type(path, S_IFREG);
}

/* Whether code of that file name may be such a module's: a relative one, which packages have not.
 */
static int workmodule_is_code(const char *filename)
{
    return filename[0] != '/' && filename[0] != '<';
}

/* What a relative import means in a module with these globals, which may be NULL; a new reference,
 * or NULL with an exception. */
static PyObject *workmodule_absolute_name(PyObject *globals, PyObject *name, int level)
{
    PyObject *package = NULL; /* borrowed */
    if (globals && PyDict_Check(globals))
        package = PyDict_GetItemString(globals, "__package__");

    Py_ssize_t len = 0;
    const char *text = "";
    if (package && PyUnicode_CheckExact(package))
        text = PyUnicode_AsUTF8AndSize(package, &len);
    if (!text)
        return NULL;
    if (len == 0) {
        PyErr_SetString(PyExc_ImportError,
                        "attempted relative import with no known parent package");
        return NULL;
    }

    for (; level > 1; level--) {
        const char *dot = memrchr(text, '.', (size_t)len);
        if (!dot) {
            PyErr_SetString(PyExc_ImportError,
                            "attempted relative import beyond top-level package");
            return NULL;
        }
        len = dot - text;
    }

    PyObject *start = PyUnicode_DecodeUTF8(text, len, NULL), *answer = start;
    if (start && PyUnicode_GET_LENGTH(name) > 0) {
        answer = PyUnicode_FromFormat("%U.%U", start, name);
        Py_DECREF(start);
    }
    return answer;
}

static PyObject *raise_import_error(PyObject *type, PyObject *name, PyObject *message)
{
    if (!name || !message)
        return NULL;
    PyObject *error = PyObject_CallOneArg(type, message);
    if (error && PyObject_SetAttrString(error, "name", name) == 0)
        PyErr_SetObject(type, error);
    return error;
}

static void explain_module(interp *in, const char *module, size_t len, int exists, char *reason,
                           size_t size)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)(len < 255 ? len : 255), module);
    allowlist_explain(in->options.modules, name, exists, reason, size);
}

/* A full session may have what is installed, if it is allowed by name. */
static int is_installed(const interp *in, const char *module, size_t len)
{
    return in->options.is_full && packages_has(in->options.packages, module, len);
}

static void explain_package(interp *in, const char *module, size_t len, int exists, char *reason,
                            size_t size)
{
    str text = { 0 };
    size_t first = strcspn(module, ".");

    if (!exists)
        packages_explain(&text, in->options.packages, module, len);
    else
        str_printf(&text,
                   "%.*s is installed here, but not allowed in this session: allow it by "
                   "--allow %.*s",
                   (int)len, module, (int)first, module);

    snprintf(reason, size, "%s", str_text(&text));
    str_free(&text);
}

/* Raises what the cell gets for a module it must not have, and answers NULL. What
 * exists in no Python here is missing, not denied. */
static PyObject *refuse_module(interp *in, const char *module, size_t len)
{
    char reason[512];
    const char *dot;
    int is_package = in->options.is_full && !home_has_module(module, len);
    int exists = home_has_module(module, len) || is_installed(in, module, len) ||
                 allowlist_verdict(in->options.modules, module, len) != ALLOW_NEVER;

    /* Of a missing package, Python names the package and not the module in it. */
    if (!exists && (dot = memchr(module, '.', len)))
        len = (size_t)(dot - module);
    if (is_package)
        explain_package(in, module, len, exists, reason, sizeof reason);
    else
        explain_module(in, module, len, exists, reason, sizeof reason);

    /* While the interpreter ends, only the built-in base of our exception is left. */
    PyObject *denied = in->import_denied ? in->import_denied : PyExc_ImportError;
    PyObject *type = exists ? denied : PyExc_ModuleNotFoundError;
    PyObject *name = PyUnicode_DecodeUTF8(module, (Py_ssize_t)len, "replace");
    PyObject *message =
        exists ? PyUnicode_FromString(reason) : PyUnicode_FromFormat("No module named '%U'", name);
    PyObject *error = raise_import_error(type, name, message);
    if (error)
        interp_hint(in, error, reason);
    if (exists)
        interp_deny(in, "import", module, len);
    Py_XDECREF(error);
    Py_XDECREF(message);
    Py_XDECREF(name);
    return NULL;
}

/* The same for the standard library, which asks for what may be missing and goes
 * on without it: a module that is in no profile is simply not there. */
static PyObject *raise_missing(PyObject *name)
{
    PyObject *message = PyUnicode_FromFormat("No module named '%U'", name);
    Py_XDECREF(raise_import_error(PyExc_ModuleNotFoundError, name, message));
    Py_XDECREF(message);
    return NULL;
}

/* Whether the verdict of module.name, which `from module import name` may load, is
 * public, for every name; a submodule can have a line of its own. */
static int names_are_public(interp *in, const char *module, PyObject *names)
{
    if (!names || !PyTuple_CheckExact(names) || PyTuple_GET_SIZE(names) == 0)
        return allowlist_verdict(in->options.modules, module, strlen(module)) == ALLOW_PUBLIC;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        char full[256];
        PyObject *item = PyTuple_GET_ITEM(names, i);
        if (!PyUnicode_Check(item))
            return 0;
        const char *name = PyUnicode_AsUTF8(item);
        if (!name) {
            PyErr_Clear();
            return 0;
        }
        int len = snprintf(full, sizeof full, "%s.%s", module, name);
        if (len < 0 || len >= (int)sizeof full)
            return 0;
        if (allowlist_verdict(in->options.modules, full, (size_t)len) != ALLOW_PUBLIC)
            return 0;
    }

    return 1;
}

/* With packages allowed, these may import each other: what is written in Python has no power
 * that a cell does not have. */
static allow_verdict judge_module(const interp *in, const char *module, size_t len)
{
    allow_verdict answer = allowlist_verdict(in->options.modules, module, len);
    if (answer == ALLOW_NEVER && in->options.packages && !home_has_module(module, len))
        return ALLOW_INTERNAL;
    return answer;
}

/* Frozen, harmless to a cell that gets at them, and in no profile. */
static int is_own_module(const char *module)
{
    return strncmp(module, "_snug", 5) == 0;
}

/* Whether the statement loads something of a package. */
static int loads_package(PyObject *name, PyObject *names)
{
    const char *text = PyUnicode_AsUTF8(name);
    if (!text || is_own_module(text) || home_has_module(text, strlen(text)))
        return 0;

    PyObject *module = PyDict_GetItemWithError(PyImport_GetModuleDict(), name); /* borrowed */
    if (!module || !PyModule_Check(module))
        return 1;
    if (!names || !PyTuple_Check(names))
        return 0;

    PyObject *dict = PyModule_GetDict(module);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++)
        if (!PyDict_GetItemWithError(dict, PyTuple_GET_ITEM(names, i)))
            return 1;
    return 0;
}

/* In a full session: packages with extensions cannot be imported again where a stop has ended
 * that. numpy 2 then raises "CPU dispatcher tracer already initialized" or is mixed of two, and
 * what pybind11 has registered stays so; matplotlib finds classes of both. */
static int must_end(const interp *in, PyObject *name, PyObject *names, int level)
{
    int answer = in && in->options.is_full && level == 0 && loads_package(name, names);
    PyErr_Clear();
    return answer;
}

/* A stop waits for these as it does for a report; where it takes longer than the ladder has
 * patience, the interpreter is given up. */
static PyObject *gate_import_whole(interp *in, PyObject *name, PyObject *globals, PyObject *locals,
                                   PyObject *names, int level)
{
    int is_held = must_end(in, name, names, level) && in->is_guarded && !interp_is_settled(in);
    if (is_held && interp_check_stop(in) != 0)
        return NULL;

    if (is_held)
        interp_settle(in);
    PyObject *module = PyImport_ImportModuleLevelObject(name, globals, locals, names, level);
    if (is_held)
        interp_unsettle(in);
    return module;
}

static PyObject *load_module(PyObject *name, PyObject *globals, PyObject *locals, PyObject *names,
                             int level)
{
    PyObject *module = gate_import_whole(interp_current, name, globals, locals, names, level);
    if (module && module_hooks.on_import(interp_current) != 0)
        Py_CLEAR(module);
    return module;
}

/* What an allowed package has loaded of its own kind: sympy has source of its making import
 * mpmath. */
static int came_with_package(const interp *in, PyObject *name, const char *module, size_t len)
{
    return in->options.packages && !in->options.is_full && !home_has_module(module, len) &&
           PyDict_GetItemWithError(PyImport_GetModuleDict(), name) != NULL;
}

/* What cells get modules of ours for: displays, where IPython is not there, and questions that the
 * host asks, where Python's own would want a terminal. */
static const struct stand_in {
    const char *name, *module;
    const char *package; /* which `import a.b` binds: that of a */
    int is_first;        /* also where a module of that name could be imported */
} stand_ins[] = {
    { "IPython", "_snug_ipython", "_snug_ipython", 0 },
    { "IPython.display", "_snug_display", "_snug_ipython", 0 },
    { "IPython.core.display", "_snug_display", "_snug_ipython", 0 },
    { "IPython.core.display_functions", "_snug_display", "_snug_ipython", 0 },
    { "getpass", "_snug_getpass", "_snug_getpass", 1 },
};

static const struct stand_in *find_stand_in(const char *module)
{
    for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++)
        if (strcmp(module, stand_ins[i].name) == 0)
            return &stand_ins[i];
    return NULL;
}

int gate_has_stand_in(const char *module)
{
    return find_stand_in(module) != NULL;
}

static PyObject *import_stand_in(interp *in, const struct stand_in *found, PyObject *names)
{
    int is_package =
        !names || names == Py_None || !PyTuple_Check(names) || PyTuple_GET_SIZE(names) == 0;
    return gate_load(in, is_package ? found->package : found->module);
}

int gate_is_work_module(const interp *in, const char *module, size_t len)
{
    const char *dot = memchr(module, '.', len);
    size_t top = dot ? (size_t)(dot - module) : len;

    /* It stands behind all that have the name otherwise, which import each other. */
    for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++)
        if (strlen(stand_ins[i].name) == top && memcmp(stand_ins[i].name, module, top) == 0)
            return 0;
    return !is_own_module(module) && !home_has_module(module, top) &&
           !packages_has(in->options.packages, module, top) &&
           allowlist_verdict(in->options.modules, module, top) == ALLOW_NEVER &&
           workmodule_exists(in->options.workdir, module, top);
}

/* A stop may end it, as it ends a cell. */
static PyObject *import_work_module(interp *in, PyObject *name, PyObject *names)
{
    PyObject *finder = gate_load(in, "_snug_modules"), *ready = NULL, *module = NULL;
    if (finder)
        ready = PyObject_CallMethod(finder, "prepare", "O", name);
    if (ready)
        module = PyImport_ImportModuleLevelObject(name, NULL, NULL, names, 0);
    if (module && module_hooks.on_import(in) != 0)
        Py_CLEAR(module);
    Py_XDECREF(ready);
    Py_XDECREF(finder);
    return module;
}

/* The ModuleNotFoundError of a package that is allowed and is not there has the hint that says what
 * is. Keeps the exception. */
static void hint_at_packages(interp *in, const char *module, size_t len)
{
    char reason[512];

    if (!in->options.is_full || !PyErr_ExceptionMatches(PyExc_ModuleNotFoundError) ||
        home_has_module(module, len) || is_installed(in, module, len))
        return;

    PyObject *exc = raised_take();
    explain_package(in, module, len, 0, reason, sizeof reason);
    interp_hint(in, exc, reason);
    raised_set(exc);
}

static int is_public(interp *in, PyObject *name, PyObject *names, const char *module, size_t len)
{
    return strlen(module) == len &&
           (names_are_public(in, module, names) || came_with_package(in, name, module, len));
}

int gate_is_public(interp *in, PyObject *name, PyObject *names)
{
    Py_ssize_t len;
    const char *module = PyUnicode_AsUTF8AndSize(name, &len);
    if (!module)
        PyErr_Clear();
    return module && len > 0 && is_public(in, name, names, module, (size_t)len);
}

/* What C code asks for in the name of whatever code runs, and goes on without: since 3.15, whether
 * an exception that cannot be raised is shown in colours. It asks with an empty list of names,
 * as no statement does. */
static int is_asked_by_c(const PyObject *names)
{
    return PyList_CheckExact(names) && PyList_GET_SIZE(names) == 0;
}

/* What is judged is what is loaded: a list could change, and a subclass of str be formatted as
 * another name. A new reference to a tuple of exact strings, or NULL with an exception. */
static PyObject *exact_names(PyObject *names)
{
    PyObject *given = PySequence_Tuple(names);
    PyObject *made = given ? PyTuple_New(PyTuple_GET_SIZE(given)) : NULL;

    for (Py_ssize_t i = 0; made && i < PyTuple_GET_SIZE(given); i++) {
        PyObject *item = PyTuple_GET_ITEM(given, i);
        PyObject *own = NULL;
        if (PyUnicode_Check(item))
            own = PyUnicode_FromObject(item);
        else
            PyErr_Format(PyExc_TypeError, "Item in ``from list'' must be str, not %.200s",
                         Py_TYPE(item)->tp_name);
        if (own)
            PyTuple_SET_ITEM(made, i, own);
        else
            Py_CLEAR(made);
    }

    Py_XDECREF(given);
    return made;
}

/* An import that a cell wrote, or that C code makes while the cell runs. */
static PyObject *import_names(interp *in, PyObject *name, PyObject *names, int is_c)
{
    Py_ssize_t len;
    const char *module = PyUnicode_AsUTF8AndSize(name, &len);
    if (!module)
        return NULL;
    if (len == 0) {
        PyErr_SetString(PyExc_ValueError, "Empty module name");
        return NULL;
    }

    const struct stand_in *stand_in = find_stand_in(module);
    if (stand_in && stand_in->is_first)
        return import_stand_in(in, stand_in, names);
    if (!is_public(in, name, names, module, (size_t)len)) {
        if (PyErr_Occurred())
            return NULL;
        if (stand_in)
            return import_stand_in(in, stand_in, names);
        if (gate_is_work_module(in, module, (size_t)len))
            return import_work_module(in, name, names);
        if (is_c && strcmp(module, "_colorize") == 0)
            return raise_missing(name);
        return refuse_module(in, module, (size_t)len);
    }

    PyObject *loaded = load_module(name, NULL, NULL, names, 0);
    if (!loaded)
        hint_at_packages(in, module, (size_t)len);
    return loaded;
}

static PyObject *gate_import_for_cell(interp *in, PyObject *name, PyObject *names, int level)
{
    if (level != 0) {
        PyErr_SetString(PyExc_ImportError,
                        "attempted relative import with no known parent package");
        return NULL;
    }
    if (!names || names == Py_None)
        return import_names(in, name, names, 0);

    int is_c = is_asked_by_c(names);
    PyObject *exact = exact_names(names), *module = NULL;
    if (exact)
        module = import_names(in, name, exact, is_c);
    Py_XDECREF(exact);
    return module;
}

/* The name of the module, "" where it is relative; NULL with an exception. */
static const char *module_text(PyObject *name, int level, Py_ssize_t *len)
{
    *len = 0;
    if (level > 0)
        return "";
    return PyUnicode_AsUTF8AndSize(name, len);
}

/* Extension modules that on 3.11 keep objects of one interpreter in static variables
 * and hand them to all: the next session runs into a dead one's. The standard library
 * has the same in Python and goes on with that. */
static int mixes_sessions(PyObject *name)
{
#if PYTHON_OWN_GIL
    (void)name;
    return 0;
#else
    return PyUnicode_CompareWithASCIIString(name, "_asyncio") == 0 ||
           PyUnicode_CompareWithASCIIString(name, "_zoneinfo") == 0;
#endif
}

static PyObject *gate_import_for_library(interp *in, PyObject *name, PyObject *globals,
                                         PyObject *locals, PyObject *names, int level)
{
    Py_ssize_t len;
    const char *module = module_text(name, level, &len);
    if (!module)
        return NULL;

    if (level == 0 && in->options.packages && strcmp(module, "ctypes") == 0)
        return gate_load(in, "_snug_ctypes");
    if (level == 0 && !is_own_module(module) &&
        judge_module(in, module, (size_t)len) == ALLOW_NEVER)
        return raise_missing(name);

    return load_module(name, globals, locals, names, level);
}

/* A statement: the instruction that runs is IMPORT_NAME and the globals are its frame's own. A cell
 * can have library code call __import__ (map, functools.partial), but not make it run a statement
 * with a name of its choice. */
static int is_statement(PyFrameObject *frame, PyCodeObject *code, const PyObject *globals)
{
    PyObject *own_globals = PyFrame_GetGlobals(frame), *bytes = NULL;
    int at = PyFrame_GetLasti(frame);
    int answer = globals == own_globals && (bytes = PyCode_GetCode(code)) && at >= 0 &&
                 at < PyBytes_GET_SIZE(bytes) &&
                 (unsigned char)PyBytes_AS_STRING(bytes)[at] == IMPORT_NAME;

    Py_XDECREF(bytes);
    Py_XDECREF(own_globals);
    return answer;
}

gate_caller gate_find_caller(interp *in, const PyObject *globals)
{
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    if (!frame)
        return GATE_IMPORTER;

    PyCodeObject *code = PyFrame_GetCode(frame);
    gate_caller answer = GATE_LIBRARY;
    if (!interp_trusts(in, code->co_filename))
        answer = GATE_CELL;
    else if (PyUnicode_CompareWithASCIIString(code->co_filename, "<frozen importlib._bootstrap>") ==
             0)
        answer = GATE_IMPORTER;
    else if (is_statement(frame, code, globals))
        answer = GATE_STATEMENT;

    PyErr_Clear();
    Py_DECREF(code);
    Py_DECREF(frame);
    return answer;
}

/* An import of the standard library's. The importer itself calls as it likes. */
static int is_of_stdlib(interp *in, const PyObject *globals)
{
    gate_caller caller = gate_find_caller(in, globals);
    return caller == GATE_STATEMENT || caller == GATE_IMPORTER;
}

/* In a full session: an import statement of a cell's own, or of what it gives to exec. Packages
 * import as they like. */
int gate_is_of_cell(const interp *in, const PyObject *globals)
{
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    PyCodeObject *code = frame ? PyFrame_GetCode(frame) : NULL;
    const char *filename = code ? PyUnicode_AsUTF8(code->co_filename) : NULL;
    int answer =
        globals == in->main ||
        (filename && (strncmp(filename, "<cell ", 6) == 0 || workmodule_is_code(filename)));

    PyErr_Clear();
    Py_XDECREF(code);
    Py_XDECREF(frame);
    return answer;
}

static PyObject *import_exact(interp *in, PyObject *name, PyObject *globals, PyObject *locals,
                              PyObject *names, int level)
{
    int is_full = in && in->options.is_full;
    if (in && !is_full && level == 0 && mixes_sessions(name))
        return raise_missing(name);

    if (!in || !in->is_guarded || (is_full && !gate_is_of_cell(in, globals)))
        return gate_import_whole(in, name, globals, locals, names, level);
    if (!is_full && is_of_stdlib(in, globals))
        return gate_import_for_library(in, name, globals, locals, names, level);
    if (level <= 0)
        return gate_import_for_cell(in, name, names, level);

    PyObject *absolute = workmodule_absolute_name(globals, name, level), *module = NULL;
    if (absolute)
        module = gate_import_for_cell(in, absolute, names, 0);
    Py_XDECREF(absolute);
    return module;
}

int gate_read_import(gate_import *out, PyObject *args, PyObject *keywords, const char *format)
{
    static const char *const words[] = { "name", "globals", "locals", "fromlist", "level", NULL };

    PyObject *name;
    *out = (gate_import){ 0 };
    if (!PyArg_ParseTupleAndKeywords(args, keywords, format, (char **)(uintptr_t)words, &name,
                                     &out->globals, &out->locals, &out->names, &out->level))
        return -1;

    /* A subclass could be one name here and another to sys.modules. */
    out->name = PyUnicode_FromObject(name);
    return out->name ? 0 : -1;
}

static PyObject *import_by_gate(PyObject *self, PyObject *args, PyObject *keywords)
{
    gate_import want;

    (void)self;
    if (gate_read_import(&want, args, keywords, "U|OOOi:__import__") != 0)
        return NULL;

    PyObject *module =
        import_exact(interp_current, want.name, want.globals, want.locals, want.names, want.level);
    Py_DECREF(want.name);
    return module;
}

static PyMethodDef import_method = {
    "__import__", (PyCFunction)(void (*)(void))import_by_gate, METH_VARARGS | METH_KEYWORDS,
    "__import__(name, globals=None, locals=None, fromlist=(), level=0)\n\n"
    "Import a module that the session's profile allows."
};

static int gate_put_builtin(interp *in, PyMethodDef *method)
{
    PyObject *owner = PyUnicode_FromString("builtins");
    PyObject *function = owner ? PyCFunction_NewEx(method, NULL, owner) : NULL;
    int failed = !function || PyDict_SetItemString(in->builtins, method->ml_name, function) != 0;
    Py_XDECREF(function);
    Py_XDECREF(owner);
    return failed ? -1 : 0;
}

/* ---- lazy ---- */

/* Lazy imports (3.15 and later): the __lazy_import__ of a session.
 *
 * Takes the place of builtins.__lazy_import__. What a cell's statement names is judged when the
 * statement runs, as any import is, and again when it is loaded. What a statement of the library
 * names is judged when library code uses it, as one of the library's; where a cell's code is the
 * first to use it, as the cell's. The caller holds the interpreter. */

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

/* Nothing, on versions without. 0, or -1 with an exception. */
static int lazy_install(interp *in)
{
    PyObject *original = PyDict_GetItemString(in->builtins, lazy_method.ml_name); /* borrowed */
    if (!original)
        return 0;

    /* Not of the function: a cell would see it as its __self__. */
    Py_XSETREF(in->lazy_import, Py_NewRef(original));
    return gate_put_builtin(in, &lazy_method);
}

int gate_install(interp *in)
{
    return gate_put_builtin(in, &import_method) != 0 ? -1 : lazy_install(in);
}

static int judge_load(interp *in, PyObject *name, int is_extension)
{
    Py_ssize_t len;
    const char *module = PyUnicode_CheckExact(name) ? PyUnicode_AsUTF8AndSize(name, &len) : NULL;
    if (!module) {
        PyErr_SetString(PyExc_ImportError, "the name of a module must be a string");
        return -1;
    }

    allow_verdict answer = is_extension
                               ? allowlist_verdict(in->options.modules, module, (size_t)len)
                               : judge_module(in, module, (size_t)len);
    int is_allowed = !in->is_guarded || is_own_module(module) || answer != ALLOW_NEVER ||
                     (!is_extension && gate_is_work_module(in, module, (size_t)len));
    if (is_allowed && !mixes_sessions(name))
        return 0;

    raise_missing(name);
    return -1;
}

int gate_audit_load(interp *in, PyObject *name)
{
    return judge_load(in, name, 0);
}

int gate_judge_extension(interp *in, PyObject *name)
{
    return judge_load(in, name, 1);
}

PyObject *gate_load(interp *in, const char *name)
{
    PyObject *text = PyUnicode_FromString(name);
    PyObject *module = text ? PyImport_ImportModuleLevelObject(text, NULL, NULL, NULL, 0) : NULL;
    Py_XDECREF(text);
    if (module && module_hooks.on_import(in) != 0)
        Py_CLEAR(module);
    return module;
}
