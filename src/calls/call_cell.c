/* A call, for the cell that makes it. */
#include "calls/desk_inside.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"

static snug_call *make_call(desk *d, const desk_tool *tool)
{
    snug_call *call = calloc(1, sizeof *call);
    if (!call)
        return NULL;

    if (tool) {
        call->timeout_ms = tool->timeout_ms;
        if (desk_copy_text(&call->name, tool->name) != SNUG_OK) {
            free(call);
            return NULL;
        }
    }

    call->desk = d;
    call->tool = tool;
    call->is_held = 1;
    call->entry = LEDGER_NONE;
    call->deadline_ns = UINT64_MAX;
    return call;
}

desk_refusal call_prepare(snug_call **out, desk *d, const desk_tool *tool, str *text)
{
    snug_call *call = make_call(d, tool);
    if (!call) {
        str_free(text);
        return DESK_NO_MEMORY;
    }

    pthread_mutex_lock(&d->lock);
    int is_full = d->bytes + text->len + CALL_BYTES > DESK_BYTES || d->record_bytes > JOURNAL_BYTES;
    if (!is_full) {
        call->text = *text;
        *text = (str){ 0 };
        d->bytes += call->text.len + CALL_BYTES;
        call->next = d->all;
        if (d->all)
            d->all->previous = call;
        d->all = call;
        *out = call;
    }

    pthread_mutex_unlock(&d->lock);
    str_free(text);
    if (is_full) {
        free(call->name);
        free(call);
        return DESK_FULL;
    }

    return DESK_FINE;
}

/* The lock is held. */
static desk_refusal judge_call(desk *d, const snug_call *call)
{
    desk_refusal error;

    if (atomic_load(&call->state) != CALL_PREPARED)
        return DESK_TWICE;
    if (!d->is_open)
        return DESK_NO_CELL;
    if (!call->tool || d->ledger.made < d->most)
        return DESK_FINE;

    ledger_add(&d->ledger, call->tool->name, CALL_DENIED, &error);
    return DESK_TOO_MANY;
}

/* The lock is held. */
static desk_refusal enter_call(desk *d, snug_call *call)
{
    desk_refusal error = judge_call(d, call);
    if (!error && call->tool)
        call->entry = ledger_add(&d->ledger, call->tool->name, CALL_CANCELLED, &error);
    return error;
}

/* A line's, that of a tool is the tool's. Where the time for lines is used up, further ones fail
 * soon and count as the cell's time: so no cell asks for ever. */
static void give_time(const desk *d, snug_call *call)
{
    const uint64_t used_ms = d->input_used_ns / NS_PER_MS;
    call->is_untimed = call->tool ? call->tool->is_untimed : used_ms < d->input_ms;
    if (call->tool)
        return;

    call->timeout_ms = call->is_untimed ? d->input_ms : 1;
    if (call->is_untimed && d->input_ms != SNUG_UNLIMITED)
        call->timeout_ms -= used_ms;
}

desk_refusal call_make(snug_call *call, int tells)
{
    desk *d = call->desk;
    uint64_t now_ns = clock_now_ns();

    pthread_mutex_lock(&d->lock);
    desk_refusal refusal = enter_call(d, call);
    if (!refusal) {
        call->number = ++d->numbers;
        call->start_ns = now_ns;
        give_time(d, call);
        if (call->timeout_ms > 0)
            call->deadline_ns = clock_deadline_ns(now_ns, call->timeout_ms);
        if (call->tool && d->journal && !call->tool->is_unrecorded)
            call->in_journal = journal_number(d->journal);
        call->tells = tells;
        if (call->is_untimed)
            desk_count_untimed(d, 1, now_ns);
        if (tells && call->deadline_ns < d->next_deadline_ns)
            d->next_deadline_ns = call->deadline_ns;
        call->is_host = 1;
        atomic_store(&call->state, CALL_WAITS);
        desk_line_add(d, WAITING, call);
    }

    pthread_mutex_unlock(&d->lock);
    if (!refusal)
        d->on_call(d->payload);
    return refusal;
}

void call_hide_answer(snug_call *call)
{
    call->is_hidden = 1;
}

int call_is_over(const snug_call *call)
{
    return desk_is_ended(call);
}

uint64_t call_number(const snug_call *call)
{
    return call->number;
}

uint64_t call_deadline_ns(snug_call *call)
{
    pthread_mutex_lock(&call->desk->lock);
    uint64_t deadline_ns = call->deadline_ns;
    pthread_mutex_unlock(&call->desk->lock);
    return deadline_ns;
}

