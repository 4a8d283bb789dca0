/*
 * How code runs in an interpreter and how it is stopped there: what the rungs of the ladder
 * (session/core/stop.c) do to CPython.
 */
#include <string.h>

#include "base/error.h"
#include "base/thread.h"
#include "limits/memory.h"
#include "limits/text.h"
#include "py/core/alloc.h"
#include "py/core/arena.h"
#include "py/core/in_allocator.h"
#include "py/core/internals.h"
#include "py/core/state.h"
#include "py/core/stopping.h"
#include "py/guard/loader.h"
#include "py/guard/sqlite.h"
#include "py/running/threads.h"

/* ---- taking and giving back ---- */

void interp_enter(interp *in)
{
    fair_enter();
    fair_take(&in->fair);
}

void interp_leave(void)
{
    PyThreadState *tstate = PyEval_SaveThread();
    if (interp_current && interp_current->options.is_inline)
        internals_forget_state(tstate);
    fair_leave();
}

/* (handler) The stack is nearly used up: the next check of a recursion raises
 * RecursionError, and the zone gives it the room to do so. */
static void on_yellow(guard *g, uintptr_t sp)
{
    (void)g;
    interp *in = interp_current;
    if (in && in->tstate) {
        in->stop.hit_yellow = 1;
        internals_cut_recursion(in->tstate, sp);
    }
}

/* Starved too, a comparison or an isinstance() of deep things can go on for ever without
 * an allocation; but it counts its recursion, and finds none left. */
static int may_cut_recursion(interp *in)
{
    if (!stopping_is_asked(in) || atomic_load(&in->stop.is_settled) ||
        !atomic_load(&in->stop.is_guest))
        return 0;
    in->stop.hit_yellow = 1;
    return 1;
}

/* (handler) */
static void on_kick(guard *g, uintptr_t sp)
{
    interp *in = interp_current;
    if (in && in->tstate && atomic_load(&g->stage) >= GUARD_STARVE && may_cut_recursion(in))
        internals_kick_recursion(in->tstate, sp, in->stop.left, &in->stop.is_cut);
}

/* Without signals, from the watchdog's thread: the session must not settle meanwhile, nor
 * leave interp_guarded. */
void interp_cut_recursion(interp *in)
{
    pthread_mutex_lock(&in->stop.settling);
    atomic_store(&in->stop.is_cutting, 1);
    if (may_cut_recursion(in))
        internals_cut_recursion_blindly(in->tstate, in->stop.left.c);
    if (in->options.threads > 0 && in->stop.hit_yellow)
        threads_cut_recursion(in);
    atomic_store(&in->stop.is_cutting, 0);
    pthread_mutex_unlock(&in->stop.settling);
}

/* (handler) */
static int is_busy(guard *g, uintptr_t pc, const uintptr_t *sp)
{
    (void)g;
    return interp_is_busy(interp_current ? interp_current->tstate : NULL, pc, sp);
}

/* (handler) */
static int keeps_others(const guard *g)
{
    return internals_keeps_gil(atomic_load(&g->state));
}

void interp_set_guard(guard *g)
{
    g->keeps_others = keeps_others;
    g->on_kick = on_kick;
    g->on_yellow = on_yellow;
    g->is_busy = is_busy;
}

void interp_abandon(interp *in, guard_end *end, int *number)
{
    internals_let_go(in->tstate);
    fair_quit(&in->fair);
    fair_leave();
    threads_abandon(in, end, number);
    interp_current = NULL;
    alloc_charge_to(NULL);
    large_give_back(in->options.memory);
    arena_list_abandon(in->arenas);
}

/* A stop can hit asyncio between the end of a loop and the moment it says so. What the guest
 * has put in the function's place is not asked. */
static void forget_running_loop(interp *in)
{
    if (in->set_running_loop)
        Py_XDECREF(PyObject_CallOneArg(in->set_running_loop, Py_None));
    PyErr_Clear();
}

/* The dict of the module of that name, or NULL; borrowed, and no exception. */
static PyObject *names_of(PyObject *modules, const char *text, Py_ssize_t len)
{
    PyObject *name = PyUnicode_FromStringAndSize(text, len);
    if (!name)
        return NULL;

    PyObject *module = PyDict_GetItemWithError(modules, name); /* borrowed */
    Py_DECREF(name);
    if (!module || !PyModule_Check(module))
        return NULL;
    return PyModule_GetDict(module);
}

/* A stop in the import of a package takes the package out of sys.modules and leaves the
 * modules in it there, and the next import would not bind them. One that comes just before
 * a module is bound to its package leaves that undone for good. */
static void mend_submodule(PyObject *modules, PyObject *name)
{
    PyObject *module = PyDict_GetItemWithError(modules, name); /* borrowed */
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    if (!module || !text)
        return;

    const char *first = strchr(text, '.'), *last = strrchr(text, '.');
    if (!first)
        return;

    PyObject *package = PyUnicode_FromStringAndSize(text, first - text);
    if (package && PyDict_GetItemWithError(modules, package) == NULL) {
        PyDict_DelItem(modules, name);
    } else {
        PyObject *names = names_of(modules, text, last - text);
        if (names && !PyDict_GetItemString(names, last + 1))
            PyDict_SetItemString(names, last + 1, module);
    }
    Py_XDECREF(package);
}

