#include "py/life/runtime.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "base/u64.h"
#include "py/core/alloc.h"
#include "py/core/arena.h"
#include "py/core/fixed.h"
#include "py/core/gil_turns.h"
#include "py/core/home.h"
#include "py/core/in_allocator.h"
#include "py/core/python.h"
#include "py/core/state.h"
#include "py/core/wait.h"
#include "py/guard/audit.h"
#include "py/guard/gate.h"
#include "py/guard/loader.h"
#include "py/host/sleep.h"
#include "py/host/tool.h"
#include "py/life/frozen.h"
#include "py/mend/pins.h"
#include "py/shared/shared_objects.h"
#include "py/value/publish.h"

/* ---- module ---- */

/* _snug, the C half of what the frozen modules of a session use.
 *
 * Guest code may reach it: every function must be safe to call with anything. */

struct interp;

enum { TICK_NS = 1000 };

/* By the fixed clock, past the time that was waited for, however it was rounded: a loop that finds
 * itself before it asks again, for nothing and without an end. Not at all where it only looked, as
 * it does the more often the later answers come. */
static uint64_t whole_ticks(PyObject *timeout, uint64_t ns)
{
    if (ns == UINT64_MAX || (ns == 0 && PyObject_IsTrue(timeout) != 1))
        return ns;
    return ns == 0 ? TICK_NS : u64_sum(ns, TICK_NS - 1) / TICK_NS * TICK_NS;
}

static PyObject *wait_for_wake(PyObject *self, PyObject *args)
{
    (void)self;
    interp *in = interp_current;
    PyObject *timeout;
    unsigned int seen;
    uint64_t ns = UINT64_MAX;
    if (!PyArg_ParseTuple(args, "IO:wait", &seen, &timeout) ||
        (timeout != Py_None && sleep_parse_seconds(timeout, &ns) != 0))
        return NULL;

    if (!in)
        Py_RETURN_FALSE;
    uint64_t deadline_ns = sleep_deadline_ns(ns), of_calls_ns = tool_deadline_ns(in);
    int answer = wait_for_bell(in, seen, deadline_ns < of_calls_ns ? deadline_ns : of_calls_ns);
    if (answer < 0)
        return NULL;
    if (answer == 0 && deadline_ns <= of_calls_ns)
        fixed_advance(whole_ticks(timeout, ns));
    return PyBool_FromLong(answer);
}

static PyObject *module_bell(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyLong_FromUnsignedLong(in ? atomic_load(&in->bell) : 0);
}

static PyObject *module_standing(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    const interp *in = fixed_clock_here();
    if (!in)
        Py_RETURN_NONE;
    return PyFloat_FromDouble((double)fixed_standing_ns(in) / 1e9);
}

static PyObject *module_wake(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    if (interp_current)
        interp_wake(interp_current);
    Py_RETURN_NONE;
}

static PyObject *module_threads(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyLong_FromUnsignedLongLong(in ? in->options.threads : 0);
}

static PyObject *module_evaluate(PyObject *self, PyObject *code)
{
    (void)self;
    interp *in = interp_current;
    if (!in || !PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "evaluate() takes a code object of a cell");
        return NULL;
    }
    return PyEval_EvalCode(code, in->main, in->main);
}

static PyObject *module_run(PyObject *self, PyObject *code)
{
    (void)self;
    interp *in = interp_current;
    if (!in || !PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "run() takes a code object of a cell");
        return NULL;
    }
    return cell_evaluate(in, code);
}

static PyObject *module_namespace(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return in ? Py_NewRef(in->main) : PyDict_New();
}

static PyObject *module_number(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyLong_FromUnsignedLongLong(in ? in->number : 0);
}

/* With a clock of its own, a session has no times of the machine's. */
static PyObject *module_system_time(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    struct rusage used = { 0 };
    interp *in = interp_current;
    if (in && !in->options.fixed.clock_ms)
        getrusage(RUSAGE_THREAD, &used);
    return PyFloat_FromDouble((double)used.ru_stime.tv_sec + (double)used.ru_stime.tv_usec / 1e6);
}

