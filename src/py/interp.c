#include "py/interp.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/thread.h"
#include "base/utf8.h"
#include "limits/text.h"
#include "py/adopt.h"
#include "py/alloc.h"
#include "py/arena.h"
#include "py/busy.h"
#include "py/compile.h"
#include "py/describe.h"
#include "py/exceptions.h"
#include "py/gate.h"
#include "py/internals.h"
#include "py/loader.h"
#include "py/names.h"
#include "py/posix.h"
#include "py/print.h"
#include "py/runtime.h"
#include "py/scan.h"
#include "py/state.h"
#include "py/stdstream.h"
#include "py/surface.h"

_Thread_local interp *interp_current __attribute__((tls_model("initial-exec")));

/* ---- trust --------------------------------------------------------------- */

static int begins(const char *text, size_t len, const char *prefix, size_t prefix_len)
{
    return len > prefix_len && memcmp(text, prefix, prefix_len) == 0;
}

static int is_of_package(const interp *in, const char *path, size_t len)
{
    const char *packages = in->options.packages;
    return packages && begins(path, len, packages, strlen(packages)) &&
           path[strlen(packages)] == '/';
}

int interp_trusts(const interp *in, PyObject *filename)
{
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(filename, &len);
    if (!text) {
        PyErr_Clear();
        return 0;
    }
    const char *stdlib = runtime_stdlib();
    size_t stdlib_len = strlen(stdlib);
    return begins(text, (size_t)len, "<frozen ", 8) || begins(text, (size_t)len, "<snug ", 6) ||
           (begins(text, (size_t)len, stdlib, stdlib_len) && text[stdlib_len] == '/') ||
           is_of_package(in, text, (size_t)len);
}

int interp_is_library(const interp *in, const char *path)
{
    char normal[PATH_MAX];
    const char *stdlib = runtime_stdlib();
    size_t len = strlen(path), stdlib_len = strlen(stdlib);
    return paths_normalise(normal, sizeof normal, NULL, path, len) && strcmp(normal, path) == 0 &&
           ((begins(path, len, stdlib, stdlib_len) && path[stdlib_len] == '/') ||
            is_of_package(in, path, len));
}

/* ---- notes of the running cell ------------------------------------------- */

void interp_deny(interp *in, const char *event, const char *detail, size_t len)
{
    if (in->denial_count >= OUTCOME_DENIALS)
        return;
    if (!in->denials && !(in->denials = calloc(OUTCOME_DENIALS, sizeof *in->denials)))
        return;
    outcome_denial *denial = &in->denials[in->denial_count];
    size_t fault = 0;
    if (utf8_check(detail, len, &fault) != UTF8_FINE)
        len = fault;
    if (str_add(&denial->event, event) == SNUG_OK &&
        str_append(&denial->detail, detail, utf8_floor(detail, len, len < 500 ? len : 500)) ==
            SNUG_OK)
        in->denial_count++;
}

void interp_hint(interp *in, PyObject *exc, const char *hint)
{
    Py_XSETREF(in->hinted, Py_NewRef(exc));
    str_clear(&in->hint);
    str_add(&in->hint, hint);
}

/* ---- taking and giving back ---------------------------------------------- */

void interp_enter(interp *in)
{
    fair_enter(&in->fair);
    fair_take(&in->fair);
}

void interp_leave(interp *in)
{
    PyEval_SaveThread();
    fair_leave(&in->fair);
}

/* (handler) The stack is nearly used up: the next check of a recursion raises
 * RecursionError, and the zone gives it the room to do so. */
static void on_yellow(guard *g)
{
    (void)g;
    interp *in = interp_current;
    if (in && in->tstate) {
        in->hit_yellow = 1;
        internals_set_recursion_left(in->tstate, (recursion_left){ 0, 0 });
    }
}

/* Starved too, a comparison or an isinstance() of deep things can go on for ever without
 * an allocation; but it counts its recursion, and finds none left. */
