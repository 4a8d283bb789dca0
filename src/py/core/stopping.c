/*
 * stopping.c - what a stop has asked for, and how those who run learn of it.
 */
#include "py/core/stopping.h"

#include "base/error.h"
#include "base/thread.h"
#include "limits/text.h"
#include "py/core/exceptions.h"
#include "py/core/in_allocator.h"

/* (handler) CPython's allocator must not be torn: 3.11 has one for all sessions, and
 * neither must what runs under a lock of the runtime's. A thread without 3.11's GIL may
 * be just about to get it, or a lock of the importer's: torn there, it would leave them
 * taken for ever. Only in another library's code is it at its own work, as in a hash's. */
int interp_is_busy(PyThreadState *tstate, uintptr_t pc, const uintptr_t *sp)
{
    if (tstate && internals_lacks_gil(tstate) && (text_is_program(pc) || text_is_libc(pc)))
        return 1;
    return internals_runtime_is_locked() || busy_in_allocator(pc, sp);
}

int stopping_is_asked(const interp *in)
{
    return atomic_load(&in->stop.reason) != STOP_NONE &&
           atomic_load(&in->stop.handling) != HANDLING_NOW;
}

int interp_check_stop(interp *in)
{
    if (!stopping_is_asked(in) || atomic_load(&in->stop.is_settled))
        return 0;
    PyErr_SetNone(in->stopped ? in->stopped : PyExc_KeyboardInterrupt);
    return -1;
}

/* ---- at the end ---- */

/* What a module's attribute keeps, say, is finalized by CPython when it ends the interpreter. */
static void stop_end(interp *in)
{
    pthread_mutex_lock(&in->stop.settling);
    if (atomic_load(&in->stop.end) == END_BEGUN) {
        PyObject *stopped = in->stopped ? in->stopped : PyExc_KeyboardInterrupt;
        if (internals_raise_later(in->tstate, stopped))
            atomic_fetch_add(&in->stop.raised, 1);
    }
    pthread_mutex_unlock(&in->stop.settling);
}

/* (with the GIL) Takes back what was not raised, and makes up for what was. */
static void settle_raises(interp *in, PyObject *stopped)
{
    stopping_cancel_raise(in);
    for (long raised = atomic_exchange(&in->stop.raised, 0); raised > 0; raised--)
        Py_INCREF(stopped);
}

/* The last collection of the interpreter takes our own exception. */
static void release_stopped(interp *in)
{
    pthread_mutex_lock(&in->stop.settling);
    PyObject *stopped = in->stopped;
    if (stopped)
        settle_raises(in, stopped);
    in->stopped = NULL;
    pthread_mutex_unlock(&in->stop.settling);
    exceptions_release(stopped);
}

static void end_is_near(interp *in)
{
    release_stopped(in);
    pthread_mutex_lock(&in->stop.settling);
    atomic_store(&in->stop.end, END_NEAR);
    settle_raises(in, PyExc_KeyboardInterrupt);
    pthread_mutex_unlock(&in->stop.settling);
}

#define END_MARK "snug.end"

/* on_gone is called where there is no memory for it, too. */
static void leave_mark(PyObject *names, interp *in, PyCapsule_Destructor on_gone)
{
    PyObject *mark = names ? PyCapsule_New(in, END_MARK, on_gone) : NULL;

    if (!mark || PyDict_SetItemString(names, END_MARK, mark) != 0)
        PyErr_Clear();
    if (mark)
        Py_DECREF(mark);
    else
        end_is_near(in);
}

/* Code that takes the mark out of the dict does not make the end come. */
static void on_builtins_gone(PyObject *mark)
{
    interp *in = PyCapsule_GetPointer(mark, END_MARK);

    if (PyEval_GetFrame())
        leave_mark(in->stop.last_names, in, on_builtins_gone);
    else
        end_is_near(in);
}

/* Behind the interpreter's dict go its warnings, the last collection, sys, and its builtins last.
 */
static void on_dict_gone(PyObject *mark)
{
    interp *in = PyCapsule_GetPointer(mark, END_MARK);

    release_stopped(in);
    in->stop.last_names = PyEval_GetBuiltins();
    leave_mark(in->stop.last_names, in, on_builtins_gone);
}

void stopping_watch_end(interp *in)
{
    PyInterpreterState *whole = in->tstate->interp;
    leave_mark(in->options.is_full ? NULL : PyInterpreterState_GetDict(whole), in, on_dict_gone);
}

/* ---- a stop ---- */

