/*
 * queue.c - who waits for what, and whose turn it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/u64.h"
#include "supervise/supervise.h"

/* ---- seats ---- */

static tenant *find_tenant(const snug_supervisor *s, const char *name)
{
    tenant *t = s->tenants;
    while (t && strcmp(t->name, name) != 0)
        t = t->next;
    return t;
}

static seat *find_seat(const tenant *t, const char *name)
{
    seat *one = t ? t->seats : NULL;
    while (one && strcmp(one->name, name) != 0)
        one = one->next;
    return one;
}

seat *queue_look(const snug_supervisor *s, const char *tenant_name, const char *session)
{
    return find_seat(find_tenant(s, tenant_name), session);
}

/* The last in the ring. */
static tenant *add_tenant(snug_supervisor *s, const char *name)
{
    tenant **at = &s->tenants;
    tenant *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;

    t->name = strdup(name);
    if (!t->name) {
        free(t);
        return NULL;
    }

    t->last = &t->first;
    t->host = s->host;
    while (*at)
        at = &(*at)->next;
    *at = t;
    return t;
}

static seat *add_seat(const snug_supervisor *s, tenant *t, const char *name)
{
    str place = { 0 };
    seat *one = calloc(1, sizeof *one);
    if (!one)
        return NULL;

    one->name = strdup(name);
    if (!one->name || state_place(&place, &s->state, t->name, name) != SNUG_OK) {
        free(one->name);
        free(one);
        str_free(&place);
        return NULL;
    }

    one->place = str_take(&place);
    one->tenant = t;
    one->next = t->seats;
    t->seats = one;
    return one;
}

void queue_tidy_tenant(snug_supervisor *s, tenant *t)
{
    tenant **at = &s->tenants;

    if (t->seats || t->has_place || t->is_starting || t->running > 0)
        return;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    hosts_forget_workers(t); /* of a host in whose place none could be started */
    free(t->name);
    free(t);
}

void queue_tidy(snug_supervisor *s, seat *one)
{
    tenant *t = one->tenant;
    seat **at = &t->seats;

    if (one->session || one->is_held || one->tickets > 0 || one->pins > 0)
        return;
    while (*at != one)
        at = &(*at)->next;
    *at = one->next;
    str_free(&one->notice);
    free(one->name);
    free(one->place);
    free(one);
    queue_tidy_tenant(s, t);
}

int queue_find(seat **out, snug_supervisor *s, const char *tenant_name, const char *session)
{
    tenant *t = find_tenant(s, tenant_name);

    if (!t)
        t = add_tenant(s, tenant_name);
    if (!t)
        return error_no_memory();

    *out = find_seat(t, session);
    if (!*out)
        *out = add_seat(s, t, session);
    if (*out)
        return SNUG_OK;

    queue_tidy_tenant(s, t);
    return error_no_memory();
}

/* ---- turns ---- */

/* The first of the tenant's calls that could go on now. */
static ticket *first_ready(const tenant *t)
{
    ticket *one = t->first;
    while (one && one->needs_seat && one->seat->is_held)
        one = one->next;
    return one;
}

/* Of the tenant whose last turn is the longest ago. */
static ticket *next_in_turn(const snug_supervisor *s)
{
    ticket *best = NULL;
    for (const tenant *t = s->tenants; t; t = t->next) {
        ticket *one = first_ready(t);
        if (one && (!best || t->served < best->tenant->served))
            best = one;
    }
    return best;
}

static void remove_ticket(snug_supervisor *s, ticket *one)
{
    tenant *t = one->tenant;
    ticket **at = &t->first;

    while (*at != one)
        at = &(*at)->next;
    *at = one->next;
    if (t->last == &one->next)
        t->last = at;
    t->waiting--;
    s->waiting--;
}

static void grant_turns(snug_supervisor *s)
{
    ticket *one;
    while (!s->is_draining && s->running < s->limits.cells && (one = next_in_turn(s))) {
        remove_ticket(s, one);
        one->is_granted = 1;
        one->tenant->served = ++s->turns;
        one->tenant->running++;
        s->running++;
        if (one->needs_seat)
            one->seat->is_held = 1;
        pthread_cond_signal(&one->told);
    }
}

void queue_give_turn(snug_supervisor *s, tenant *t)
{
    t->running--;
    s->running--;
    grant_turns(s);
    queue_tidy_tenant(s, t);
}

void queue_add_turn(snug_supervisor *s, tenant *t)
{
    t->running++;
    s->running++;
}

void queue_give_seat(snug_supervisor *s, seat *one)
{
    one->is_held = 0;
    grant_turns(s);
    pthread_cond_broadcast(&s->changed);
    queue_tidy(s, one);
}