static void cut_recursion(interp *in)
{
    if (atomic_load(&in->stop) == STOP_NONE || atomic_load(&in->is_settled) ||
        !atomic_load(&in->is_guest))
        return;
    in->hit_yellow = 1;
    internals_set_recursion_left(in->tstate, (recursion_left){ 0, 0 });
}

/* (handler) */
static void on_kick(guard *g)
{
    interp *in = interp_current;
    if (in && in->tstate && atomic_load(&g->stage) >= GUARD_STARVE)
        cut_recursion(in);
}

/* Without signals, from the watchdog's thread: the session must not settle meanwhile, nor
 * leave interp_guarded. */
void interp_cut_recursion(interp *in)
{
    pthread_mutex_lock(&in->settling);
    cut_recursion(in);
    pthread_mutex_unlock(&in->settling);
}

/* (handler) CPython's allocator must not be torn: 3.11 has one for all sessions, and
 * neither must what runs under a lock of the runtime's. A thread without 3.11's GIL may
 * be just about to get it, or a lock of the importer's: torn there, it would leave them
 * taken for ever. Only in another library's code is it at its own work, as in a hash's. */
static int is_busy(guard *g, uintptr_t pc, const uintptr_t *sp)
{
    (void)g;
    interp *in = interp_current;
    if (in && in->tstate && internals_lacks_gil(in->tstate) &&
        (text_is_program(pc) || text_is_libc(pc)))
        return 1;
    return internals_runtime_is_locked() || busy_in_allocator(pc, sp);
}

void interp_set_guard(guard *g)
{
    g->on_kick = on_kick;
    g->on_yellow = on_yellow;
    g->is_busy = is_busy;
}

/* Leaves the interpreter as it is, torn, for ever: to use it again or to end it
 * crashes. Only what other threads wait for is given back. */
static void abandon(interp *in)
{
    internals_let_go(in->tstate);
    fair_leave(&in->fair);
    interp_current = NULL;
    alloc_charge_to(NULL);
    arena_list_abandon(in->arenas);
}

/* A stop can hit asyncio between the end of a loop and the moment it says so. What the guest
 * has put in the function's place is not asked. */
static void forget_running_loop(interp *in)
{
    PyObject *answer =
        in->set_running_loop ? PyObject_CallOneArg(in->set_running_loop, Py_None) : NULL;
    Py_XDECREF(answer);
    PyErr_Clear();
}

/* A stop in the import of a package takes the package out of sys.modules and leaves the
 * modules in it there, and the next import would not bind them. */
static void forget_orphaned_modules(void)
{
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    PyObject *names = PyDict_Keys(modules);
    for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(names); i++) {
        PyObject *name = PyList_GET_ITEM(names, i);
        const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
        const char *dot = text ? strchr(text, '.') : NULL;
        PyObject *package = dot ? PyUnicode_FromStringAndSize(text, dot - text) : NULL;
        if (package && PyDict_GetItemWithError(modules, package) == NULL)
            PyDict_DelItem(modules, name);
        Py_XDECREF(package);
        PyErr_Clear();
    }
    Py_XDECREF(names);
    PyErr_Clear();
}

typedef struct guarded_call {
    interp *in;
    void (*fn)(void *arg);
    void *arg;
} guarded_call;

/* What a stop left behind is put in order here, under guard and deadline, for it runs what the
 * guest may have replaced. */
static void call_guarded(void *arg)
{
    const guarded_call *call = arg;
    if (call->in->is_untidy) {
        call->in->is_untidy = 0;
        forget_orphaned_modules();
        forget_running_loop(call->in);
    }
    call->fn(call->arg);
}

