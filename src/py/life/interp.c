#include "py/core/interp.h"
#include "py/core/cell_notes.h"
#include "py/core/home.h"
#include "py/core/stopping.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "limits/memory.h"
#include "py/core/alloc.h"
#include "py/core/arena.h"
#include "py/core/exceptions.h"
#include "py/core/internals.h"
#include "py/core/state.h"
#include "py/guard/loader.h"
#include "py/guard/posix.h"
#include "py/life/runtime.h"
#include "py/mend/pins.h"
#include "py/shared/shared_objects.h"
#include "py/surface/fullmain.h"
#include "py/surface/patch_c.h"

_Thread_local interp *interp_current __attribute__((tls_model("initial-exec")));
_Thread_local own_events interp_own __attribute__((tls_model("initial-exec")));

/* ---- opening ---- */

/* CPython creates and ends interpreters under locks of its own, but not all of it
 * (3.13's own-GIL interpreters race in the list of extension modules). */
static pthread_mutex_t birth = PTHREAD_MUTEX_INITIALIZER;

/* A birth that finds no memory is undone in the wrong order, or goes on with tables that are half
 * made: CPython aborts or faults. It is torn out of there, and what it has made so far stays.
 * 0: that has happened. */
static int give_guarded_birth(void (*give_birth)(void *made), void *made)
{
    guard *g = guard_here;

    if (!g) {
        give_birth(made);
        return 1;
    }

    int locks = g->locks; /* birth: it is given back as usual */
    if (guard_run(g, give_birth, made) == GUARD_RETURNED)
        return 1;
    g->locks = locks;
    return 0;
}

#if PYTHON_OWN_GIL
typedef struct newborn {
    PyThreadState *tstate;
    PyStatus status;
} newborn;

static void give_birth(void *made)
{
    newborn *new = made;
    PyInterpreterConfig config = {
        .use_main_obmalloc = 0,
        .allow_fork = 0,
        .allow_exec = 0,
        .allow_threads = 0,
        .allow_daemon_threads = 0,
        .check_multi_interp_extensions = 1,
        .gil = PyInterpreterConfig_OWN_GIL,
    };

    new->status = Py_NewInterpreterFromConfig(&new->tstate, &config);
}

/* The thread leaves the interpreter that was not finished, and its GIL. */
static void leave_torn(void)
{
    if (PyThreadState_GetUnchecked())
        PyEval_SaveThread();
}

static PyThreadState *new_interpreter(const char **why)
{
    newborn new = { NULL, PyStatus_NoMemory() };

    pthread_mutex_lock(&birth);
    common_make_begin();
    if (!give_guarded_birth(give_birth, &new)) {
        leave_torn();
        new = (newborn){ NULL, PyStatus_NoMemory() };
    }
    common_make_end();
    pthread_mutex_unlock(&birth);
    *why = new.status.err_msg;
    return PyStatus_Exception(new.status) ? NULL : new.tstate;
}

static void end_interpreter(PyThreadState *tstate, PyThreadState *other)
{
    (void)other;
    Py_EndInterpreter(tstate);
}

static int make_other(PyThreadState **out)
{
    *out = NULL;
    return 1;
}
#else
/* Isolated: no threads, no fork, no subprocess. */
extern PyThreadState *_Py_NewInterpreter(int isolated_subinterpreter);

static void give_birth(void *made)
{
    *(PyThreadState **)made = _Py_NewInterpreter(1);
}

/* In the main interpreter, under birth. */
static PyThreadState *bear_from_main(PyThreadState *main_tstate)
{
    static int is_stripped;

    if (!is_stripped && surface_strip_main() != 0)
        return NULL;
    is_stripped = 1;

    PyThreadState *tstate = NULL;
    if (!give_guarded_birth(give_birth, &tstate))
        tstate = NULL;
    if (tstate)
        internals_number_state(tstate);
    pins_after_birth(tstate != NULL);
    PyThreadState_Swap(main_tstate);
    return tstate;
}