uint64_t call_timeout_ms(const snug_call *call)
{
    return call->timeout_ms;
}

const char *call_name(const snug_call *call)
{
    if (call->name)
        return call->name;
    return call->is_hidden ? "getpass" : "input";
}

int call_say_timeout(str *out, const char *name, uint64_t timeout_ms)
{
    return str_printf(out, "%s() took longer than its limit of %g s", name,
                      (double)timeout_ms / 1000.0);
}

/* Nobody has approved it in time. The lock is held. */
static void say_late(snug_call *call)
{
    desk *d = call->desk;
    int error = str_printf(&call->answer, "%s() was refused: ", call_name(call));

    if (!error && call->is_unwanted)
        error = str_add(&call->answer, "the cell was interrupted");
    else if (!error)
        error = str_printf(&call->answer, "nobody has answered for %g s",
                           (double)d->approval_ms / 1000.0);
    if (error)
        str_free(&call->answer);
    d->bytes += call->answer.len;
}

void desk_end_if_made(snug_call *call, call_state how)
{
    int state = atomic_load(&call->state);
    if (state != CALL_WAITS && state != CALL_MADE)
        return;
    if (how == CALL_TIMEOUT && call->is_on_hold) {
        how = CALL_REFUSED;
        say_late(call);
    }
    desk_end_call(call, how);
}

void call_end(snug_call *call, call_state how)
{
    desk *d = call->desk;
    pthread_mutex_lock(&d->lock);
    if (how != CALL_TIMEOUT || call->deadline_ns <= clock_now_ns())
        desk_end_if_made(call, how);
    pthread_mutex_unlock(&d->lock);
}

call_state call_take(str *answer, snug_call *call)
{
    desk *d = call->desk;

    pthread_mutex_lock(&d->lock);
    *answer = call->answer;
    call->answer = (str){ 0 };
    d->bytes -= answer->len;
    call_state state = (call_state)atomic_load(&call->state);
    pthread_mutex_unlock(&d->lock);
    return state;
}

void call_drop(snug_call *call)
{
    desk *d = call->desk;
    pthread_mutex_lock(&d->lock);
    desk_end_if_made(call, CALL_CANCELLED);
    call->is_held = 0;
    desk_free_if_let_go(call);
    desk_unlock_or_free(d);
}

/* Ends those whose time is up, and finds out when the next one is. The lock is held. */
static void expire_calls(desk *d)
{
    uint64_t now_ns = clock_now_ns();
    if (now_ns < d->next_deadline_ns)
        return;

    d->next_deadline_ns = UINT64_MAX;
    for (snug_call *call = d->all; call; call = call->next) {
        if (!call->tells || desk_is_ended(call))
            continue;
        if (call->deadline_ns <= now_ns)
            desk_end_if_made(call, CALL_TIMEOUT);
        else if (call->deadline_ns < d->next_deadline_ns)
            d->next_deadline_ns = call->deadline_ns;
    }
}

size_t desk_tell(desk *d, uint64_t *numbers, size_t most)
{
    size_t count = 0;

    pthread_mutex_lock(&d->lock);
    expire_calls(d);
    for (snug_call *call; count < most && (call = desk_line_take(d, OVER));) {
        numbers[count++] = call->number;
        call->tells = 0;
        desk_free_if_let_go(call);
    }

    pthread_mutex_unlock(&d->lock);
    return count;
}

uint64_t desk_deadline_ns(desk *d)
{
    pthread_mutex_lock(&d->lock);
    uint64_t deadline_ns = d->next_deadline_ns;
    pthread_mutex_unlock(&d->lock);
    return deadline_ns;
}

uint64_t desk_most_calls(const desk *d)
{
    return d->most;
}

uint64_t desk_input_ms(const desk *d)
{
    return d->input_ms;
}

uint64_t desk_untimed_ns(desk *d, uint64_t now_ns)
{
    pthread_mutex_lock(&d->lock);
    uint64_t sum_ns = d->untimed_ns;
    if (d->untimed_calls > 0 && now_ns > d->untimed_since_ns)
        sum_ns += now_ns - d->untimed_since_ns;
    pthread_mutex_unlock(&d->lock);
    return sum_ns;
}

int desk_is_untimed(desk *d)
{
    pthread_mutex_lock(&d->lock);
    int answer = d->untimed_calls > 0;
    pthread_mutex_unlock(&d->lock);
    return answer;
}
