#include "calls/desk_inside.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/forked.h"

/* ---- calls and their ends; the lock is held ---- */

void desk_line_add(desk *d, int which, snug_call *call)
{
    line *l = &d->lines[which];

    call->behind[which] = NULL;
    if (l->last)
        l->last->behind[which] = call;
    else
        l->first = call;
    l->last = call;
}

snug_call *desk_line_take(desk *d, int which)
{
    line *l = &d->lines[which];
    snug_call *call = l->first;
    if (!call)
        return NULL;

    l->first = call->behind[which];
    if (!l->first)
        l->last = NULL;
    return call;
}

int desk_is_ended(const snug_call *call)
{
    return atomic_load(&call->state) >= CALL_OK;
}

static void desk_free_text(desk *d, str *text)
{
    d->bytes -= text->len;
    str_free(text);
}

void desk_free_if_let_go(snug_call *call)
{
    if (!call->is_host && (desk_is_ended(call) || !call->is_held))
        desk_free_text(call->desk, &call->text);
    if (call->is_held || call->is_host)
        return;

    desk_free_text(call->desk, &call->answer);
    if (call->tells)
        return;

    call->desk->bytes -= CALL_BYTES;
    if (call->previous)
        call->previous->next = call->next;
    else
        call->desk->all = call->next;

    if (call->next)
        call->next->previous = call->previous;
    free(call->name);
    free(call);
}

void desk_count_untimed(desk *d, int more, uint64_t now_ns)
{
    if (more && d->untimed_calls++ == 0)
        d->untimed_since_ns = now_ns;
    if (!more && --d->untimed_calls == 0 && now_ns > d->untimed_since_ns)
        d->untimed_ns += now_ns - d->untimed_since_ns;
}

void desk_end_call(snug_call *call, call_state how)
{
    desk *d = call->desk;

    const uint64_t now_ns = clock_now_ns();
    if (call->is_untimed || call->is_on_hold) /* never counted twice */
        desk_count_untimed(d, 0, now_ns);
    call->is_on_hold = 0;
    if (!call->tool)
        d->input_used_ns += now_ns - call->start_ns;

    if (call->in_journal)
        desk_record_end(call, how, now_ns - call->start_ns);
    if (call->entry != LEDGER_NONE)
        ledger_end(&d->ledger, call->entry, how, now_ns - call->start_ns);
    call->entry = LEDGER_NONE;
    atomic_store(&call->state, how);
    if (call->tells)
        desk_line_add(d, OVER, call);
    if (d->wake)
        d->wake(d->wake_payload);

    /* The host has something to write, or to give up. */
    if (d->is_open && (call->in_journal || how == CALL_CANCELLED || how == CALL_TIMEOUT))
        d->on_call(d->payload);
}

static void let_go_waiting(desk *d)
{
    for (int which = WAITING; which <= APPROVED; which++)
        for (snug_call *call; (call = desk_line_take(d, which));) {
            call->is_host = 0;
            desk_free_if_let_go(call);
        }
}

/* Nobody will lock it again: the session is closed, and nobody holds a call. */
static int is_unused(const desk *d)
{
    return !d->has_session && !d->all;
}

static void free_desk(desk *d)
{
    for (size_t i = 0; i < d->tool_count; i++)
        desk_tool_free(d->tools[i]);
    free(d->tools);
    free(d->buckets);
    tool_rules_free(&d->rules);
    ledger_free(&d->ledger);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

void desk_unlock_or_free(desk *d)
{
    int unused = is_unused(d);
    pthread_mutex_unlock(&d->lock);
    if (unused)
        free_desk(d);
}

/* ---- the session ---- */

desk *desk_open(void (*on_call)(void *payload), void *payload)
{
    desk *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;

    pthread_mutex_init(&d->lock, NULL);
    d->process = forked_process();
    d->on_call = on_call;
    d->payload = payload;
    d->has_session = 1;
    d->next_deadline_ns = UINT64_MAX;
    d->approval_ms = SNUG_UNLIMITED;
    ledger_begin(&d->ledger);
    return d;
}

void desk_close(desk *d)
{
    if (!d)
        return;
    desk_end(d);
    desk_go_on(d);
    desk_abandon(d);
    pthread_mutex_lock(&d->lock);
    journal_track *journal = d->journal;
    d->journal = NULL;
    d->wake = NULL;
    d->has_session = 0;
    desk_unlock_or_free(d);
    journal_leave(journal);
}

void desk_set_wake(desk *d, void (*wake)(void *payload), void *payload)
{
    pthread_mutex_lock(&d->lock);
    d->wake = wake;
    d->wake_payload = payload;
    pthread_mutex_unlock(&d->lock);
}

void desk_wake(desk *d)
{
    pthread_mutex_lock(&d->lock);
    if (d->wake)
        d->wake(d->wake_payload);
    pthread_mutex_unlock(&d->lock);
}

void desk_abandon(desk *d)
{
    pthread_mutex_lock(&d->lock);
    while (desk_line_take(d, OVER))
        ;
    for (snug_call *call = d->all, *next; call; call = next) {
        next = call->next;
        call->is_held = call->tells = 0;
        desk_free_if_let_go(call);
    }

    d->next_deadline_ns = UINT64_MAX;
    pthread_mutex_unlock(&d->lock);
}

void desk_begin(desk *d, uint64_t most_calls, uint64_t input_ms)
{
    pthread_mutex_lock(&d->lock);
    d->is_open = 1;
    d->most = most_calls;
    d->input_ms = input_ms;
    d->input_used_ns = 0;
    ledger_begin(&d->ledger);
    pthread_mutex_unlock(&d->lock);
}

void desk_end(desk *d)
{
    pthread_mutex_lock(&d->lock);
    d->is_open = 0;
    for (snug_call *call = d->all; call; call = call->next)
        if (atomic_load(&call->state) != CALL_PREPARED && !desk_is_ended(call))
            desk_end_call(call, CALL_CANCELLED);
    let_go_waiting(d);
    pthread_mutex_unlock(&d->lock);
}

/* What a cell that goes on after that still waits for. */
enum { INTERRUPTED_MS = 1000 };

void desk_interrupt(desk *d)
{
    const uint64_t until_ns = clock_deadline_ns(clock_now_ns(), INTERRUPTED_MS);

    pthread_mutex_lock(&d->lock);
    for (snug_call *call = d->all; call; call = call->next) {
        if (desk_is_ended(call) || (call->tool && !call->is_on_hold))
            continue;
        call->is_unwanted = 1;
        if (call->is_on_hold && call->deadline_ns > until_ns)
            call->deadline_ns = until_ns;
        if (call->is_on_hold && call->tells && call->deadline_ns < d->next_deadline_ns)
            d->next_deadline_ns = call->deadline_ns;
    }
    pthread_mutex_unlock(&d->lock);
}

int desk_take_ledger(snug_tool_call **out, size_t *count, desk *d)
{
    pthread_mutex_lock(&d->lock);
    int error = ledger_copy(out, count, &d->ledger);
    pthread_mutex_unlock(&d->lock);
    return error;
}

int desk_take_over(snug_tool_call *out, desk *d)
{
    pthread_mutex_lock(&d->lock);
    int is_there = ledger_take_over(out, &d->ledger);
    pthread_mutex_unlock(&d->lock);
    return is_there;
}