static PyThreadState *new_interpreter(const char **why)
{
    void *saved;

    *why = "out of memory";
    pthread_mutex_lock(&birth);
    PyThreadState *tstate = NULL;
    if (home_enter_main(&saved) != SNUG_OK)
        goto done;

    tstate = bear_from_main(saved);
    home_leave_main(saved);
    if (tstate) {
        PyEval_AcquireThread(tstate);
        internals_bind_state(tstate);
    }

done:
    pthread_mutex_unlock(&birth);
    return tstate;
}

/* Py_EndInterpreter leaves the thread without a state but with the GIL, which only
 * another state of the thread can give back. */
static void end_interpreter(PyThreadState *tstate, PyThreadState *other)
{
    Py_EndInterpreter(tstate);
    PyThreadState_Swap(other);
    PyThreadState_Clear(other);
    PyThreadState_DeleteCurrent();
}

/* Before, while that can still fail. */
static int make_other(PyThreadState **out)
{
    memory_account *account = alloc_account();
    alloc_charge_to(NULL); /* a session that has used up its own can be ended too */
    *out = internals_new_state(PyInterpreterState_Main());
    alloc_charge_to(account);
    return *out != NULL;
}
#endif

static int restore_main(interp *in)
{
    in->is_set_up = fullmain_restore() == 0 && interp_set_up_full(in) == 0;
    return in->is_set_up ? 0 : -1;
}

/* Nothing of a guest's runs in here: what the first session finds, packages have left. */
static int open_main_interpreter(interp *in)
{
    int error = SNUG_OK;

    fair_enter();
    in->fair.tstate = in->tstate = fullmain_enter();
    if (!in->tstate) {
        error = error_no_memory();
        goto done;
    }

    if (exceptions_make(in) != 0 || (fullmain_is_fresh() && restore_main(in) != 0))
        error = interp_python_error("the session's interpreter could not be set up");
    if (!error)
        fair_join(&in->fair);
    PyEval_SaveThread();

done:
    fair_leave();
    return error;
}

static void prepare_guarded(void *arg)
{
    interp *in = arg;

    in->is_guarded = (in->is_set_up || restore_main(in) == 0) && interp_set_up_session(in) == 0;
    if (in->is_guarded)
        PyErr_Clear();
    else if (interp_tell_stop(in) == SNUG_OK)
        interp_python_error("the session's interpreter could not be set up");
    else
        error_set(SNUG_ESTOPPED, "the interpreter could not be put in order");
}

int interp_prepare(interp *in)
{
    guard_end end;
    int number;
    if (interp_guarded(in, prepare_guarded, in, &end, &number) != SNUG_OK)
        return SNUG_EDEAD;
    if (in->is_guarded)
        return SNUG_OK;
    return interp_stop_reason(in) == STOP_NONE ? SNUG_EPYTHON : SNUG_ESTOPPED;
}

/* It may be half open. Where it cannot be ended it stays, as one that was given up, and the message
 * is still why it was not opened. */
static int fail_open(interp *in, int error)
{
    char message[ERROR_MESSAGE_BYTES];

    if (in->is_abandoned) {
        room_leave();
        return error;
    }

    strcpy(message, error_message());
    if (interp_close(in) == SNUG_OK)
        interp_free(in);
    return error_set(error, "%s", message);
}

static int no_room(void)
{
    return error_set(SNUG_ENOMEM,
                     "no interpreter for the session: the process has not the %d MiB of memory and "
                     "address space left that it takes",
                     ROOM_BYTES >> 20);
}

/* A subinterpreter for the calling thread, which has its GIL then. */
static int make_subinterpreter(interp *in)
{
    const char *why = NULL;

    if (!room_keep())
        return no_room();
    alloc_map_large(!in->options.is_inline); /* 3.15: see internals_forget_state */
    in->tstate = new_interpreter(&why);
    alloc_map_large(0);
    in->fair.tstate = in->tstate;
    if (in->tstate)
        return SNUG_OK;

    room_leave();
    if (!why)
        why = "unknown reason";
    return error_set(SNUG_EPYTHON, "no interpreter for the session: %s", why);
}

/* What 3.13's interpreters have of their own and of each other. */
static int prepare_birth(interp *in)
{
    if (!PYTHON_OWN_GIL)
        return SNUG_OK;

    pthread_mutex_lock(&birth);
    common_update();
    pthread_mutex_unlock(&birth);
    in->arenas = arena_list_new();
    if (!in->arenas)
        return error_no_memory();
    arena_own(in->arenas);
    return SNUG_OK;
}