void queue_interrupt(snug_supervisor *s, seat *one, void (*interrupt)(snug_session *session))
{
    snug_session *session = one->session;

    one->pins++;
    pthread_mutex_unlock(&s->lock);
    interrupt(session);
    pthread_mutex_lock(&s->lock);
    one->pins--;
    pthread_cond_broadcast(&s->changed);
    queue_tidy(s, one);
}

/* ---- waiting ---- */

/* Between two interrupts: the first may come before the save has begun. */
enum { AGAIN_MS = 50 };

static void refuse_ticket(snug_supervisor *s, ticket *one, refusal_kind why)
{
    remove_ticket(s, one);
    one->is_refused = 1;
    one->refusal = why;
    pthread_cond_signal(&one->told);
}

void queue_expire(snug_supervisor *s, uint64_t now_ns)
{
    for (tenant *t = s->tenants; t; t = t->next)
        for (ticket *one = t->first, *next; one; one = next) {
            next = one->next;
            if (one->deadline_ns <= now_ns)
                refuse_ticket(s, one, REFUSED_WAIT);
        }
}

void queue_refuse_all(snug_supervisor *s)
{
    for (tenant *t = s->tenants; t; t = t->next)
        while (t->first)
            refuse_ticket(s, t->first, REFUSED_DRAINING);
}

static int say_refusal(snug_supervisor *s, const ticket *one)
{
    char sentence[ERROR_MESSAGE_BYTES];

    unsigned long long waited_ms = (notes_now(s) - one->since_ns) / NS_PER_MS;
    switch (one->refusal) {
    case REFUSED_QUEUE:
        snprintf(sentence, sizeof sentence,
                 "tenant %.200s has %zu calls waiting already, as many as its queue takes",
                 one->tenant->name, one->tenant->waiting);
        break;
    case REFUSED_WAIT:
        snprintf(sentence, sizeof sentence,
                 "tenant %.200s, session %.200s: no turn within %llu ms, %s", one->tenant->name,
                 one->seat->name, waited_ms,
                 !one->needs_seat || !one->seat->is_held ? "all are taken"
                 : one->seat->away_ns                    ? "the session is being saved"
                                                         : "another call has the session");
        break;
    case REFUSED_DRAINING:
    case REFUSED_SESSIONS:
    case REFUSED_HOSTS:
    case REFUSED_MEMORY:
    case REFUSALS:
        snprintf(sentence, sizeof sentence, "the supervisor is draining: it takes no calls");
        break;
    }

    return notes_refuse(s, one->refusal, sentence);
}

/* Until somebody has told it, its time is over, or a save has to be interrupted again. With a
 * test's clock only others tell. */
static void sleep_for(snug_supervisor *s, ticket *one)
{
    seat *wanted = one->seat;
    uint64_t deadline_ns = s->world.now_ns ? UINT64_MAX : one->deadline_ns;

    if (one->needs_seat && wanted->gives_way) {
        wanted->gives_way = 2;
        queue_interrupt(s, wanted, snug_session_interrupt_gently);
        deadline_ns = u64_least(deadline_ns, clock_deadline_ns(clock_now_ns(), AGAIN_MS));
    }

    if (!one->is_granted && !one->is_refused)
        cond_wait_until(&one->told, &s->lock, deadline_ns);

    if (!one->is_granted && !one->is_refused && one->deadline_ns <= notes_now(s))
        refuse_ticket(s, one, REFUSED_WAIT);
}

static void count_wait(snug_supervisor *s, uint64_t ns)
{
    s->counts.waited++;
    s->counts.waited_ns += ns;
    if (ns > s->counts.longest_ns)
        s->counts.longest_ns = ns;
}

int queue_wait(snug_supervisor *s, seat *wanted, int needs_seat, uint64_t *waited_ns)
{
    tenant *t = wanted->tenant;
    uint64_t now = notes_now(s);
    ticket one = { .tenant = t,
                   .seat = wanted,
                   .needs_seat = needs_seat,
                   .since_ns = now,
                   .deadline_ns = clock_deadline_ns(now, s->limits.wait_ms) };
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&one.told, &monotonic);
    pthread_condattr_destroy(&monotonic);

    *t->last = &one;
    t->last = &one.next;
    t->waiting++;
    s->waiting++;
    wanted->tickets++;
    grant_turns(s);
    int waits = !one.is_granted;
    if (waits && s->is_draining)
        refuse_ticket(s, &one, REFUSED_DRAINING);
    else if (waits && t->waiting > s->limits.waiting)
        refuse_ticket(s, &one, REFUSED_QUEUE);

    while (!one.is_granted && !one.is_refused)
        sleep_for(s, &one);
    wanted->tickets--;
    pthread_cond_destroy(&one.told);
    uint64_t ns = notes_now(s) - now;
    if (waits && one.is_granted)
        count_wait(s, ns);
    *waited_ns += ns;
    if (!one.is_granted)
        return say_refusal(s, &one);
    return SNUG_OK;
}