static int is_not_theirs(PyObject *pair)
{
    return changes_is_hidden(PyTuple_GET_ITEM(pair, 0)) || tool_is_one(PyTuple_GET_ITEM(pair, 1));
}

/* What cells have made: pairs of names and values. */
static PyObject *module_names(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    PyObject *list = in ? PyDict_Items(in->main) : PyList_New(0);
    for (Py_ssize_t i = list ? PyList_GET_SIZE(list) : 0; i-- > 0;)
        if (is_not_theirs(PyList_GET_ITEM(list, i)) && PyList_SetSlice(list, i, i + 1, NULL) != 0)
            Py_CLEAR(list);

    return list;
}

static PyObject *module_workdir(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    interp *in = interp_current;
    return PyUnicode_DecodeFSDefault(in && in->options.workdir ? in->options.workdir : "");
}

static PyObject *module_is_work_module(PyObject *self, PyObject *name)
{
    (void)self;
    interp *in = interp_current;
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(name, &len);
    return text ? PyBool_FromLong(in && gate_is_work_module(in, text, (size_t)len)) : NULL;
}

/* The texts are the guest's own to make up. */
static PyObject *module_note_source(PyObject *self, PyObject *args)
{
    (void)self;
    interp *in = interp_current;
    PyObject *file, *source;
    if (!PyArg_ParseTuple(args, "UU:note_source", &file, &source))
        return NULL;
    if (!in)
        Py_RETURN_NONE;
    if (!in->file_sources && !(in->file_sources = PyDict_New()))
        return NULL;

    /* A subclass would be compared by its own __eq__. */
    file = PyUnicode_FromObject(file);
    int failed = !file || PyDict_SetItem(in->file_sources, file, source) != 0;
    Py_XDECREF(file);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    { "run", module_run, METH_O, "Run a cell's code, in the event loop where it awaits." },
    { "namespace", module_namespace, METH_NOARGS, "The session's namespace." },
    { "names", module_names, METH_NOARGS, "Names and values that cells have made." },
    { "number", module_number, METH_NOARGS, "Of the cell that runs." },
    { "system_time", module_system_time, METH_NOARGS,
      "Seconds that the kernel has worked for the thread." },
    { "workdir", module_workdir, METH_NOARGS, "The work directory." },
    { "is_work_module", module_is_work_module, METH_O,
      "Whether the name is that of a module of the work directory." },
    { "note_source", module_note_source, METH_VARARGS,
      "note_source(file, text): what tracebacks show of that file." },
    { "evaluate", module_evaluate, METH_O, "Run a code object in the session's namespace." },
    { "standing", module_standing, METH_NOARGS,
      "The session's own clock, which does not go on for that; None if it has none." },
    { "bell", module_bell, METH_NOARGS, "A number that moves at each wake." },
    { "wait", wait_for_wake, METH_VARARGS,
      "wait(bell, seconds or None): sleep until the bell is another number; true if it is." },
    { "threads", module_threads, METH_NOARGS, "How many threads the session may have of its own." },
    { "wake", module_wake, METH_NOARGS, "Move the bell." },
    { "publish", publish_display, METH_VARARGS,
      "publish(parts, metadata, id, is_update): show a bundle." },
    { "clear", publish_clear, METH_O, "clear(wait): forget what the cell has shown." },
    { "text", publish_text, METH_O, "The text of a value, as the notebook shows it." },
    { "secret", tool_secret, METH_O, "secret(prompt): a line that is not seen while it is typed." },
    { "begin", tool_begin, METH_O, "begin(call): make the call; answer its number." },
    { "end", tool_end, METH_O, "end(call): what it has come to." },
    { "drop", tool_drop, METH_O, "drop(call): nobody waits for it any more." },
    { "ended", tool_ended, METH_NOARGS, "Numbers of calls that are over and were not told yet." },
    { NULL },
};