typedef struct setting_up {
    interp *in;
    int error;
} setting_up;

static void set_up_guarded(void *arg)
{
    setting_up *s = arg;
    if (interp_set_up(s->in) != 0)
        s->error = interp_python_error("the session's interpreter could not be set up");
}

/* CPython aborts where it finds no memory for an exception. What was made until then stays, as of a
 * session that was given up. */
static int set_up_restricted(interp *in)
{
    setting_up s = { in, SNUG_OK };
    guard_end end = interp_run_claimed(in, set_up_guarded, &s);

    if (end != GUARD_RETURNED) {
        int number = guard_here->number;
        interp_abandon(in, &end, &number);
        in->is_abandoned = 1;
        return error_set(SNUG_ENOMEM, "the session's interpreter was given up: there was no memory "
                                      "to set it up");
    }

    if (s.error) {
        PyEval_SaveThread();
        fair_leave();
    }
    return s.error;
}

static int open_restricted(interp *in)
{
    int error;

    fair_enter();
    error = make_subinterpreter(in);
    if (error) {
        fair_leave();
        return error;
    }

    error = set_up_restricted(in);
    if (error)
        return error;

    PyGC_Enable(); /* fast_start.c */
    in->is_guarded = 1;
    fair_join(&in->fair);
    interp_leave();
    room_leave();
    return SNUG_OK;
}

int interp_open(interp **out, const interp_options *options)
{
    interp *in = calloc(1, sizeof *in);
    if (!in)
        return error_no_memory();

    in->options = *options;
    pthread_mutex_init(&in->stop.settling, NULL);
    pthread_mutex_init(&in->notes.denying, NULL);
    pthread_mutex_init(&in->databases.lock, NULL);
    threads_init(&in->threads);

    int error = SNUG_OK;
    if (!options->is_full)
        error = prepare_birth(in);
    if (error)
        return fail_open(in, error);

    interp_current = in;
    alloc_charge_to(options->memory);
    if (options->is_full)
        error = open_main_interpreter(in);
    else
        error = open_restricted(in);

    if (error)
        return fail_open(in, error);

    *out = in;
    return SNUG_OK;
}

typedef struct giving {
    interp *in;
    int error;
} giving;

static void give_guarded(void *arg)
{
    giving *g = arg;
    if (interp_set_up_session(g->in) != 0)
        g->error = interp_python_error("the session's interpreter could not be set up");
    g->in->is_guarded = 1;
}

int interp_give(interp *in, const interp_options *options)
{
    giving g = { in, SNUG_OK };
    guard_end end;
    int number, error;

    in->options = *options;
    if (!room_keep())
        return no_room();

    error = interp_guarded(in, give_guarded, &g, &end, &number);
    room_leave();
    if (error)
        return error;
    if (interp_tell_stop(in) != SNUG_OK)
        return SNUG_ESTOPPED;
    return g.error;
}

/* ---- closing ---- */

/* What the session keeps of the guest's values beside its names: Out, _ and the checkpoint. */
static void forget_values(interp *in)
{
    if (in->out_dict)
        PyDict_Clear(in->out_dict);
    for (size_t i = 0; i < sizeof in->last / sizeof *in->last; i++)
        Py_CLEAR(in->last[i]);
    Py_CLEAR(in->checkpoint);
}

/* What the guest has left to run at the end: its atexit functions, and finalizers
 * of what its names hold. */
static void retire_guarded(void *arg)
{
    interp *in = arg;
    PyObject *atexit = NULL;

    /* Of the main interpreter they are those of modules that stay. */
    if (!in->options.is_full)
        atexit = PyDict_GetItemString(PyImport_GetModuleDict(), "atexit"); /* borrowed */
    if (atexit)
        Py_XDECREF(PyObject_CallMethod(atexit, "_run_exitfuncs", NULL));
    PyErr_Clear();
    if (in->main)
        PyDict_Clear(in->main);
    forget_values(in);
    PyGC_Collect();
    PyErr_Clear();
}

