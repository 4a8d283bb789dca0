#include "py/running/guestthread.h"

#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/floats.h"
#include "py/core/alloc.h"
#include "py/core/arena.h"
#include "py/core/cell_notes.h"
#include "py/core/stopping.h"
#include "py/core/wait.h"
#include "py/guard/loader.h"
#include "py/running/threadhandle.h"

enum { STARTING, RUNNING, FAILED };

/* The guest's thread that this is, or NULL. */
static _Thread_local guest_thread *self __attribute__((tls_model("initial-exec")));

/* ---- on the thread ---- */

static guest_thread *thread_of(guard *g)
{
    return (guest_thread *)(void *)((char *)g - offsetof(guest_thread, guard));
}

/* (handler) As ladder.c's. What is taken away need not be put back: the thread ends. */
static void on_guest_yellow(guard *g, uintptr_t sp)
{
    internals_cut_recursion(thread_of(g)->tstate, sp);
}

/* (handler) Only for a call in C that goes on and on: a thread that unwinds needs its
 * recursion to do so. */
static void on_guest_kick(guard *g, uintptr_t sp)
{
    guest_thread *t = thread_of(g);
    if (atomic_load(&g->stage) >= GUARD_STARVE && atomic_load(&t->in->stop.reason) != STOP_NONE &&
        atomic_load(&t->is_deaf) && internals_is_attached(t->tstate))
        internals_kick_recursion(t->tstate, sp, t->left, &t->is_cut);
}

/* (handler) */
static int is_guest_busy(guard *g, uintptr_t pc, const uintptr_t *sp)
{
    return interp_is_busy(thread_of(g)->tstate, pc, sp);
}

/* (handler) As ladder.c's. */
static int guest_keeps_others(const guard *g)
{
    return internals_keeps_gil(atomic_load(&g->state));
}

/* An exception that the function let through. A stop is in the result. */
static void show_exception(guest_thread *t)
{
    if (PyErr_ExceptionMatches(PyExc_SystemExit) || PyErr_ExceptionMatches(t->in->stopped)) {
        PyErr_Clear();
        return;
    }
    python_thread_unraisable(t->function);
}

/* Whatever may run code of the guest's, to the last finalizer. */
static void call_function(void *arg)
{
    guest_thread *t = arg;
    PyObject *answer = PyObject_Call(t->function, t->args, t->keywords);

    if (!answer)
        show_exception(t);
    Py_XDECREF(answer);
    Py_CLEAR(t->function);
    Py_CLEAR(t->args);
    Py_CLEAR(t->keywords);
    loader_end_imports(t->in);

    /* In this order: who has joined it finds that its place is about to be free. */
    t->is_ending = 1;
    atomic_fetch_add(&t->in->threads.ending, 1);
    if (t->handle)
        threadhandle_set_done(t->handle);
    Py_CLEAR(t->handle);
    interp_wake(t->in);
    PyThreadState_Clear(t->tstate);
}

/* The thread holds the interpreter for the last time. */
static void leave_interpreter(guest_thread *t)
{
    fair_quit(&t->fair); /* before the state goes: that of a holder is written to */
    fair_leave();
    threads_delist(t);
    if (internals_cancel_raise(t->tstate))
        atomic_fetch_sub(&t->in->stop.raised, 1);
    PyThreadState_DeleteCurrent();
}

/* The interpreter is torn with the thread: all others that are in it have to go. */
static void lose_thread(guest_thread *t, guard_end end)
{
    guest_threads *threads = &t->in->threads;

    internals_let_go(t->tstate);
    fair_quit(&t->fair);
    fair_leave();
    pthread_mutex_lock(&threads->lock);
    if (!atomic_load(&threads->is_lost)) {
        threads->end = end;
        threads->number = t->guard.number;
        atomic_store(&threads->is_lost, 1);
    }

    pthread_mutex_unlock(&threads->lock);
    threads_delist(t);
    t->in->options.on_loss(t->in->options.payload);
}

/* Neither refused nor starved, for the thread is not the session's yet: charged when it is there.
 */