static PyModuleDef_Slot slots[] = {
#if PYTHON_OWN_GIL
    { Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED },
#endif
    { 0 },
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_snug",
    .m_methods = functions,
    .m_slots = slots,
};

static PyObject *make_module(void)
{
    return PyModuleDef_Init(&definition);
}

/* Puts _snug into the table of built-in modules; once, before Python starts. */
static int module_register(void)
{
    return PyImport_AppendInittab("_snug", make_module);
}

/* The exception to "no file-level state": CPython has one runtime a process. */
static struct {
    pthread_mutex_t lock;
    int is_started;
    PyThreadState *first; /* of the thread that has started it */
    int is_full;
    int has_begun;
    uint64_t hash_seed; /* 0: Python has drawn one */
} runtime = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Struct layouts are part of what is used (py/core/internals.c), so it must be the very
 * version that the headers are of. */
static int check_version(void)
{
    const char *found = Py_GetVersion();
    size_t len = strcspn(found, " ");
    if (len == strlen(PY_VERSION) && memcmp(found, PY_VERSION, len) == 0)
        return SNUG_OK;
    return error_set(SNUG_EPYTHON,
                     "Python %.*s is loaded, but snug was built for %s: build it again", (int)len,
                     found, PY_VERSION);
}

/* Extension modules name no library that Python's functions are in: they take those that the whole
 * process sees. Who has loaded libsnug, a plugin perhaps, may have kept its libraries to itself. */
