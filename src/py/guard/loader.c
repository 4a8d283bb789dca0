#include "py/guard/loader.h"

#include <fcntl.h>
#include <limits.h>
#include <marshal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "py/core/home.h"
#include "py/core/librarycode.h"
#include "py/core/trust.h"
#include "py/core/wait.h"
#include "py/guard/audit.h"
#include "py/guard/extensions.h"
#include "py/guard/gate.h"
#include "py/shared/shared_objects.h"

/* ---- modules in C ---- */

enum {
    CREATE_BUILTIN,
    EXEC_BUILTIN,
    CREATE_DYNAMIC,
    EXEC_DYNAMIC,
    GET_FROZEN,
    FIX_NAME,
    ORIGINALS
};

static const char *const original_names[ORIGINALS] = {
    "create_builtin", "exec_builtin",      "create_dynamic",
    "exec_dynamic",   "get_frozen_object", "_fix_co_filename",
};

/* Of these CPython makes no second one: it copies the names of one that it keeps, 3.11 those of the
 * session that was opened last. So a session that imports one again gets its first one. */
enum { OWN = 2 };
static const char *const own_names[OWN] = { "sys", "builtins" };

struct loader_originals {
    PyObject *functions[ORIGINALS];
    PyObject *own[OWN];  /* modules */
    PyObject *namespace; /* types.SimpleNamespace */
    PyObject *lock;      /* of the session's imports */
};

static PyObject *find_original(interp *in, int which)
{
    PyObject *function = NULL;
    if (in && in->loader)
        function = in->loader->functions[which];
    if (!function)
        PyErr_SetString(PyExc_SystemError, "the session's importer is not set up");
    return function;
}

/* An attribute of a spec if it is an exact str, or NULL with an exception. */
static PyObject *read_spec_text(PyObject *spec, const char *name)
{
    PyObject *value = PyObject_GetAttrString(spec, name);
    if (value && PyUnicode_CheckExact(value))
        return value;
    Py_XDECREF(value);
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_ImportError, "the %s of a module's spec must be a string", name);
    return NULL;
}

/* What CPython reads, so that it cannot change between our look and its own. */
static PyObject *plain_spec(interp *in, PyObject *name, PyObject *origin)
{
    PyObject *type = in->loader->namespace;
    PyObject *args = PyTuple_New(0);
    PyObject *keywords = Py_BuildValue("{sOsO}", "name", name, "origin", origin);
    PyObject *spec = NULL;

    if (args && keywords)
        spec = PyObject_Call(type, args, keywords);
    Py_XDECREF(args);
    Py_XDECREF(keywords);
    return spec;
}

/* Adopted at birth, and again after its code ran; NULL with an exception if that fails. */
static PyObject *adopt_extension(interp *in, PyObject *module, PyObject *name)
{
    if (module && PyModule_Check(module) && module_hooks.on_extension(in, module, name) != 0)
        Py_CLEAR(module);
    return module;
}

static PyObject *create_extension(interp *in, int which, PyObject *name, PyObject *origin)
{
    PyObject *function = find_original(in, which);
    if (!function)
        return NULL;

    PyObject *spec = plain_spec(in, name, origin);
    if (!spec)
        return NULL;

    PyObject *module = PyObject_CallOneArg(function, spec);
    Py_DECREF(spec);
    return adopt_extension(in, module, name);
}

/* A new reference, or NULL without an exception. */
static PyObject *own_module(interp *in, PyObject *name)
{
    for (size_t i = 0; in && in->loader && i < OWN; i++)
        if (PyUnicode_CompareWithASCIIString(name, own_names[i]) == 0)
            return Py_XNewRef(in->loader->own[i]);
    return NULL;
}

static PyObject *create_builtin(PyObject *self, PyObject *spec)
{
    (void)self;
    interp *in = interp_current;
    PyObject *name = read_spec_text(spec, "name"), *module = NULL;
    if (!name)
        return NULL;

    if (gate_judge_extension(in, name) == 0) {
        module = own_module(in, name);
        if (!module)
            module = create_extension(in, CREATE_BUILTIN, name, Py_None);
    }

    Py_DECREF(name);
    return module;
}

/* Whether origin is the file of the extension module name in Python's own folder. */
static int is_own_extension(PyObject *name, PyObject *origin)
{
    const char *dynload = home_dynload();
    const char *module = PyUnicode_AsUTF8(name), *path = PyUnicode_AsUTF8(origin);
    size_t len = strlen(dynload), name_len = module ? strlen(module) : 0;

    PyErr_Clear();
    if (!module || !path || strchr(module, '.') || strchr(module, '/'))
        return 0;
    if (strncmp(path, dynload, len) != 0 || path[len] != '/')
        return 0;
    const char *file = path + len + 1;
    return !strchr(file, '/') && strncmp(file, module, name_len) == 0 && file[name_len] == '.';
}

