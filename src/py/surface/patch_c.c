#include "py/surface/patch_c.h"

#include <assert.h>
#include <string.h>

#include "py/guard/audit.h"
#include "py/guard/gate.h"
#include "py/guard/iterators.h"
#include "py/guard/posix.h"
#include "py/guard/sqlite.h"
#include "py/host/sleep.h"
#include "py/mend/librarymemory.h"
#include "py/mend/mend.h"
#include "py/mend/pins.h"
#include "py/running/threads.h"
#include "py/surface/fixed_functions.h"
#include "py/surface/patch_py.h"

/* ---- replaced ---- */

static int set_function(PyObject *module, PyMethodDef *method)
{
    PyObject *name = PyModule_GetNameObject(module);
    PyObject *function = name ? PyCFunction_NewEx(method, NULL, name) : NULL;
    int failed =
        !function || PyDict_SetItemString(PyModule_GetDict(module), method->ml_name, function) != 0;
    Py_XDECREF(function);
    Py_XDECREF(name);
    return failed ? -1 : 0;
}

static int adopt_time(interp *in, PyObject *module)
{
    (void)in;
    PyObject *sleep = sleep_function();
    int failed = !sleep || PyDict_SetItemString(PyModule_GetDict(module), "sleep", sleep) != 0;
    Py_XDECREF(sleep);
    return failed ? -1 : 0;
}

/* The locale is the process's: calendar and locale may ask for it, not set it. */
static PyObject *refuse_locale(PyObject *self, PyObject *args)
{
    int category;
    const char *wanted = NULL;

    (void)self;
    if (!PyArg_ParseTuple(args, "i|z:setlocale", &category, &wanted))
        return NULL;
    if (!wanted || !*wanted || strcmp(wanted, "C") == 0 || strcmp(wanted, "POSIX") == 0)
        return PyUnicode_FromString("C");
    PyErr_SetString(PyExc_ValueError, "unsupported locale setting: a session has the locale C");
    return NULL;
}

static int adopt_locale(interp *in, PyObject *module)
{
    static PyMethodDef method = { "setlocale", refuse_locale, METH_VARARGS,
                                  "setlocale(category, locale=None)\n\nTell the locale." };
    (void)in;
    return set_function(module, &method);
}

/* doctest puts back the tracer that it found, which is none. One of a cell's own would run
 * inside the standard library's frames and could move their line. */
static PyObject *refuse_trace(PyObject *self, PyObject *function)
{
    (void)self;
    if (function == Py_None)
        Py_RETURN_NONE;
    audit_deny(interp_current, "sys.settrace");
    return NULL;
}

/* A module with these alone takes the place of monitoring. */
static int keep_events(PyObject *sys)
{
    PyObject *monitoring = PyObject_GetAttrString(sys, "monitoring");
    PyObject *events = monitoring ? PyObject_GetAttrString(monitoring, "events") : NULL;
    PyObject *instead = events ? PyModule_New("sys.monitoring") : NULL;
    int failed = !instead || PyModule_AddObjectRef(instead, "events", events) != 0 ||
                 PyObject_SetAttrString(sys, "monitoring", instead) != 0;

    Py_XDECREF(instead);
    Py_XDECREF(events);
    Py_XDECREF(monitoring);
    return failed ? -1 : 0;
}

static int adopt_sys(interp *in, PyObject *module)
{
    static PyMethodDef method = { "settrace", refuse_trace, METH_O,
                                  "settrace(None)\n\nDo nothing: a session has no tracer." };
    (void)in;
    if (PYTHON_BDB_WANTS_EVENTS && keep_events(module) != 0)
        return -1;
    return set_function(module, &method);
}

/* subprocess imports it by name. */
static PyObject *refuse_fork(PyObject *self, PyObject *args)
{
    (void)self;
    (void)args;
    audit_deny(interp_current, "subprocess.Popen");
    return NULL;
}

static int adopt_posixsubprocess(interp *in, PyObject *module)
{
    static PyMethodDef method = { "fork_exec", refuse_fork, METH_VARARGS, "Refused." };
    (void)in;
    return set_function(module, &method);
}

/* ---- taken out ---- */

/* Timers, masks and handlers are the process's; of signal() itself the rest of Python
 * needs only that it is there: it refuses off the main thread. */
static const char *const of_signal[] = {
    "alarm",           "getitimer",    "pause",       "pidfd_send_signal", "pthread_kill",
    "pthread_sigmask", "raise_signal", "setitimer",   "siginterrupt",      "sigpending",
    "sigtimedwait",    "sigwait",      "sigwaitinfo", "set_wakeup_fd",     NULL,
};
/* It would interrupt the host's main thread. */
static const char *const of_thread[] = { "interrupt_main", NULL };
/* The zone and the clock are the machine's. */
static const char *const of_time[] = { "tzset", "clock_settime", "clock_settime_ns",
                                       "pthread_getcpuclockid", NULL };
/* Catalogues of messages are the process's. */
static const char *const of_locale[] = { "bindtextdomain", "bind_textdomain_codeset", "textdomain",
                                         NULL };
