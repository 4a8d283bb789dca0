/*
 * drain.c - the end of a supervisor without losing a session.
 *
 * Who ends a server may kill it soon. So KEEPERS sessions are saved at a time, and those whose save
 * takes long do not count among these: beside them others are begun, on threads of the drain.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "base/u64.h"
#include "supervise/supervise.h"

/* GRACE_MS: how long a cell that was interrupted may take, whose ladder is far shorter. STOP_MS:
 * the same for a save. */
enum { GRACE_MS = 10000, STOP_MS = 1000, ATTEND_MS = 50, HELPERS = 60 };

typedef struct drain {
    snug_supervisor *s;
    thread helpers[HELPERS];
    size_t count;
} drain;

/* ---- interrupts; with the lock, as all here but snug_supervisor_drain ---- */

typedef seat *find_seat(const snug_supervisor *s);

static seat *find_running(const snug_supervisor *s)
{
    for (const tenant *t = s->tenants; t; t = t->next)
        for (seat *one = t->seats; one; one = one->next)
            if (one->is_running && !one->was_interrupted)
                return one;
    return NULL;
}

/* Whose save has had its time, or the drain its own. */
static seat *find_late(const snug_supervisor *s)
{
    const uint64_t now = clock_now_ns();

    for (const tenant *t = s->tenants; t; t = t->next)
        for (seat *one = t->seats; one; one = one->next)
            if (one->session && one->away_ns && !one->is_cut &&
                now >= u64_least(clock_deadline_ns(one->away_ns, s->limits.drain_save_ms),
                                 s->drain_until_ns))
                return one;
    return NULL;
}

static size_t interrupt_all(snug_supervisor *s, find_seat *find)
{
    size_t count = 0;
    seat *one;

    for (; (one = find(s)); count++) {
        if (one->is_running)
            one->was_interrupted = 1;
        else
            one->is_cut = 1;
        queue_interrupt(s, one, snug_session_interrupt);
    }

    return count;
}

/* ---- saves ---- */

static size_t count_fresh(const snug_supervisor *s)
{
    const uint64_t now = clock_now_ns();
    size_t count = 0;

    for (const tenant *t = s->tenants; t; t = t->next)
        for (const seat *one = t->seats; one; one = one->next)
            count += one->away_ns && now < clock_deadline_ns(one->away_ns, SLOW_MS);
    return count;
}

static void *help(void *payload)
{
    supervisor_sweep(payload);
    return NULL;
}

/* Where no thread can be started, those that there are go on. */
static void put_to_work(drain *d)
{
    snug_supervisor *s = d->s;
    size_t fresh = count_fresh(s);

    if (s->keeper_count == 0 || fresh >= KEEPERS || !evict_has_due(s, notes_now(s)))
        return;
    pthread_cond_broadcast(&s->work);
    for (fresh += s->resting; fresh < KEEPERS && d->count < HELPERS; fresh++) {
        if (thread_start(&d->helpers[d->count], "snug drain", KEEPER_STACK_BYTES, help, s))
            return;
        d->count++;
    }
}

/* Also where all that is left is to be tried again. */
static int is_at_work(const drain *d)
{
    return d->s->saving > 0 || (d->s->keeper_count > 0 && evict_has_due(d->s, UINT64_MAX - 1));
}

/* Until something has changed, or there may be something to do; until_ns at most. */
static void attend(drain *d, uint64_t until_ns)
{
    snug_supervisor *s = d->s;
    uint64_t look_ns = UINT64_MAX;

    put_to_work(d);
    interrupt_all(s, find_late);
    if (clock_now_ns() >= clock_deadline_ns(s->drain_until_ns, STOP_MS))
        hosts_kill(s);
    if (is_at_work(d))
        look_ns = clock_deadline_ns(clock_now_ns(), ATTEND_MS);
    cond_wait_until(&s->changed, &s->lock, u64_least(until_ns, look_ns));
}

static void wait_for_calls(drain *d, uint64_t ms)
{
    uint64_t until_ns = u64_least(clock_deadline_ns(clock_now_ns(), ms), d->s->drain_until_ns);
    while (d->s->calls > 0 && clock_now_ns() < until_ns)
        attend(d, until_ns);
}

/* ---- the drain ---- */

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
    if (s->open > 0 || s->drain_lost > 0)
        return error_set(SNUG_ESTOPPED, "%zu sessions could not be saved; the last one: %.600s",
                         s->open + s->drain_lost, s->failure);
    return SNUG_OK;
}

static void drain_calls_and_saves(drain *d, uint64_t ms)
{
    snug_supervisor *s = d->s;

    s->is_draining = 1;
    s->drain_until_ns = clock_deadline_ns(clock_now_ns(), s->limits.drain_ms);
    s->drain_lost = 0;
    queue_refuse_all(s);
    forget_failures(s);
    wait_for_calls(d, ms);
    if (s->calls > 0 && interrupt_all(s, find_running) > 0)
        wait_for_calls(d, GRACE_MS);
    while (is_at_work(d))
        attend(d, UINT64_MAX);
}

int snug_supervisor_drain(snug_supervisor *s, uint64_t ms)
{
    int error = supervisor_check(s, "snug_supervisor_drain");
    if (error)
        return error;

    drain d = { .s = s };
    pthread_mutex_lock(&s->lock);
    drain_calls_and_saves(&d, ms);
    pthread_mutex_unlock(&s->lock);
    while (d.count > 0)
        thread_join(&d.helpers[--d.count]);

    supervisor_sweep(s); /* workers, and what could be left */

    pthread_mutex_lock(&s->lock);
    error = judge_drained(s);
    pthread_mutex_unlock(&s->lock);
    return error;
}