/* In dlopen, where whoever loads a library keeps it, the thread has the GIL and cannot be stopped.
 */
static int wait_for_turn(interp *in)
{
    _Atomic uint32_t *turns = extensions_turns();
    for (uint32_t seen = atomic_load(turns); seen % 2 == 1; seen = atomic_load(turns))
        if (wait_for_change(in, turns, seen) != 0)
            return -1;
    return 0;
}

static void raise_os_error(int number, const char *why)
{
    PyObject *args = Py_BuildValue("(is)", number, why);
    if (args)
        PyErr_SetObject(PyExc_OSError, args);
    Py_XDECREF(args);
}

/* The library goes without what raises ImportError, for as long as the session lives: json, and
 * codecs, which would be unknown from then on. So what may come at the next try is an OSError. */
static int refuse_code(const char *module)
{
    char why[EXTENSION_WHY_BYTES];
    int shortage = extensions_tell_why(why, module);
    if (shortage)
        raise_os_error(shortage, why);
    else
        PyErr_SetString(PyExc_ImportError, why);
    return -1;
}

/* This thread may map no code: another one does, the first time. */
static int load_code(interp *in, PyObject *name)
{
    const char *module = PyUnicode_AsUTF8(name);
    _Atomic uint32_t *state = extensions_want(module);

    if (state && wait_for_change(in, state, EXTENSION_WANTED) != 0)
        return -1;
    if (!state || atomic_load(state) == EXTENSION_LOADED)
        return wait_for_turn(in);
    return refuse_code(module);
}

static PyObject *create_dynamic(PyObject *self, PyObject *args)
{
    (void)self;
    interp *in = interp_current;
    PyObject *spec, *file = NULL, *module = NULL;
    if (!PyArg_ParseTuple(args, "O|O:create_dynamic", &spec, &file))
        return NULL;

    PyObject *name = read_spec_text(spec, "name");
    PyObject *origin = name ? read_spec_text(spec, "origin") : NULL;
    if (origin && !is_own_extension(name, origin))
        PyErr_Format(in->import_denied ? in->import_denied : PyExc_ImportError,
                     "%U is not written in Python: a session has only its profile's modules in C",
                     name);
    else if (origin && gate_judge_extension(in, name) == 0 && load_code(in, name) == 0)
        module = create_extension(in, CREATE_DYNAMIC, name, origin);

    Py_XDECREF(origin);
    Py_XDECREF(name);
    return module;
}

static PyObject *exec_module(int which, PyObject *module)
{
    interp *in = interp_current;
    PyObject *function = find_original(in, which), *answer = NULL;
    if (function)
        answer = PyObject_CallOneArg(function, module);
    if (answer && PyModule_Check(module) && module_hooks.on_extension(in, module, NULL) != 0)
        Py_CLEAR(answer);
    return answer;
}

static PyObject *exec_builtin(PyObject *self, PyObject *module)
{
    (void)self;
    return exec_module(EXEC_BUILTIN, module);
}

static PyObject *exec_dynamic(PyObject *self, PyObject *module)
{
    (void)self;
    return exec_module(EXEC_DYNAMIC, module);
}

typedef struct frozen_call {
    PyObject *function, *name;
} frozen_call;

static PyObject *call_frozen(void *arg)
{
    const frozen_call *call = arg;
    return PyObject_CallOneArg(call->function, call->name);
}

/* CPython's takes bytecode as a second argument. */
static PyObject *get_frozen_object(PyObject *self, PyObject *name)
{
    (void)self;
    interp *in = interp_current;
    PyObject *function = find_original(in, GET_FROZEN);
    if (!function)
        return NULL;
    if (!PyUnicode_CheckExact(name)) {
        PyErr_SetString(PyExc_TypeError, "the name of a module must be a string");
        return NULL;
    }

    return librarycode_unmarshal(call_frozen, &(frozen_call){ function, name });
}

/* ---- the lock of imports ---- */

/* CPython's is one for the process on 3.11: kept, or held while the thread hangs, it would keep
 * all other sessions from importing and from being opened. importlib takes it by these names. */
static PyObject *call_lock(const char *name)
{
    interp *in = interp_current;
    if (!in || !in->loader || !in->loader->lock)
        Py_RETURN_NONE;
    return PyObject_CallMethod(in->loader->lock, name, NULL);
}

static PyObject *acquire_lock(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    PyObject *answer = call_lock("acquire");
    if (!answer)
        return NULL;
    Py_DECREF(answer);
    Py_RETURN_NONE;
}

