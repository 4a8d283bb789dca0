/*
 * threadlist.c - the threads of an interpreter, as other threads see them: the watchdog stops them,
 * and counts their time.
 */
#include "py/core/threadlist.h"

#include "base/clock.h"
#include "py/core/guest_thread.h"

void threads_init(guest_threads *threads)
{
    pthread_mutex_init(&threads->lock, NULL);
}

void threads_free(guest_threads *threads)
{
    pthread_mutex_destroy(&threads->lock);
}

static uint64_t cpu_of(const guest_thread *t)
{
    struct timespec now;
    if (clock_gettime(t->cpu_clock, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Of each thread that has not ended, under the lock. */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): t is a name. */
#define FOR_EACH(t, threads) for (guest_thread *t = (threads)->first; t; t = t->next)

void threads_stop(interp *in)
{
    pthread_mutex_lock(&in->threads.lock);
    FOR_EACH(t, &in->threads)
    {
        int was_empty = internals_raise_later(t->tstate, in->stopped);
        atomic_fetch_add(&in->stop.raised, was_empty);
        atomic_store(&t->is_deaf, !was_empty);
    }
    pthread_mutex_unlock(&in->threads.lock);
}

void threads_cut_recursion(interp *in)
{
    pthread_mutex_lock(&in->threads.lock);
    FOR_EACH(t, &in->threads)
    internals_cut_recursion_blindly(t->tstate, (uintptr_t)thread_stack_low(&t->thread));
    pthread_mutex_unlock(&in->threads.lock);
}

int threads_have(interp *in, const PyThreadState *tstate)
{
    int answer = 0;
    pthread_mutex_lock(&in->threads.lock);
    FOR_EACH(t, &in->threads)
    answer |= t->tstate == tstate;
    pthread_mutex_unlock(&in->threads.lock);
    return answer;
}

int threads_wait_for_gil(interp *in)
{
    int answer = 0;
    pthread_mutex_lock(&in->threads.lock);
    FOR_EACH(t, &in->threads)
    answer |= !guard_is_full() || t->guard.locks > 0;
    pthread_mutex_unlock(&in->threads.lock);
    return answer;
}

void interp_each_thread(interp *in, void (*visit)(void *arg, guard *g), void *arg)
{
    if (in->options.threads == 0)
        return;
    pthread_mutex_lock(&in->threads.lock);
    FOR_EACH(t, &in->threads)
    visit(arg, &t->guard);
    pthread_mutex_unlock(&in->threads.lock);
}

int interp_awaits_thread(const interp *in)
{
    return atomic_load(&in->threads.in_transit) > 0;
}

uint64_t interp_threads_cpu_ns(interp *in)
{
    if (in->options.threads == 0)
        return 0;
    pthread_mutex_lock(&in->threads.lock);
    uint64_t sum_ns = atomic_load(&in->threads.cpu_ns);
    FOR_EACH(t, &in->threads)
    sum_ns += cpu_of(t);
    pthread_mutex_unlock(&in->threads.lock);
    return sum_ns;
}