static int show_functions(void)
{
#ifndef SNUG_STATIC_PYTHON
    Dl_info info;

    if (dladdr((void *)(uintptr_t)Py_InitializeFromConfig, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    if (!dlsym(RTLD_DEFAULT, "Py_InitializeFromConfig"))
        return error_set(SNUG_EPYTHON, "Python's functions cannot be shown to its own modules");
#endif
    return SNUG_OK;
}

static PyStatus add_search_path(PyConfig *config, const char *path)
{
    wchar_t *wide = Py_DecodeLocale(path, NULL);
    if (!wide)
        return PyStatus_NoMemory();
    PyStatus status = PyWideStringList_Append(&config->module_search_paths, wide);
    PyMem_RawFree(wide);
    return status;
}

/* Named so, getpath asks no python3 on the PATH where the library is: sys._stdlib_dir, by which
 * frozen modules know their files, is of this library's folder and tells nothing of the host. */
static PyStatus set_program_name(PyConfig *config)
{
    static const char below[] = "/lib/python" PYTHON_X_Y;
    size_t len = strlen(home_stdlib()), end = sizeof below - 1;
    if (len <= end || strcmp(home_stdlib() + len - end, below) != 0)
        return PyConfig_SetString(config, &config->program_name, L"");
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%.*s/bin/python" PYTHON_X_Y, (int)(len - end), home_stdlib());
    return PyConfig_SetBytesString(config, &config->program_name, name);
}

/* Isolated: no environment variables, no user site, no script's directory; and no
 * site, which costs more than the interpreter itself. */
static PyStatus initialise_python(void)
{
    PyPreConfig pre;

    PyPreConfig_InitIsolatedConfig(&pre);
    pre.utf8_mode = 1;
    PyStatus status = Py_PreInitialize(&pre);
    if (PyStatus_Exception(status))
        return status;

    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.site_import = 0;
    config.install_signal_handlers = 0;
    config.write_bytecode = 0;
    config.pathconfig_warnings = 0;
    config.module_search_paths_set = 1;
    if (runtime.hash_seed) {
        config.use_hash_seed = 1;
        config.hash_seed = (unsigned long)runtime.hash_seed;
    }

    python_refuse_debugging(&config);
    if (PyStatus_Exception(status = add_search_path(&config, home_stdlib())) ||
        PyStatus_Exception(status = add_search_path(&config, home_dynload())) ||
        PyStatus_Exception(
            status = PyConfig_SetBytesString(&config, &config.stdlib_dir, home_stdlib())) ||
        PyStatus_Exception(status = PyConfig_SetString(&config, &config.executable, L"")) ||
        PyStatus_Exception(status = set_program_name(&config)))
        goto done;

    status = Py_InitializeFromConfig(&config);

done:
    PyConfig_Clear(&config);
    return status;
}

/* Modules whose first interpreter has to be the one that lives for ever. 3.13's _datetime
 * has static types, and what they share is the first one's: it would go with that session,
 * and take datetime from all others. 3.11 initialises some again for each interpreter unless
 * the main one was first: then libmpdec warns on the process's stderr, and _socket leaks. */
static void load_first(void)
{
#if PYTHON_OWN_GIL
    static const char *const names[] = { "_datetime" };
#else
    static const char *const names[] = { "_decimal", "_socket" };
#endif
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Py_XDECREF(PyImport_ImportModule(names[i]));
        PyErr_Clear();
    }
}

/* On 3.11 one session at a time allocates, so further heaps of the C library speed nothing
 * up; but each keeps its own holes, and with hundreds of sessions these went on growing.
 * Only in a program that is snug's own form: a library leaves the process's malloc be. */
static void choose_heaps(void)
{
#if !PYTHON_OWN_GIL && defined(SNUG_STATIC_PYTHON)
    mallopt(M_ARENA_MAX, 1);
#endif
}

/* On 3.11 object.__subclasses__() reaches the classes of this interpreter, and through them its
 * posix, whose environ is the host's. Before any module makes os.environ of it. */
static void forget_environment(void)
{
    PyObject *posix = PyImport_ImportModule("posix");
    PyObject *variables = posix ? PyObject_GetAttrString(posix, "environ") : NULL;
    if (variables && PyDict_CheckExact(variables))
        PyDict_Clear(variables);
    PyErr_Clear();
    Py_XDECREF(variables);
    Py_XDECREF(posix);
}

/* In a process for full sessions what is in the environment is the guest's: getenv is any
 * extension's. One thread for numerics, which start theirs when they are loaded. */
static int empty_environment(void)
{
    static const char *const kept[] = { "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR" };
    static const char *const ones[] = { "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
                                        "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS" };

    enum { KEPT = sizeof kept / sizeof *kept };
    char *values[KEPT];
    int failed = 0;
    for (size_t i = 0; i < KEPT; i++) {
        const char *value = getenv(kept[i]);
        values[i] = value ? strdup(value) : NULL;
    }

    clearenv();
    for (size_t i = 0; i < KEPT; i++) {
        failed |= values[i] && setenv(kept[i], values[i], 1) != 0;
        free(values[i]);
    }

    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        failed |= setenv(ones[i], "1", 1) != 0;
    return failed ? error_no_memory() : SNUG_OK;
}

int runtime_be_full(void)
{
    int error = SNUG_OK;

    pthread_mutex_lock(&runtime.lock);
    if (runtime.is_started && !runtime.is_full)
        error = error_set(SNUG_EPYTHON, "Python runs in this process, for restricted sessions");
    else
        runtime.is_full = 1;

    pthread_mutex_unlock(&runtime.lock);
    return error;
}

int runtime_is_full(void)
{
    return runtime.is_full;
}

static int refuse_start(PyStatus status)
{
    const char *where = status.func, *why = status.err_msg;

    if (!where)
        where = "initialisation";
    if (!why)
        why = "unknown reason";
    return error_set(SNUG_EPYTHON, "Python did not start: %s: %s", where, why);
}

static int start_python(const char *home)
{
    int error;

    if (Py_IsInitialized())
        return error_set(
            SNUG_EPYTHON,
            "Python already runs in this process and was not started by snug: open the "
            "host before, or one of form SNUG_FORM_WORKER, which works in any process");

    choose_heaps();
    if ((error = check_version()) || (error = show_functions()) || (error = home_find(home)) ||
        (runtime.is_full && (error = empty_environment())))
        return error;

    PyImport_FrozenModules = frozen_modules;
    if (module_register() != 0)
        return error_no_memory();

    busy_init();
    alloc_install();
    arena_install();
    audit_install();
    if (!runtime.is_full)
        common_begin();
    PyStatus status = initialise_python();
    if (PyStatus_Exception(status))
        return refuse_start(status);

    if (PyImport_GetMagicNumber() != frozen_magic)
        error = error_set(SNUG_EPYTHON, "bytecode magic %ld is not the %ld snug was built for",
                          PyImport_GetMagicNumber(), frozen_magic);
    else if (loader_find_folders() != 0)
        error = error_set(SNUG_EPYTHON, "the package encodings is not as it should be");
    else
        error = home_remember();

    if (!runtime.is_full)
        forget_environment();
    load_first();
    if (!error && !runtime.is_full && pins_make() != 0) {
        error = error_set(SNUG_EPYTHON, "what Python's interpreters share is not as it should be");
        PyErr_Clear();
    }

    if (!runtime.is_full)
        common_share();
    runtime.first = PyEval_SaveThread();
    runtime.is_started = error == SNUG_OK;
    return error;
}

static int check_hash_seed(uint64_t hash_seed)
{
    if (hash_seed == 0 || hash_seed == runtime.hash_seed)
        return SNUG_OK;
    return error_set(SNUG_EPYTHON,
                     "hash_seed is %llu, and Python runs in this process with another: a process "
                     "has one",
                     (unsigned long long)hash_seed);
}

int runtime_start(const char *home, uint64_t hash_seed)
{
    int error = SNUG_OK;

    pthread_mutex_lock(&runtime.lock);
    if (!runtime.is_started) {
        runtime.hash_seed = hash_seed;
        error = start_python(home);
    } else if ((error = check_hash_seed(hash_seed)) == SNUG_OK && home) {
        if (!home_is(home))
            error = error_set(SNUG_EPYTHON,
                              "Python runs in this process with %s and cannot be "
                              "started again with another: %s",
                              home_stdlib(), home);
    }

    pthread_mutex_unlock(&runtime.lock);
    return error;
}

int runtime_begin(void)
{
    int error = SNUG_OK;
    pthread_mutex_lock(&runtime.lock);
    /* One interpreter has nobody to share with. */
    if (!runtime.has_begun && !runtime.is_full && !(error = fair_start()))
        runtime.has_begun = 1;
    pthread_mutex_unlock(&runtime.lock);
    return error;
}

int runtime_gil_is_shared(void)
{
    return !PYTHON_OWN_GIL;
}

int runtime_gil_turns(uint64_t *turns)
{
#if PYTHON_OWN_GIL
    *turns = 0;
    return 0;
#else
    *turns = internals_gil_turns();
    return internals_gil_holder() != NULL;
#endif
}

int runtime_is_gil_word(uintptr_t address)
{
#if PYTHON_OWN_GIL
    (void)address;
    return 0;
#else
    return internals_is_gil_word(address);
#endif
}

int runtime_report(str *out)
{
#ifdef SNUG_STATIC_PYTHON
    const char *linked = "static";
#else
    const char *linked = "shared library";
#endif
    const char *packages = home_packages();
    const char *gil = PYTHON_OWN_GIL ? "one for each session" : "shared by all sessions";

    if (!packages)
        packages = "none";
    return str_printf(out,
                      "python: %s\npython.stdlib: %s\npython.packages: %s\npython.gil: %s\n"
                      "python.linked: %s\n",
                      PY_VERSION, home_stdlib(), packages, gil, linked);
}

void runtime_take_first(void)
{
    PyEval_RestoreThread(runtime.first);
}

void runtime_give_first(void)
{
    PyEval_SaveThread();
}
