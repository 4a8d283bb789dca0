/* A call, for the host that answers it, and its approval. */
#include "calls/desk_inside.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/forked.h"
#include "calls/journal.h"

int desk_has_approved(desk *d)
{
    pthread_mutex_lock(&d->lock);
    const int has_approved = d->lines[APPROVED].first != NULL;
    pthread_mutex_unlock(&d->lock);
    return has_approved;
}

/* The lock is held. */
static snug_call *take_first(desk *d, int which)
{
    snug_call *call;

    while ((call = desk_line_take(d, which)) && desk_is_ended(call)) {
        call->is_host = 0;
        desk_free_if_let_go(call);
    }
    return call;
}

snug_call *desk_take(desk *d, desk_line which)
{
    pthread_mutex_lock(&d->lock);
    snug_call *call = take_first(d, WAITING);
    if (!call && which == DESK_ALL)
        call = take_first(d, APPROVED);

    if (call)
        atomic_store(&call->state, CALL_MADE);
    pthread_mutex_unlock(&d->lock);
    return call;
}

const desk_tool *call_tool(const snug_call *call)
{
    return call->tool;
}

const char *call_text(const snug_call *call)
{
    return str_text(&call->text);
}

int call_replay(snug_call *call)
{
    desk *d = call->desk;

    if (!call->in_journal || !journal_replays(d->journal))
        return 0;
    replay_answer(d->journal, call, call->in_journal);
    return 1;
}

void call_give_up(snug_call *call, call_state how)
{
    pthread_mutex_lock(&call->desk->lock);
    desk_end_if_made(call, how);
    pthread_mutex_unlock(&call->desk->lock);
}

snug_tool_decision call_decide(snug_call *call)
{
    desk *d = call->desk;

    pthread_mutex_lock(&d->lock);
    const desk_tool *tool = call->tool;
    snug_tool_decision decision =
        tool_rules_decide(&d->rules, tool->name, tool->origin, tool->is_read_only);
    if (decision == SNUG_TOOL_DECISION_ASK && (call->is_approved || tool->is_approved))
        decision = SNUG_TOOL_DECISION_ALLOW;
    pthread_mutex_unlock(&d->lock);
    return decision;
}

void call_hold(snug_call *call)
{
    desk *d = call->desk;

    pthread_mutex_lock(&d->lock);
    if (!desk_is_ended(call) && !call->is_on_hold) {
        const uint64_t now_ns = clock_now_ns();
        call->is_on_hold = 1;
        call->deadline_ns = clock_deadline_ns(now_ns, d->approval_ms);
        if (call->tells && call->deadline_ns < d->next_deadline_ns)
            d->next_deadline_ns = call->deadline_ns;
        if (!call->is_untimed)
            desk_count_untimed(d, 1, now_ns);
        if (d->wake)
            d->wake(d->wake_payload); /* who waits until the deadline that it had */
    }
    pthread_mutex_unlock(&d->lock);
}

/* The tool has its whole time from here on. The lock is held. */
static void end_hold(desk *d, snug_call *call)
{
    const uint64_t now_ns = clock_now_ns();

    if (!call->is_on_hold)
        return;
    call->is_on_hold = 0;
    if (!call->is_untimed)
        desk_count_untimed(d, 0, now_ns);
    call->deadline_ns =
        call->timeout_ms > 0 ? clock_deadline_ns(now_ns, call->timeout_ms) : UINT64_MAX;
    if (call->tells && call->deadline_ns < d->next_deadline_ns)
        d->next_deadline_ns = call->deadline_ns;
    if (d->wake)
        d->wake(d->wake_payload);
}

void call_go_on(snug_call *call)
{
    pthread_mutex_lock(&call->desk->lock);
    end_hold(call->desk, call);
    pthread_mutex_unlock(&call->desk->lock);
}

int call_is_held(snug_call *call)
{
    pthread_mutex_lock(&call->desk->lock);
    int is_held = call->is_on_hold;
    pthread_mutex_unlock(&call->desk->lock);
    return is_held;
}

/* Who would have noticed may be busy, in the function that asks. The lock is held. */
static void refuse_late(snug_call *call)
{
    if (call->is_on_hold && call->deadline_ns <= clock_now_ns())
        desk_end_if_made(call, CALL_TIMEOUT);
}

int call_approve(snug_call *call, int always)
{
    desk *d = call->desk;
    int error = SNUG_OK;

    pthread_mutex_lock(&d->lock);
    refuse_late(call);
    if (desk_is_ended(call) || call->is_unwanted) {
        error = SNUG_ENOTFOUND;
        call->is_host = 0;
        desk_free_if_let_go(call);
    } else if (!call->is_on_hold) {
        error = SNUG_EINVAL;
    } else {
        call->is_approved = 1;
        for (size_t i = 0; always && i < d->tool_count; i++)
            if (d->tools[i] == call->tool)
                d->tools[i]->is_approved = 1;
        end_hold(d, call);
        atomic_store(&call->state, CALL_WAITS);
        desk_line_add(d, APPROVED, call);
        d->on_call(d->payload); /* the session stays as long as the call is not ended */
    }

    desk_unlock_or_free(d);
    return error;
}

int call_is_wanted(const snug_call *call)
{
    desk *d = call->desk;

    pthread_mutex_lock(&d->lock);
    const int is_late = call->is_on_hold && call->deadline_ns <= clock_now_ns();
    const int is_wanted = !is_late && !call->is_unwanted && !desk_is_ended(call);
    pthread_mutex_unlock(&d->lock);
    return is_wanted;
}

int call_is_own(const snug_call *call)
{
    return forked_is_process(call->desk->process);
}

int call_answer(snug_call *call, call_state how, const char *text, size_t len)
{
    desk *d = call->desk;
    str answer = { 0 };
    int error = SNUG_OK;

    if (!text) {
        text = "";
        len = 0;
    }

    if (call_is_wanted(call))
        error = str_append(&answer, text, len);
    if (error)
        how = CALL_ERROR;

    pthread_mutex_lock(&d->lock);
    refuse_late(call);
    if (desk_is_ended(call) || call->is_unwanted) {
        error = SNUG_ENOTFOUND;
    } else {
        if (d->bytes + answer.len > DESK_BYTES) {
            error = SNUG_EINVAL;
            how = CALL_ERROR;
            str_free(&answer);
        }
        call->answer = answer;
        d->bytes += answer.len;
        answer = (str){ 0 };
        desk_end_call(call, how);
    }

    call->is_host = 0;
    desk_free_if_let_go(call);
    desk_unlock_or_free(d);
    str_free(&answer);
    return error;
}