int interp_guarded(interp *in, void (*fn)(void *arg), void *arg, guard_end *end, int *number)
{
    guard *g = guard_here;
    *end = GUARD_RETURNED;
    interp_enter(in);
    in->left = internals_recursion_left(in->tstate);
    atomic_store(&in->is_guest, 1);
    guarded_call call = { in, fn, arg };
    if (g)
        *end = guard_run(g, call_guarded, &call);
    else
        call_guarded(&call);
    if (*end == GUARD_RETURNED) {
        /* A recursion that is cut from here on would stay cut for the next cell. */
        pthread_mutex_lock(&in->settling);
        atomic_store(&in->is_guest, 0);
        pthread_mutex_unlock(&in->settling);
        if (in->hit_yellow)
            internals_set_recursion_left(in->tstate, in->left);
        in->hit_yellow = 0;
        interp_leave(in);
        return SNUG_OK;
    }
    *number = g->number;
    abandon(in);
    return error_set(SNUG_EDEAD, "the session's interpreter had to be given up");
}

/* ---- stopping ------------------------------------------------------------ */

int interp_check_stop(interp *in)
{
    if (atomic_load(&in->stop) == STOP_NONE || atomic_load(&in->is_settled))
        return 0;
    PyErr_SetNone(in->stopped);
    return -1;
}

void interp_stop(interp *in, stop_reason reason, uint64_t limit)
{
    int none = STOP_NONE;
    if (atomic_load(&in->stop) == STOP_NONE) {
        in->stop_limit = limit;
        atomic_compare_exchange_strong(&in->stop, &none, (int)reason);
    }
    if (!atomic_load(&in->is_settled) && !atomic_load(&in->is_ending) &&
        internals_raise_later(in->tstate, in->stopped))
        atomic_fetch_add(&in->raised, 1);
    interp_wake(in);
}

void interp_starve(interp *in, int is_starving)
{
    if (atomic_exchange(&in->is_starving, is_starving) == is_starving)
        return;
    if (is_starving)
        alloc_starve_begin();
    else
        alloc_starve_end();
}

int interp_is_settled(const interp *in)
{
    return atomic_load(&in->is_settled);
}

stop_reason interp_stop_reason(const interp *in)
{
    return (stop_reason)atomic_load(&in->stop);
}

int interp_waits_for_gil(const interp *in, const guard *g)
{
    return internals_gil_is_elsewhere(in->tstate) && (!guard_is_full() || g->locks > 0);
}

void interp_ending(interp *in)
{
    atomic_store(&in->is_ending, 1);
}

/* One that was not raised yet took no reference. */
static void cancel_raise(interp *in)
{
    if (internals_cancel_raise(in->tstate))
        atomic_fetch_sub(&in->raised, 1);
}

void interp_settle(interp *in)
{
    pthread_mutex_lock(&in->settling);
    atomic_store(&in->is_settled, 1);
    pthread_mutex_unlock(&in->settling);
    if (guard_here)
        atomic_store(&guard_here->stage, GUARD_CALM);
    cancel_raise(in);
    if (in->hit_yellow)
        internals_set_recursion_left(in->tstate, in->left);
}

void interp_unsettle(interp *in)
{
    atomic_store(&in->is_settled, 0);
}

void interp_wake(interp *in)
{
    atomic_fetch_add(&in->bell, 1);
    futex_wake_all(&in->bell);
}

/* The evaluation loop took a reference to the type for each raise. */
void interp_rest(interp *in)
{
    if (atomic_load(&in->stop) == STOP_NONE) {
        atomic_store(&in->is_settled, 0);
        return;
    }
    interp_enter(in);
    /* The watchdog may have come once more after the job had put it back. */
    if (in->hit_yellow)
        internals_set_recursion_left(in->tstate, in->left);
    in->hit_yellow = 0;
    cancel_raise(in);
    long raised = atomic_exchange(&in->raised, 0);
    for (; raised > 0; raised--)
        Py_INCREF(in->stopped);
    atomic_store(&in->stop, STOP_NONE);
    atomic_store(&in->is_settled, 0);
    internals_end_imports();
    in->is_untidy = 1;
    interp_leave(in);
}

/* ---- opening ------------------------------------------------------------- */

/* CPython creates and ends interpreters under locks of its own, but not all of it
 * (3.13's own-GIL interpreters race in the list of extension modules). */
static pthread_mutex_t birth = PTHREAD_MUTEX_INITIALIZER;