/* The host's command line, the runtime's switches, and files in /tmp. */
static const char *const of_sys[] = {
    "_base_executable",
    "_baserepl",
    "_clear_internal_caches",
    "_clear_type_cache",
    "_debugmallocstats",
    "_dump_tracelets",
    "_setprofileallthreads",
    "_settraceallthreads",
    "activate_stack_trampoline",
    "deactivate_stack_trampoline",
    "is_stack_trampoline_active",
#if !PYTHON_BDB_WANTS_EVENTS
    "monitoring",
#endif
    "orig_argv",
    "remote_exec",
    "setdlopenflags",
    "setswitchinterval",
    NULL,
};
static const char *const of_main_sys[] = { "monitoring", NULL };
/* What is frozen is never freed, and debugging output goes to the host's stderr. */
static const char *const of_gc[] = { "freeze", "unfreeze", "set_debug", NULL };
static const char *const of_socket[] = { "close",          "dup",
                                         "if_indextoname", "if_nameindex",
                                         "if_nametoindex", "sethostname",
                                         "socketpair",     NULL };
static const char *const of_select[] = { "epoll", "poll", NULL };
static const char *const nothing[] = { NULL };

static int remove_keys(PyObject *dict, const char *const *names)
{
    for (; *names; names++)
        if (PyDict_GetItemString(dict, *names) && PyDict_DelItemString(dict, *names) != 0)
            return -1;
    return 0;
}

static int remove_names(PyObject *module, const char *const *names)
{
    return remove_keys(PyModule_GetDict(module), names);
}

/* In 3.14.8 and 3.15, and in whatever update brings them. Without its limits expat makes terabytes
 * of a few hundred bytes, in a loop that nothing ends but a jump. */
static int adopt_expat(interp *in, PyObject *module)
{
    static const char *const of_parser[] = { "SetAllocTrackerActivationThreshold",
                                             "SetAllocTrackerMaximumAmplification",
                                             "SetBillionLaughsAttackProtectionActivationThreshold",
                                             "SetBillionLaughsAttackProtectionMaximumAmplification",
                                             NULL };
    (void)in;
    PyObject *type = PyDict_GetItemString(PyModule_GetDict(module), "XMLParserType"); /* borrowed */
    if (!type || !PyType_Check(type))
        return 0;

    PyObject *dict = python_type_dict((PyTypeObject *)type);
    int failed = !dict || remove_keys(dict, of_parser) != 0;
    PyType_Modified((PyTypeObject *)type);
    Py_XDECREF(dict);
    return failed ? -1 : 0;
}

static int adopt_thread(interp *in, PyObject *module)
{
    return in->options.threads > 0 ? threads_adopt(in, module) : 0;
}

static int adopt_array(interp *in, PyObject *module)
{
    if (!in->options.is_full && pins_adopt_arrays(module) != 0)
        return -1;
    return mend_array(in, module);
}

static int adopt_itertools(interp *in, PyObject *module)
{
    return endless_adopt(in, module) != 0 ? -1 : mend_itertools(in, module);
}

static int adopt_builtins(interp *in, PyObject *module)
{
    endless_adopt_builtin();
    return mend_builtins(in, module);
}

static const struct surface_row {
    const char *definition; /* PyModuleDef.m_name */
    const char *const *removed;
    int (*adopt)(interp *in, PyObject *module);
    int is_of_all; /* a full session's too: what a stop or a thread of a cell needs */
} rows[] = {
    { "_asyncio", nothing, mend_init, 1 },
    { "_bz2", nothing, mend_init, 1 },
    { "_collections", nothing, mend_collections, 1 },
    { "_decimal", nothing, mend_decimal, 1 },
    { "decimal", nothing, mend_decimal, 1 }, /* the same, by its definition */
    { "_elementtree", nothing, mend_elementtree, 1 },
    { "_functools", nothing, mend_functools, 1 },
    { "_hashlib", nothing, librarymemory_adopt_hashlib, 0 },
    { "_json", nothing, mend_json, 1 },
    { "_locale", of_locale, adopt_locale, 0 },
    { "_lzma", nothing, mend_init, 1 },
    { "_pickle", nothing, mend_pickle, 1 },
    { "_posixsubprocess", nothing, adopt_posixsubprocess, 0 },
    { "_signal", of_signal, NULL, 0 },
    { "_socket", of_socket, NULL, 0 },
    { "_sqlite3", nothing, sqlite_adopt, 0 },
    { "_sre", nothing, mend_re, 1 },
    { "_struct", nothing, mend_struct, 1 },
    { "_thread", of_thread, adopt_thread, 1 },
    { "array", nothing, adopt_array, 1 },
    { "builtins", nothing, adopt_builtins, 1 },
    { "gc", of_gc, NULL, 0 },
    { "_io", nothing, mend_io, 1 },
    { "io", nothing, mend_io, 1 },
    { "itertools", nothing, adopt_itertools, 1 },
    { "posix", nothing, posix_adopt, 0 },
    { "pyexpat", nothing, adopt_expat, 0 },
    { "select", of_select, NULL, 0 },
    { "sys", of_sys, adopt_sys, 0 },
    { "time", of_time, adopt_time, 1 },
};