static void mend_submodules(void)
{
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    PyObject *names = PyDict_Keys(modules);

    for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(names); i++) {
        mend_submodule(modules, PyList_GET_ITEM(names, i));
        PyErr_Clear();
    }

    Py_XDECREF(names);
    PyErr_Clear();
}

/* (guarded) Puts in order what a stop has left behind. Under guard and deadline as any job, for it
 * runs what the guest may have replaced. */
static void tidy_up(void *arg)
{
    interp *in = arg;

    in->is_untidy = 0;
    mend_submodules();
    forget_running_loop(in);
    threads_forget(in);
    in->has_figures = in->options.is_full;
}

void interp_claim_guard(interp *in, guard *g, PyThreadState *tstate)
{
    g->own = atomic_load_explicit(&in->own.count, memory_order_relaxed) > 0 ? &in->own : NULL;
    atomic_store_explicit(&g->state, tstate, memory_order_relaxed);
}

/* A recursion that is cut from here on would stay cut for the next cell. interp_cut_recursion sets
 * is_cutting before it reads is_guest; here is_guest is set first: one of the two sees the other.
 */
static void leave_guest(interp *in)
{
    atomic_store(&in->stop.is_guest, 0);

    /* Until it is done, and what it has cut is ours to put back. */
    if (atomic_load(&in->stop.is_cutting)) {
        pthread_mutex_lock(&in->stop.settling);
        pthread_mutex_unlock(&in->stop.settling);
    }
}

static guard_end run_under_guard(guard *g, void (*fn)(void *arg), void *arg)
{
    if (g)
        return guard_run(g, fn, arg);
    fn(arg);
    return GUARD_RETURNED;
}

/* Only what recurses without a look at the end of the stack comes to the yellow zone. */
static void claim_stack(const guard *g, PyThreadState *tstate)
{
    if (internals_knows_stack(tstate))
        return;
    if (g && g->stack_low)
        internals_set_stack(tstate, g->yellow_high ? g->yellow_high : g->stack_low, g->stack_high);
    else
        internals_find_stack(tstate);
}

guard_end interp_run_claimed(interp *in, void (*fn)(void *arg), void *arg)
{
    claim_stack(guard_here, in->tstate);
    if (guard_here)
        interp_claim_guard(in, guard_here, in->tstate);
    return run_under_guard(guard_here, fn, arg);
}

int interp_guarded(interp *in, void (*fn)(void *arg), void *arg, guard_end *end, int *number)
{
    guard *g = guard_here;

    *end = GUARD_RETURNED;
    if (in->options.is_full)
        alloc_keep_ballast();
    interp_enter(in);
    claim_stack(g, in->tstate);
    in->stop.left = internals_recursion_left(in->tstate);
    in->stop.is_cut = 0;
    atomic_store(&in->stop.is_guest, 1);
    if (g)
        interp_claim_guard(in, g, in->tstate);

    if (in->is_untidy)
        *end = run_under_guard(g, tidy_up, in);
    if (*end == GUARD_RETURNED)
        *end = run_under_guard(g, fn, arg);

    if (*end != GUARD_RETURNED) {
        *number = g->number;
        interp_abandon(in, end, number);
        return error_set(SNUG_EDEAD, "the session's interpreter had to be given up");
    }

    leave_guest(in);
    if (in->stop.hit_yellow)
        internals_set_recursion_left(in->tstate, in->stop.left);
    in->stop.hit_yellow = 0;
    interp_leave();
    return SNUG_OK;
}

/* ---- stopping ---- */

void interp_starve(interp *in, int is_starving)
{
    if (atomic_exchange(&in->stop.is_starving, is_starving) == is_starving)
        return;
    if (is_starving)
        alloc_starve_begin();
    else
        alloc_starve_end();
}

void interp_stop_libraries(interp *in)
{
    if (!atomic_load(&in->stop.is_settled))
        sqlite_interrupt(in);
}

int interp_waits_for_gil(interp *in, const guard *g)
{
    const PyThreadState *holder = internals_gil_elsewhere(in->tstate);
    if (!holder)
        return 0;
    if (in->options.threads == 0)
        return !guard_is_full() || g->locks > 0;
    return !threads_have(in, holder) &&
           (!guard_is_full() || g->locks > 0 || threads_wait_for_gil(in));
}

void interp_ending(interp *in)
{
    atomic_store(&in->stop.end, END_BEGUN);
}

void interp_rest(interp *in)
{
    if (atomic_load(&in->stop.reason) == STOP_NONE) {
        atomic_store(&in->stop.is_settled, 0);
        return;
    }

    interp_enter(in);

    /* The watchdog may have come once more after the job had put it back. */
    if (in->stop.hit_yellow)
        internals_set_recursion_left(in->tstate, in->stop.left);
    in->stop.hit_yellow = 0;
    stopping_cancel_raise(in);

    /* The evaluation loop has dropped a reference to the type for each raise. */
    long raised = atomic_exchange(&in->stop.raised, 0);
    for (; raised > 0; raised--)
        Py_INCREF(in->stopped);

    atomic_store(&in->stop.reason, STOP_NONE);
    atomic_store(&in->stop.handling, HANDLING_OVER);
    atomic_store(&in->stop.is_settled, 0);
    loader_end_imports(in);
    in->is_untidy = 1;
    interp_leave();
}