#if PYTHON_OWN_GIL
static PyThreadState *new_interpreter(const char **why)
{
    PyInterpreterConfig config = {
        .use_main_obmalloc = 0,
        .allow_fork = 0,
        .allow_exec = 0,
        .allow_threads = 0,
        .allow_daemon_threads = 0,
        .check_multi_interp_extensions = 1,
        .gil = PyInterpreterConfig_OWN_GIL,
    };
    PyThreadState *tstate = NULL;
    pthread_mutex_lock(&birth);
    PyStatus status = Py_NewInterpreterFromConfig(&tstate, &config);
    pthread_mutex_unlock(&birth);
    *why = status.err_msg;
    return PyStatus_Exception(status) ? NULL : tstate;
}

static void end_interpreter(PyThreadState *tstate)
{
    Py_EndInterpreter(tstate);
}
#else
/* Isolated: no threads, no fork, no subprocess. */
extern PyThreadState *_Py_NewInterpreter(int isolated_subinterpreter);

/* A context variable remembers its value by the thread state's number, which CPython counts in
 * each interpreter from the start; _decimal's variable belongs to all of them, and one session
 * would compute with the context of another, or of one that is gone. */
static void number_state(PyThreadState *tstate)
{
    static uint64_t last = UINT64_C(1) << 32; /* under birth */
    tstate->id = ++last;
}

static PyThreadState *new_interpreter(const char **why)
{
    void *saved;
    *why = "out of memory";
    pthread_mutex_lock(&birth);
    PyThreadState *tstate = NULL;
    if (runtime_enter_main(&saved) == SNUG_OK) {
        static int is_stripped; /* under birth */
        PyThreadState *main_tstate = saved;
        is_stripped = is_stripped || surface_strip_main() == 0;
        if (is_stripped && (tstate = _Py_NewInterpreter(1))) {
            number_state(tstate);
            PyThreadState_Swap(main_tstate);
        }
        runtime_leave_main(saved);
        if (tstate)
            PyEval_AcquireThread(tstate);
    }
    pthread_mutex_unlock(&birth);
    return tstate;
}

/* Py_EndInterpreter leaves the thread without a state but with the GIL, which only
 * another state of the thread can give back. */
static void end_interpreter(PyThreadState *tstate)
{
    PyInterpreterState *main_interp = PyInterpreterState_Main();
    Py_EndInterpreter(tstate);
    PyThreadState *other = PyThreadState_New(main_interp);
    PyThreadState_Swap(other);
    PyThreadState_Clear(other);
    PyThreadState_DeleteCurrent();
}
#endif

static PyObject *quit(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *code = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : Py_None;
    PyErr_SetObject(PyExc_SystemExit, code);
    return NULL;
}

/* Loaded at the first call: pydoc is large. */
static PyObject *help(PyObject *self, PyObject *args)
{
    (void)self;
    interp *in = interp_current;
    PyObject *module = gate_load(in, "_snug_help");
    PyObject *function = module ? PyObject_GetAttrString(module, "describe") : NULL;
    PyObject *answer = function ? PyObject_CallObject(function, args) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(module);
    return answer;
}

/* What site would add. */
static PyMethodDef site_methods[] = {
    { "quit", quit, METH_VARARGS, "End the cell; the session goes on." },
    { "exit", quit, METH_VARARGS, "End the cell; the session goes on." },
    { "help", help, METH_VARARGS, "help(object)\n\nPrint what is known of an object." },
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
    return print_install(in) != 0 ? -1 : gate_install(in);
}

/* A stop that hits a finalizer or a weak reference's callback is told by the result
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
    return original ? PyObject_CallOneArg(original, unraisable) : Py_NewRef(Py_None);
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
#if PY_VERSION_HEX < 0x030c0000
    PyObject *set_limit = PySys_GetObject("set_int_max_str_digits"); /* borrowed */
    PyObject *answer = set_limit ? PyObject_CallFunction(set_limit, "i", 4300) : NULL;
    failed = failed || !answer;
    Py_XDECREF(answer);