static_assert(sizeof rows / sizeof *rows <= 64, "interp.adopted has a bit for each row");

static int adopt_row(interp *in, PyObject *module, const struct surface_row *row)
{
    int is_full = in->options.is_full;
    if (is_full && !row->is_of_all)
        return 0;
    if (!is_full && remove_names(module, row->removed) != 0)
        return -1;
    return row->adopt ? row->adopt(in, module) : 0;
}

int surface_adopt(interp *in, PyObject *module, PyObject *made_as)
{
    PyModuleDef *definition = PyModule_Check(module) ? PyModule_GetDef(module) : NULL;
    const char *name = NULL;

    if (definition)
        name = definition->m_name;
    else if (made_as)
        name = PyUnicode_AsUTF8(made_as);

    if (PyErr_Occurred() || pins_hold_types(module, !made_as) != 0)
        return -1;

    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].definition) == 0 && adopt_row(in, module, &rows[i]) != 0)
            return -1;
    return name ? fixed_functions_adopt(in, module, name) : 0;
}

/* A walk through what packages have loaded would count references in all of it, and so copy the
 * pages that a worker shares with its zygote. */
static int adopt_loaded_by_name(interp *in)
{
    PyObject *loaded = PyImport_GetModuleDict(); /* borrowed */
    Py_ssize_t count = PyDict_GET_SIZE(loaded);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t bit = (uint64_t)1 << i;
        if (!rows[i].is_of_all || (in->adopted & bit))
            continue;
        PyObject *module = PyDict_GetItemString(loaded, rows[i].definition); /* borrowed */
        if (!module || !PyModule_Check(module))
            continue;
        if (!adopt_is_whole(module)) {
            count = -1; /* to be looked at again */
            continue;
        }
        if (surface_adopt(in, module, NULL) != 0)
            return -1;
        in->adopted |= bit;
    }

    in->modules_seen = count;
    return 0;
}

/* A full session's modules come as Python's own loader makes them, which tells nobody. */
static int adopt_imported(interp *in)
{
    if (adopt_loaded(in) != 0)
        return -1;
    if (!in || !in->options.is_full ||
        PyDict_GET_SIZE(PyImport_GetModuleDict()) == in->modules_seen)
        return 0;
    return adopt_loaded_by_name(in);
}

int surface_adopt_loaded(interp *in)
{
    if (in->options.is_full) {
        in->adopted = 0;
        return adopt_loaded_by_name(in);
    }

    PyObject *loaded = PyDict_Items(PyImport_GetModuleDict());
    if (!loaded)
        return -1;

    int error = 0;
    for (Py_ssize_t i = 0; !error && i < PyList_GET_SIZE(loaded); i++) {
        PyObject *item = PyList_GET_ITEM(loaded, i);
        PyObject *name = PyTuple_GET_ITEM(item, 0), *module = PyTuple_GET_ITEM(item, 1);
        if (PyModule_Check(module))
            error = surface_adopt(in, module, name);
    }

    Py_DECREF(loaded);
    return error;
}

/* ---- the main interpreter ---- */

static int is_stripped(PyObject *value)
{
    static const char *const modules[] = { "_imp",    "_locale", "_posixsubprocess",
                                           "_signal", "_socket", "_thread",
                                           "gc",      "marshal", "posix",
                                           "select",  "time" };
    PyObject *name = PyCFunction_Check(value) ? ((PyCFunctionObject *)value)->m_module : NULL;
    if (!name || !PyUnicode_Check(name))
        return 0;

    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (PyUnicode_CompareWithASCIIString(name, modules[i]) == 0)
            return 1;
    return 0;
}

/* Also of what other modules took over by name. */
static int strip_dict(PyObject *dict)
{
    PyObject *names = PyDict_Keys(dict);
    int failed = !names;

    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(names); i++) {
        PyObject *value = PyDict_GetItem(dict, PyList_GET_ITEM(names, i)); /* borrowed */
        if (value && is_stripped(value))
            failed = PyDict_DelItem(dict, PyList_GET_ITEM(names, i)) != 0;
    }

    Py_XDECREF(names);
    return failed ? -1 : 0;
}

int surface_strip_main(void)
{
    PyObject *modules = PyDict_Values(PyImport_GetModuleDict());
    int failed = !modules;

    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(modules); i++) {
        PyObject *module = PyList_GET_ITEM(modules, i);
        PyModuleDef *definition = PyModule_Check(module) ? PyModule_GetDef(module) : NULL;
        if (PyModule_Check(module))
            failed = strip_dict(PyModule_GetDict(module)) != 0;
        if (!failed && definition && strcmp(definition->m_name, "sys") == 0)
            failed = remove_names(module, of_sys) != 0 || remove_names(module, of_main_sys) != 0;
    }

    Py_XDECREF(modules);
    PyErr_Clear();
    return failed ? -1 : 0;
}

const module_hook_table module_hooks = { surface_adopt, adopt_imported };