static PyObject *release_lock(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return call_lock("release");
}

static PyObject *lock_held(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    return call_lock("_is_owned");
}

static PyObject *new_lock(void)
{
    PyObject *module = PyImport_ImportModule("_thread");
    if (!module)
        return NULL;
    PyObject *lock = PyObject_CallMethod(module, "RLock", NULL);
    Py_DECREF(module);
    return lock;
}

void loader_end_imports(interp *in)
{
    if (!in->loader)
        return;

    PyObject *held = lock_held(NULL, NULL);

    /* _release_save does not ask whose the lock is: that of a thread that has ended is given back
     * too. */
    if (held == Py_True || (held && atomic_load(&in->threads.count) == 0))
        Py_XDECREF(call_lock("_release_save"));
    Py_XDECREF(held);
    PyErr_Clear(); /* nobody had it */
}

/* ---- bytecode ---- */

static int ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);
    return len > end_len && strcmp(text + len - end_len, end) == 0;
}

/* Warnings and codecs may call the guest meanwhile: the audit hook lets this compilation pass
 * and no other, by a name that nobody else has an object of. */
static PyObject *compile_file(const char *source, PyObject *path)
{
    text_file file = { 0 };
    PyObject *code = NULL, *name = NULL;

    if (ends_with(source, ".py"))
        file = librarycode_read_file(source);
    if (!file.data || strlen(file.data) != file.len) {
        PyErr_Format(PyExc_ImportError, "cannot read %U", path);
        goto done;
    }

    name = PyUnicode_FromString(source);
    if (!name)
        goto done;

    interp_own.compiling = name;
    code = Py_CompileStringObject(file.data, name, Py_file_input, NULL, -1);
    interp_own.compiling = NULL;

done:
    Py_XDECREF(name);
    PyMem_RawFree(file.data);
    return code;
}

/* An installation that was moved has the old path in it. */
static PyObject *fix_filename(interp *in, PyObject *code, PyObject *path)
{
    PyObject *function = find_original(in, FIX_NAME);
    if (!code || !function || PyUnicode_Compare(((PyCodeObject *)code)->co_filename, path) == 0)
        return code;

    PyObject *answer = PyObject_CallFunctionObjArgs(function, code, path, NULL);
    if (!answer)
        Py_CLEAR(code);
    Py_XDECREF(answer);
    return code;
}

/* SourceLoader.get_code(self, fullname) for files of the library. */
static PyObject *get_library_code(PyObject *unused, PyObject *args)
{
    (void)unused;
    PyObject *self, *fullname, *code = NULL;
    interp *in = interp_current;
    if (!in || !PyArg_ParseTuple(args, "OO:get_code", &self, &fullname))
        return NULL;

    PyObject *path = PyObject_CallMethod(self, "get_filename", "O", fullname);
    const char *text = path && PyUnicode_CheckExact(path) ? PyUnicode_AsUTF8(path) : NULL;
    if (!text || !interp_is_library(in, text)) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ImportError, "%R is not a file of the library", path);
        Py_XDECREF(path);
        return NULL;
    }

    code = common_code(text);
    if (!code) {
        code = librarycode_read_cached(text);
        if (code)
            common_note(text);
    }

    code = fix_filename(in, code, path);
    if (!code && !PyErr_Occurred())
        code = compile_file(text, path);
    Py_DECREF(path);
    return code;
}

static PyMethodDef get_code_method = {
    "get_code", get_library_code, METH_VARARGS,
    "get_code(self, fullname)\n\nThe code of a module of the standard library."
};

/* ---- setting up ---- */

enum { LOCK_METHODS = 3 }; /* the first */

static PyMethodDef methods[] = {
    { "acquire_lock", acquire_lock, METH_NOARGS, "Acquire the session's import lock." },
    { "release_lock", release_lock, METH_NOARGS, "Release the session's import lock." },
    { "lock_held", lock_held, METH_NOARGS, "Whether this thread holds the import lock." },
    { "create_builtin", create_builtin, METH_O, "Create a built-in module." },
    { "exec_builtin", exec_builtin, METH_O, "Initialize a built-in module." },
    { "create_dynamic", create_dynamic, METH_VARARGS, "Create an extension module." },
    { "exec_dynamic", exec_dynamic, METH_O, "Initialize an extension module." },
    { "get_frozen_object", get_frozen_object, METH_O, "The code of a frozen module." },
};

