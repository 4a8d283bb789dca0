/*
 * poll.c - PyErr_CheckSignals, Py_MakePendingCalls, 3.13's _PyEval_MakePendingCalls and
 * PyException_GetContext, as the program defines them in libpython's place (py/life/archive.py
 * renames the originals). Only in the static programs.
 *
 * CPython answers on the main thread only. All of its long calls ask them, so here they
 * end for a session that is being stopped: regular expressions, big integers, and, with
 * the kick's EINTR, sleeps, reads, and waits for locks.
 */
#include "py/core/state.h"
#include "py/core/stopping.h"

extern int snug_python_check_signals(void);
extern int snug_python_make_pending_calls(void);

/* The caller holds the interpreter. 3.13's originals are called for a session too, because
 * they also run a garbage collection that is due, and the calls that wait for this
 * interpreter; 3.11's do nothing off the main thread. */
static int ask_original(int (*original)(void))
{
    interp *in = interp_current;
    if (!in)
        return original();

    if (interp_check_stop(in) != 0)
        return -1;
    if (!PYTHON_OWN_GIL)
        return 0;
    return original();
}

int PyErr_CheckSignals(void)
{
    return ask_original(snug_python_check_signals);
}

int Py_MakePendingCalls(void)
{
    return ask_original(snug_python_make_pending_calls);
}

extern PyObject *snug_python_exception_context(PyObject *exception);

static int is_stopping(const interp *in)
{
    return in && atomic_load_explicit(&in->stop.reason, memory_order_relaxed) != STOP_NONE &&
           !atomic_load_explicit(&in->stop.is_settled, memory_order_relaxed);
}

/* Whenever an exception is raised, _PyErr_SetObject goes through all those in whose handlers
 * that happened, and does not look up. A thousand handlers that call again make a hundred
 * thousand of these, and a stop that unwinds them raises a thousand times. So the walk ends
 * while a session is being stopped, whose traceback is not shown anyway. Its second pointer,
 * which looks for cycles, must not meet an end where the first met none: an end is what a
 * question about the last answer gets. */
PyObject *PyException_GetContext(PyObject *exception)
{
    static _Thread_local const void *last; /* only compared */
    if (is_stopping(interp_current) && exception == last)
        return NULL;
    PyObject *context = snug_python_exception_context(exception);
    last = context;
    return context;
}

#if PY_VERSION_HEX >= 0x030d0000
extern int snug_python_eval_pending_calls(PyThreadState *tstate);
int _PyEval_MakePendingCalls(PyThreadState *tstate);

/* The wait for an RLock asks this one, from another object of libpython's. */
int _PyEval_MakePendingCalls(PyThreadState *tstate)
{
    interp *in = interp_current;
    if (in && interp_check_stop(in) != 0)
        return -1;
    return snug_python_eval_pending_calls(tstate);
}
#endif