#endif
    return failed || set_up_unraisable() != 0 || stdstream_install() != 0 ? -1 : 0;
}

/* Behind the standard library. */
static int set_up_path(interp *in)
{
    if (!in->options.packages)
        return 0;
    PyObject *path = PySys_GetObject("path"); /* borrowed */
    PyObject *folder = PyUnicode_DecodeFSDefault(in->options.packages);
    int failed = !path || !folder || PyList_Append(path, folder) != 0;
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
    return in->in_list && in->out_dict && PyDict_SetItemString(in->main, "In", in->in_list) == 0 &&
                   PyDict_SetItemString(in->main, "Out", in->out_dict) == 0
               ? 0
               : -1;
}

static int set_up(interp *in)
{
    PyObject *module = PyImport_AddModule("__main__"); /* borrowed */
    if (!module)
        return -1;
    in->main = Py_NewRef(PyModule_GetDict(module));
    in->builtins = Py_NewRef(PyEval_GetBuiltins());
    in->value_name = PyUnicode_InternFromString("<value>");
    if (!in->value_name || set_up_sys() != 0 || set_up_path(in) != 0 || exceptions_make(in) != 0 ||
        set_up_builtins(in) != 0 || set_up_names(in) != 0 || compile_prepare(in) != 0 ||
        surface_adopt_loaded(in) != 0 || loader_install(in) != 0 || adopt_loaded(in) != 0)
        return -1;
    return 0;
}

static int python_error(const char *what)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *utf8 = text ? PyUnicode_AsUTF8(text) : NULL;
    int error = error_set(SNUG_EPYTHON, "%s: %s", what, utf8 ? utf8 : "unknown error");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return error;
}

int interp_open(interp **out, const interp_options *options)
{
    const char *why = NULL;
    interp *in = calloc(1, sizeof *in);
    if (!in)
        return error_no_memory();
    in->options = *options;
    pthread_mutex_init(&in->settling, NULL);
    if (PYTHON_OWN_GIL) {
        if (!(in->arenas = arena_list_new())) {
            free(in);
            return error_no_memory();
        }
        arena_own(in->arenas);
    }
    interp_current = in;
    alloc_charge_to(options->memory);
    fair_enter(NULL);
    in->fair.tstate = in->tstate = new_interpreter(&why);
    if (!in->tstate) {
        fair_leave(NULL);
        int error = error_set(SNUG_EPYTHON, "no interpreter for the session: %s",
                              why ? why : "unknown reason");
        interp_close(in);
        interp_free(in);
        return error;
    }
    if (set_up(in) != 0) {
        int error = python_error("the session's interpreter could not be set up");
        PyEval_SaveThread();
        fair_leave(NULL);
        interp_close(in);
        interp_free(in);
        return error;
    }
    in->is_guarded = 1;
    PyEval_SaveThread();
    fair_leave(NULL);
    *out = in;
    return SNUG_OK;
}

/* ---- closing ------------------------------------------------------------- */

/* What the guest has left to run at the end: its atexit functions, and finalizers
 * of what its names hold. */
static void retire(void *arg)
{
    interp *in = arg;
    PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), "atexit"); /* borrowed */
    PyObject *answer = module ? PyObject_CallMethod(module, "_run_exitfuncs", NULL) : NULL;
    PyErr_Clear();
    Py_XDECREF(answer);
    PyDict_Clear(in->main);
    PyGC_Collect();
    PyErr_Clear();
}

int interp_retire(interp *in)
{
    guard_end end;
    int number;
    return interp_guarded(in, retire, in, &end, &number);
}

static void drop_objects(interp *in)
{
    PyObject **objects[] = {
        &in->set_running_loop, &in->main,          &in->builtins,
        &in->compile,          &in->print,         &in->assign,
        &in->targets,          &in->value_name,    &in->run_async,
        &in->in_list,          &in->out_dict,      &in->hinted,
        &in->last[0],          &in->last[1],       &in->last[2],
        &in->last_names[0],    &in->last_names[1], &in->last_names[2],
        &in->stopped,          &in->policy_error,  &in->import_denied,
    };
    posix_release(in);
    loader_release(in);
    codecache_clear(&in->cache);
    for (size_t i = 0; i < in->source_count; i++)
        Py_CLEAR(in->sources[i]);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        Py_CLEAR(*objects[i]);
}