/* The exception is not raised again in who handles it. */
static void raise_stop(interp *in)
{
    pthread_mutex_lock(&in->stop.settling);
    if (atomic_load(&in->stop.handling) != HANDLING_NOW) {
        if (internals_raise_later(in->tstate, in->stopped))
            atomic_fetch_add(&in->stop.raised, 1);
        if (in->options.threads > 0)
            threads_stop(in);
    }
    pthread_mutex_unlock(&in->stop.settling);
}

int stopping_begin_handling(interp *in)
{
    if (atomic_load(&in->stop.reason) != STOP_INTERRUPT)
        return 0;

    PyThreadState *here = PyThreadState_Get();
    pthread_mutex_lock(&in->stop.settling);
    if (atomic_load(&in->stop.handling) == HANDLING_NOT_YET)
        atomic_store(&in->stop.handling, HANDLING_NOW);
    int is_handled = atomic_load(&in->stop.handling) == HANDLING_NOW;
    if (is_handled && internals_cancel_raise(here))
        atomic_fetch_sub(&in->stop.raised, 1);
    pthread_mutex_unlock(&in->stop.settling);

    /* A step of the ladder that came before the handler must not reach into it. */
    if (is_handled && guard_here)
        atomic_store(&guard_here->stage, GUARD_CALM);
    if (is_handled && here == in->tstate && in->stop.hit_yellow)
        internals_set_recursion_left(here, in->stop.left);
    return is_handled;
}

void stopping_allow_handling(interp *in, int is_allowed)
{
    int before = is_allowed ? HANDLING_OVER : HANDLING_NOT_YET;
    atomic_compare_exchange_strong(&in->stop.handling, &before,
                                   is_allowed ? HANDLING_NOT_YET : HANDLING_OVER);
}

int interp_handles_stop(const interp *in)
{
    return atomic_load(&in->stop.handling) == HANDLING_NOW;
}

void interp_end_handling(interp *in)
{
    atomic_store(&in->stop.handling, HANDLING_OVER);
}

void interp_stop(interp *in, stop_reason reason, uint64_t limit)
{
    int before = atomic_load(&in->stop.reason);

    /* A limit may end what was interrupted gently. */
    if (before == STOP_NONE || (before == STOP_INTERRUPT && reason != STOP_INTERRUPT)) {
        in->stop.limit = limit;
        atomic_compare_exchange_strong(&in->stop.reason, &before, (int)reason);
    }

    if (atomic_load(&in->stop.end) != END_NOT_BEGUN) {
        stop_end(in);
    } else if (!atomic_load(&in->stop.is_settled)) {
        raise_stop(in);
    }
    interp_wake(in);
}

int interp_is_settled(const interp *in)
{
    return atomic_load(&in->stop.is_settled);
}

stop_reason interp_stop_reason(const interp *in)
{
    return (stop_reason)atomic_load(&in->stop.reason);
}

int interp_tell_stop(const interp *in)
{
    unsigned long long limit = atomic_load(&in->stop.limit);
    switch (interp_stop_reason(in)) {
    case STOP_TIMEOUT:
        return error_set(SNUG_ESTOPPED, "took longer than the limit of %llu ms", limit);
    case STOP_CPU:
    case STOP_SESSION_CPU:
        return error_set(SNUG_ESTOPPED, "took more than the limit of %llu ms processor time",
                         limit);
    case STOP_MEMORY:
        return error_set(SNUG_ESTOPPED, "needs more memory than the session's limit");
    case STOP_STALLED:
        return error_set(SNUG_ETIMEOUT, "waited for the GIL, which another session held");
    case STOP_INTERRUPT:
        return error_set(SNUG_ESTOPPED, "was interrupted");
    case STOP_NONE:
        break;
    }

    return SNUG_OK;
}

/* One that was not raised yet took no reference. */
void stopping_cancel_raise(interp *in)
{
    if (internals_cancel_raise(in->tstate))
        atomic_fetch_sub(&in->stop.raised, 1);
}

void interp_settle(interp *in)
{
    pthread_mutex_lock(&in->stop.settling);
    atomic_store(&in->stop.is_settled, 1);
    pthread_mutex_unlock(&in->stop.settling);
    if (guard_here)
        atomic_store(&guard_here->stage, GUARD_CALM);
    stopping_cancel_raise(in);
    if (in->stop.hit_yellow)
        internals_set_recursion_left(in->tstate, in->stop.left);
}

void interp_unsettle(interp *in)
{
    atomic_store(&in->stop.is_settled, 0);
}

void interp_wake(interp *in)
{
    atomic_fetch_add(&in->bell, 1);
    futex_wake_all(&in->bell);
}