int interp_retire(interp *in)
{
    guard_end end;
    int number;
    return interp_guarded(in, retire_guarded, in, &end, &number);
}

static void drop_objects(interp *in)
{
    PyObject **objects[] = {
        &in->set_running_loop, &in->main,          &in->builtins,
        &in->compile,          &in->print,         &in->assign,
        &in->targets,          &in->value_name,    &in->run_async,
        &in->in_list,          &in->file_sources,  &in->out_dict,
        &in->notes.hinted,     &in->notes.streams, &in->last[0],
        &in->last[1],          &in->last[2],       &in->last_names[0],
        &in->last_names[1],    &in->last_names[2], &in->policy_error,
        &in->import_denied,    &in->pretty,        &in->rich,
        &in->tool_error,       &in->tool_timeout,  &in->tool_refused,
        &in->await_call,       &in->awaited,       &in->awaited_of,
        &in->checkpoint,       &in->raw_type,      &in->server_type,
        &in->lazy_import,
    };

    posix_release(in);
    loader_release(in);
    interp_forget_programs(in);
    codecache_clear(&in->cache);
    changes_free(&in->known);
    for (size_t i = 0; i < in->source_count; i++)
        Py_CLEAR(in->sources[i]);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        Py_CLEAR(*objects[i]);
    Py_CLEAR(in->threads.excepthook);
    Py_CLEAR(in->threads.handle_type);
}

typedef struct ending {
    interp *in;
    PyThreadState *other;
} ending;

static void end_guarded(void *arg)
{
    const ending *e = arg;
    interp *in = e->in;

    in->is_guarded = 1;
    stopping_watch_end(in);

    /* What the interpreter's own shutdown still runs is denied by the built-in bases
     * of our exceptions. */
    drop_objects(in);
    if (in->options.is_full) {
        fullmain_leave(in->tstate);
        return;
    }

    if (in->arenas)
        arena_list_adopt(in->arenas, in->tstate);
    end_interpreter(in->tstate, e->other);
}

static void leave_thread(void)
{
    interp_current = NULL;
    alloc_charge_to(NULL);
}

/* It stays, without a thread. */
static int leave_unended(interp *in)
{
    interp_leave();
    room_leave();
    large_give_back(in->options.memory);
    leave_thread();
    return error_set(SNUG_EDEAD, "there is no memory to end the session's interpreter");
}

int interp_close(interp *in)
{
    ending e = { in, NULL };

    if (!in->tstate) {
        leave_thread();
        return SNUG_OK;
    }

    room_keep();
    fair_quit(&in->fair);
    fair_enter();
    PyEval_RestoreThread(in->tstate);
    if (!in->options.is_full && !make_other(&e.other))
        return leave_unended(in);

    guard_end why = interp_run_claimed(in, end_guarded, &e);
    if (why != GUARD_RETURNED) {
        int number = guard_here->number;
        interp_abandon(in, &why, &number);
        room_leave();
        return error_set(SNUG_EDEAD, "the session's interpreter did not end and was given up");
    }

    fair_leave();
    room_leave();
    large_disown(in->options.memory);
    leave_thread();
    return SNUG_OK;
}

void interp_switch(interp *in)
{
    if (!in) {
        leave_thread();
        arena_own(NULL);
        return;
    }

    interp_current = in;
    internals_bind_state(in->tstate);
    alloc_charge_to(in->options.memory);
    arena_own(in->arenas);
}

void interp_move(interp *in)
{
    internals_move_state(in->tstate);
    interp_switch(in);
}

void interp_free(interp *in)
{
    if (!in)
        return;
    arena_list_release(in->arenas);
    for (size_t i = 0; i < in->notes.denial_count; i++) {
        str_free(&in->notes.denials[i].event);
        str_free(&in->notes.denials[i].detail);
    }

    fixed_end(in);
    free(in->notes.denials);
    free(in->sources);
    str_free(&in->notes.hint);
    pthread_mutex_destroy(&in->stop.settling);
    pthread_mutex_destroy(&in->notes.denying);
    pthread_mutex_destroy(&in->databases.lock);
    threads_free(&in->threads);
    free(in);
}