static int make_state(guest_thread *t)
{
    t->tstate = internals_new_state(PyThreadState_GetInterpreter(t->in->tstate));
    if (!t->tstate)
        return 0;
    internals_number_state(t->tstate);
    t->fair.tstate = t->tstate;
    memory_release(t->in->options.memory, -(int64_t)malloc_usable_size(t->tstate));
    return 1;
}

/* What the thread has before it is in the interpreter. */
static int set_up_thread(guest_thread *t)
{
    interp *in = t->in;
    char *low = thread_stack_low(&t->thread);
    size_t bytes = (size_t)((char *)t->thread.stack + t->thread.stack_bytes - low);

    self = t;
    arena_own(in->arenas);
    t->guard.tid = (pid_t)syscall(SYS_gettid);
    t->guard.disk = in->options.disk;
    t->guard.on_yellow = on_guest_yellow;
    t->guard.on_kick = on_guest_kick;
    t->guard.is_busy = is_guest_busy;
    t->guard.keeps_others = guest_keeps_others;
    pthread_getcpuclockid(pthread_self(), &t->cpu_clock);
    if (t->wants_guard && guard_attach(&t->guard, low, bytes) != 0)
        return 0;
    if (!make_state(t))
        return 0;

    internals_set_stack(t->tstate, t->guard.yellow_high ? t->guard.yellow_high : low, low + bytes);
    t->left = internals_recursion_left(t->tstate);
    interp_claim_guard(in, &t->guard, t->tstate);
    interp_current = in;
    alloc_charge_to(in->options.memory);
    if (t->handle)
        threadhandle_set_ident(t->handle, PyThread_get_thread_ident());
    return 1;
}

static void tell_starter(guest_thread *t, uint32_t state)
{
    atomic_store(&t->state, state);
    futex_wake_all(&t->state);
}

static guard_end enter_and_run(guest_thread *t)
{
    guard_end end = GUARD_RETURNED;

    fair_join(&t->fair);
    fair_enter();
    fair_take(&t->fair);
    if (guard_here)
        end = guard_run(&t->guard, call_function, t);
    else
        call_function(t);

    if (end == GUARD_RETURNED)
        leave_interpreter(t);
    else
        lose_thread(t, end);
    return end;
}

static void *serve_guest_thread(void *arg)
{
    guest_thread *t = arg;
    guard_end end = GUARD_RETURNED;

    floats_reset();
    if (set_up_thread(t)) {
        threads_enlist(t);
        tell_starter(t, RUNNING);
        end = enter_and_run(t);
    } else {
        tell_starter(t, FAILED);
    }

    interp_current = NULL;
    alloc_charge_to(NULL);
    arena_own(NULL);
    int is_guarded = guard_here != NULL;
    threads_finish(t);
    if (is_guarded && end != GUARD_RETURNED)
        guard_vanish(&t->guard);
    if (is_guarded)
        guard_detach(&t->guard);
    return NULL;
}

/* ---- starting ---- */

enum { DEFAULT_STACK_BYTES = 16 << 20, LEAST_STACK_BYTES = 1 << 20 };

/* What the guest wished by stack_size, but all of them together have no more than the
 * session's memory: stacks are not charged. */
static size_t choose_stack_bytes(const interp *in)
{
    uint64_t wanted = internals_thread_stack_bytes(in->tstate);
    uint64_t most = in->options.memory->limit_bytes / in->options.threads;

    if (wanted == 0)
        wanted = DEFAULT_STACK_BYTES;
    if (most > INTERP_MOST_STACK_BYTES)
        most = INTERP_MOST_STACK_BYTES;
    wanted = wanted < most ? wanted : most;
    return wanted > LEAST_STACK_BYTES ? (size_t)wanted : LEAST_STACK_BYTES;
}