static int replace_functions(interp *in, PyObject *dict, PyObject *owner)
{
    in->loader = PyMem_RawCalloc(1, sizeof *in->loader);
    if (!in->loader) {
        PyErr_NoMemory();
        return -1;
    }

    PyObject *implementation = PySys_GetObject("implementation"); /* borrowed */
    if (!implementation)
        return -1;

    in->loader->namespace = Py_NewRef(Py_TYPE(implementation));
    in->loader->lock = new_lock();
    if (!in->loader->lock)
        return -1;

    for (int i = 0; i < ORIGINALS; i++) {
        PyObject *function = PyDict_GetItemString(dict, original_names[i]); /* borrowed */
        if (!function) {
            PyErr_SetString(PyExc_SystemError, "_imp is not as expected");
            return -1;
        }
        in->loader->functions[i] = Py_NewRef(function);
    }

    for (int i = 0; i < OWN; i++)
        in->loader->own[i] =
            Py_XNewRef(PyDict_GetItemString(PyImport_GetModuleDict(), own_names[i]));

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        PyObject *function = PyCFunction_NewEx(&methods[i], NULL, owner);
        int failed = !function || PyDict_SetItemString(dict, methods[i].ml_name, function) != 0;
        Py_XDECREF(function);
        if (failed)
            return -1;
    }

    return 0;
}

/* Names a code object as it likes, runs a module unseen, or lets modules in that cannot
 * live here. */
static int drop_imp_functions(PyObject *dict)
{
    static const char *const names[] = { "_fix_co_filename", "init_frozen",
                                         "_override_frozen_modules_for_tests",
                                         "_override_multi_interp_extensions_check" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (PyDict_GetItemString(dict, names[i]) && PyDict_DelItemString(dict, names[i]) != 0)
            return -1;
    return 0;
}

static int replace_get_code(void)
{
    PyObject *type = NULL, *function = NULL, *method = NULL;
    int failed = -1;
    PyObject *module = PyImport_ImportModule("_frozen_importlib_external");
    if (!module)
        goto done;

    type = PyObject_GetAttrString(module, "SourceLoader");
    if (!type)
        goto done;

    function = PyCFunction_New(&get_code_method, NULL);
    if (!function)
        goto done;

    method = PyInstanceMethod_New(function);
    if (!method)
        goto done;

    failed = PyObject_SetAttrString(type, "get_code", method);

done:
    Py_XDECREF(method);
    Py_XDECREF(function);
    Py_XDECREF(type);
    Py_XDECREF(module);
    return failed;
}

int loader_find_folders(void)
{
    static const char name[] = "encodings";
    PyObject *module = PyImport_ImportModule(name);

    /* Set, not added to: 3.13's importer knows the folder, 3.11's does not. */
    PyObject *path = Py_BuildValue("[N]", PyUnicode_FromFormat("%s/%s", home_stdlib(), name));
    int failed = !module || !path || PyObject_SetAttrString(module, "__path__", path) != 0;

    Py_XDECREF(path);
    Py_XDECREF(module);
    return failed ? -1 : 0;
}

int loader_install_lock(interp *in)
{
    PyObject *module = PyImport_ImportModule("_imp");
    PyObject *dict = module ? PyModule_GetDict(module) : NULL; /* borrowed */
    PyObject *owner = PyUnicode_FromString("_imp");
    int failed = !dict || !owner || !(in->loader = PyMem_RawCalloc(1, sizeof *in->loader)) ||
                 !(in->loader->lock = new_lock());

    for (size_t i = 0; !failed && i < LOCK_METHODS; i++) {
        PyObject *function = PyCFunction_NewEx(&methods[i], NULL, owner);
        failed = !function || PyDict_SetItemString(dict, methods[i].ml_name, function) != 0;
        Py_XDECREF(function);
    }

    Py_XDECREF(owner);
    Py_XDECREF(module);
    return failed ? -1 : 0;
}

int loader_install(interp *in)
{
    PyObject *module = PyImport_ImportModule("_imp");
    PyObject *dict = module ? PyModule_GetDict(module) : NULL; /* borrowed */
    PyObject *owner = PyUnicode_FromString("_imp");
    int failed = !dict || !owner || replace_functions(in, dict, owner) != 0 ||
                 drop_imp_functions(dict) != 0 || replace_get_code() != 0;

    Py_XDECREF(owner);
    Py_XDECREF(module);
    return failed ? -1 : 0;
}

void loader_release(interp *in)
{
    if (!in->loader)
        return;
    for (int i = 0; i < ORIGINALS; i++)
        Py_CLEAR(in->loader->functions[i]);
    for (int i = 0; i < OWN; i++)
        Py_CLEAR(in->loader->own[i]);
    Py_CLEAR(in->loader->namespace);
    Py_CLEAR(in->loader->lock);
    PyMem_RawFree(in->loader);
    in->loader = NULL;
}
