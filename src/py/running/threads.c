#include "py/running/threads.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"
#include "py/core/raised.h"
#include "py/core/state.h"
#include "py/core/stopping.h"
#include "py/guard/loader.h"
#include "py/running/guestthread.h"

/* ---- the list ---- */

void threads_enlist(guest_thread *t)
{
    guest_threads *threads = &t->in->threads;

    pthread_mutex_lock(&threads->lock);
    t->next = threads->first;
    if (t->next)
        t->next->previous = t;
    threads->first = t;
    atomic_fetch_sub(&threads->in_transit, 1);
    pthread_mutex_unlock(&threads->lock);
}

void threads_delist(guest_thread *t)
{
    guest_threads *threads = &t->in->threads;

    pthread_mutex_lock(&threads->lock);
    if (t->previous)
        t->previous->next = t->next;
    else
        threads->first = t->next;

    if (t->next)
        t->next->previous = t->previous;

    /* The filter denies a thread the clocks of threads by number, its own too. */
    atomic_fetch_add(&threads->cpu_ns, clock_thread_cpu_ns());
    atomic_fetch_add(&threads->in_transit, 1);
    pthread_mutex_unlock(&threads->lock);
}

void threads_finish(guest_thread *t)
{
    interp *in = t->in;
    guest_threads *threads = &in->threads;

    pthread_mutex_lock(&threads->lock);
    t->next = threads->ended;
    threads->ended = t;
    atomic_fetch_sub(&threads->in_transit, 1);
    pthread_mutex_unlock(&threads->lock);
    if (t->is_ending)
        atomic_fetch_sub(&threads->ending, 1);
    atomic_fetch_sub(&threads->count, 1);
    interp_wake(in);
}

static guest_thread *take_ended(guest_threads *threads)
{
    pthread_mutex_lock(&threads->lock);
    guest_thread **place = &threads->ended;
    while (*place && (*place)->is_starting)
        place = &(*place)->next;
    guest_thread *found = *place;
    if (found)
        *place = found->next;
    pthread_mutex_unlock(&threads->lock);
    return found;
}

void threads_join_ended(guest_threads *threads)
{
    for (guest_thread *t; (t = take_ended(threads));) {
        atomic_fetch_add(&threads->in_transit, 1);
        thread_join(&t->thread);
        atomic_fetch_sub(&threads->in_transit, 1);
        free(t);
    }
}

/* ---- cells ---- */

void threads_begin(interp *in)
{
    atomic_store(&in->threads.cpu_ns, 0);
    in->threads.was_stopped = 0;
    in->threads.is_open = in->options.threads > 0;
}

void threads_end(interp *in)
{
    in->threads.is_open = 0;
}

/* Without the GIL. */
static void wait_for_all(interp *in)
{
    for (;;) {
        uint32_t seen = atomic_load(&in->bell);
        if (atomic_load(&in->threads.count) == 0)
            return;
        futex_wait(&in->bell, seen, UINT64_MAX);
    }
}

/* Raises the stop in place of what was raised before, which becomes its context. */
static int raise_stop(interp *in, PyObject *before)
{
    if (interp_check_stop(in) == 0)
        return 0;

    PyObject *stop = raised_take();
    if (stop && before && stop != before)
        PyException_SetContext(stop, Py_NewRef(before));
    raised_set(stop);
    return -1;
}

int threads_wait(interp *in)
{
    guest_threads *threads = &in->threads;

    if (atomic_load(&threads->count) == 0 && !threads->ended && !threads->is_lost)
        return 0;

    PyObject *before = raised_take();
    int was_stopping = atomic_load(&in->stop.reason) != STOP_NONE;
    guard *g = guard_here;
    PyThreadState *tstate = PyEval_SaveThread();
    wait_for_all(in);

    /* The lists are not torn: the C library's lock is not left. */
    if (g)
        g->no_jump++;
    threads_join_ended(threads);
    if (g)
        g->no_jump--;
    PyEval_RestoreThread(tstate);
    if (atomic_load(&threads->is_lost) && g)
        guard_leave(g, threads->end, threads->number);

    /* One that was stopped, or did not care, may have ended with it. */
    loader_end_imports(in);
    if (!was_stopping && atomic_load(&in->stop.reason) != STOP_NONE) {
        threads->was_stopped = 1;
        if (raise_stop(in, before) != 0) {
            Py_XDECREF(before);
            return -1;
        }
    }

    raised_set(before);
    return 0;
}

void threads_abandon(interp *in, guard_end *end, int *number)
{
    guest_threads *threads = &in->threads;

    pthread_mutex_lock(&threads->lock);
    if (!atomic_load(&threads->is_lost)) {
        threads->end = *end;
        threads->number = *number;
        atomic_store(&threads->is_lost, 1);
    }

    *end = threads->end;
    *number = threads->number;
    pthread_mutex_unlock(&threads->lock);
    if (atomic_load(&threads->count) > 0)
        in->options.on_loss(in->options.payload);
    wait_for_all(in);
    threads_join_ended(threads);
}