static void raise_limit(interp *in)
{
    unsigned long long most = in->options.threads;
    char hint[200];
    PyObject *message = PyUnicode_FromFormat(
        "can't start new thread: this session may have %llu at once (limit threads)", most);
    PyObject *error = message ? PyObject_CallOneArg(PyExc_RuntimeError, message) : NULL;
    if (error) {
        snprintf(hint, sizeof hint,
                 "Have at most %llu thread%s at a time: give a pool max_workers=%llu, and join a "
                 "thread before the next starts.",
                 most, most == 1 ? "" : "s", most);
        PyErr_SetObject(PyExc_RuntimeError, error);
        interp_hint(in, error, hint);
    }

    Py_XDECREF(error);
    Py_XDECREF(message);
}

/* Takes a place for one more. One whose function has returned may still be at its last
 * finalizers, though it has been joined: then its place is waited for. */
static int wait_for_place(interp *in)
{
    guest_threads *threads = &in->threads;

    for (;;) {
        uint32_t seen = atomic_load(&in->bell);
        if (interp_check_stop(in) != 0)
            return -1;
        if (!threads->is_open) {
            PyErr_SetString(PyExc_RuntimeError, "can't start new thread: no cell runs");
            return -1;
        }
        if ((uint64_t)atomic_load(&threads->count) < in->options.threads)
            break;
        if (atomic_load(&threads->ending) == 0 || (self && self->is_ending)) {
            raise_limit(in);
            return -1;
        }
        if (wait_for_bell(in, seen, UINT64_MAX) < 0)
            return -1;
    }

    atomic_fetch_add(&threads->count, 1);
    return 0;
}

/* Without the GIL, which the new thread does not need for its answer. */
static int launch(unsigned long *ident, guest_thread *t, size_t bytes)
{
    guest_threads *threads = &t->in->threads;
    guard *g = guard_here;
    int answer = FAILED;

    /* Torn out of here, this thread would keep a place in the list, or a lock of CPython's. */
    if (g)
        g->no_jump++;

    PyThreadState *tstate = PyEval_SaveThread();
    threads_join_ended(threads);
    atomic_fetch_add(&threads->in_transit, 1);
    int is_made = thread_start(&t->thread, "snug thread", bytes, serve_guest_thread, t) == SNUG_OK;
    if (is_made) {
        while ((answer = (int)atomic_load(&t->state)) == STARTING)
            futex_wait(&t->state, STARTING, UINT64_MAX);
    }

    PyEval_RestoreThread(tstate);

    if (answer == FAILED) {
        Py_CLEAR(t->function);
        Py_CLEAR(t->args);
        Py_CLEAR(t->keywords);
        Py_CLEAR(t->handle);
    }

    if (is_made) {
        *ident = (unsigned long)t->thread.id; /* as PyThread_get_thread_ident */
        pthread_mutex_lock(&threads->lock);
        t->is_starting = 0; /* it may be joined and freed now */
        pthread_mutex_unlock(&threads->lock);
    } else {
        atomic_fetch_sub(&threads->in_transit, 1);
        atomic_fetch_sub(&threads->count, 1);
        free(t);
    }

    if (g)
        g->no_jump--;
    return answer == RUNNING ? 0 : -1;
}

/* Answers 0, or -1 with an exception. */
int guest_thread_start(unsigned long *ident, PyObject *function, PyObject *args, PyObject *keywords,
                       PyObject *handle)
{
    interp *in = interp_current;
    if (!in || wait_for_place(in) != 0) {
        if (!in)
            PyErr_SetString(PyExc_RuntimeError, "can't start new thread");
        return -1;
    }

    guest_thread *t = calloc(1, sizeof *t);
    if (!t) {
        atomic_fetch_sub(&in->threads.count, 1);
        PyErr_NoMemory();
        return -1;
    }

    t->in = in;
    t->is_starting = 1;
    t->wants_guard = guard_here != NULL;
    t->function = Py_NewRef(function);
    t->args = Py_NewRef(args);
    t->keywords = Py_XNewRef(keywords);
    t->handle = Py_XNewRef(handle);
    if (launch(ident, t, choose_stack_bytes(in)) != 0) {
        PyErr_SetString(PyExc_RuntimeError, "can't start new thread");
        return -1;
    }

    return 0;
}
