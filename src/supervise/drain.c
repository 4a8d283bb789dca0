/*
 * drain.c - the end of a supervisor without losing a session.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "supervise/evict.h"
#include "supervise/queue.h"
#include "supervise/supervisor.h"

/* How long a cell that was interrupted may take: its ladder is far shorter. */
enum { GRACE_MS = 10000 };

/* With the lock, as all here but snug_supervisor_drain. */
static void wait_for_calls(snug_supervisor *s, uint64_t ms)
{
    uint64_t until_ns = clock_deadline_ns(clock_now_ns(), ms);
    while (s->calls > 0 && clock_now_ns() < until_ns)
        cond_wait_until(&s->changed, &s->lock, until_ns);
}

static seat *find_running(const snug_supervisor *s)
{
    for (const tenant *t = s->tenants; t; t = t->next)
        for (seat *one = t->seats; one; one = one->next)
            if (one->is_running && !one->was_interrupted)
                return one;
    return NULL;
}

static size_t interrupt_cells(snug_supervisor *s)
{
    size_t count = 0;
    seat *one;

    for (; (one = find_running(s)); count++) {
        one->was_interrupted = 1;
        one->pins++;
        pthread_mutex_unlock(&s->lock);
        snug_session_interrupt(one->session);
        pthread_mutex_lock(&s->lock);
        one->pins--;
        pthread_cond_broadcast(&s->changed);
    }

    return count;
}

/* The first that could not be saved is to be tried again. */
static void forget_failures(snug_supervisor *s)
{
    for (tenant *t = s->tenants; t; t = t->next)
        for (seat *one = t->seats; one; one = one->next)
            one->retry_ns = 0;
}

static int judge_drained(const snug_supervisor *s)
{
    if (s->calls > 0)
        return error_set(SNUG_EBUSY, "%zu calls or leases are still open", s->calls);
    if (s->open > 0)
        return error_set(SNUG_ESTOPPED, "%zu sessions could not be saved; the last one: %.600s",
                         s->open, s->failure);
    return SNUG_OK;
}

int snug_supervisor_drain(snug_supervisor *s, uint64_t ms)
{
    int error = supervisor_check(s, "snug_supervisor_drain");
    if (error)
        return error;

    pthread_mutex_lock(&s->lock);
    s->is_draining = 1;
    queue_refuse_all(s);
    wait_for_calls(s, ms);
    if (s->calls > 0 && interrupt_cells(s) > 0)
        wait_for_calls(s, GRACE_MS);
    forget_failures(s);
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);

    supervisor_sweep(s);

    pthread_mutex_lock(&s->lock);
    while (s->saving > 0)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);

    supervisor_sweep(s); /* those whose saving was under way elsewhere */

    pthread_mutex_lock(&s->lock);
    error = judge_drained(s);
    pthread_mutex_unlock(&s->lock);
    return error;
}