static void end(void *arg)
{
    interp *in = arg;
    in->is_guarded = 1;
    exceptions_release(in);
    /* What the interpreter's own shutdown still runs is denied by the built-in bases
     * of our exceptions. */
    drop_objects(in);
    if (in->arenas)
        arena_list_adopt(in->arenas, in->tstate);
    end_interpreter(in->tstate);
}

int interp_close(interp *in)
{
    if (in->tstate) {
        guard *g = guard_here;
        fair_enter(NULL);
        PyEval_RestoreThread(in->tstate);
        if (g && guard_run(g, end, in) != GUARD_RETURNED) {
            fair_enter(&in->fair); /* abandon leaves once as a member, here once more */
            fair_leave(NULL);
            abandon(in);
            return error_set(SNUG_EDEAD, "the session's interpreter did not end and was given up");
        }
        if (!g)
            end(in);
        fair_leave(NULL);
    }
    interp_current = NULL;
    alloc_charge_to(NULL);
    return SNUG_OK;
}

void interp_free(interp *in)
{
    if (!in)
        return;
    arena_list_release(in->arenas);
    for (size_t i = 0; i < in->denial_count; i++) {
        str_free(&in->denials[i].event);
        str_free(&in->denials[i].detail);
    }
    free(in->denials);
    free(in->sources);
    str_free(&in->hint);
    pthread_mutex_destroy(&in->settling);
    free(in);
}

/* ---- for prompts --------------------------------------------------------- */

typedef struct question {
    interp *in;
    const char *source;
    size_t len, cursor;
    const char **modules;
    name_list *names;
    int answer;
} question;

static int ask(question *q, void (*fn)(void *arg))
{
    guard_end end;
    int number;
    int error = interp_guarded(q->in, fn, q, &end, &number);
    return error ? error : q->answer;
}

static void is_complete(void *arg)
{
    question *q = arg;
    q->answer = describe_is_complete(q->source, q->len, q->in->compiler_flags);
    PyErr_Clear();
}

int interp_is_complete(interp *in, const char *source, size_t len)
{
    question q = { .in = in, .source = source, .len = len };
    return ask(&q, is_complete);
}

/* The guest's __getattr__, properties and __dir__ run. */
static void complete(void *arg)
{
    question *q = arg;
    q->answer = describe_complete(q->names, q->in->main, q->modules, q->source, q->len, q->cursor);
    PyErr_Clear();
}

int interp_complete(struct name_list *out, interp *in, const char *source, size_t len,
                    size_t cursor)
{
    size_t count = allowlist_count(in->options.modules);
    const char **modules = calloc(count + 1, sizeof *modules);
    if (!modules)
        return error_no_memory();
    for (size_t i = 0; i < count; i++)
        modules[i] = allowlist_name(in->options.modules, i);
    question q = { in, source, len, cursor, modules, out, 0 };
    int error = ask(&q, complete);
    free(modules);
    return error;
}

/* ---- for scans ----------------------------------------------------------- */

typedef struct scan {
    scan_findings *out;
    interp *in;
    const allowlist *modules;
    const char *source;
    size_t len;
    uint64_t max_bytes;
    int error;
} scan;

static void judge(void *arg)
{
    scan *s = arg;
    s->in->is_guarded = 0; /* no guest's code runs here, and _snug_scan is in no profile */
    s->error = scan_source(s->out, s->modules, s->source, s->len, s->max_bytes);
}

int interp_scan(struct scan_findings *out, interp *in, const allowlist *modules, const char *source,
                size_t len, uint64_t max_bytes)
{
    guard_end end;
    int number;
    scan s = { out, in, modules, source, len, max_bytes, 0 };
    int error = interp_guarded(in, judge, &s, &end, &number);
    return error ? error : s.error;
}
