#include "calls/desk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/forked.h"
#include "calls/ledger.h"
#include "calls/rules.h"

struct snug_call {
    snug_call *previous, *next; /* of all */
    snug_call *behind[2];       /* in the lines that it stands in */
    desk *desk;
    const desk_tool *tool; /* NULL: input(); not after its cell */
    char *name;            /* of the tool; NULL: input() or getpass() */
    _Atomic int state;     /* call_state; written under the lock */
    int is_held, is_host;  /* by the cell, by the host */
    int tells;
    int is_untimed;
    int is_on_hold, is_approved; /* it waits for an approval; it has one */
    int is_hidden;               /* a line that is not to be seen */
    str text, answer;
    uint64_t number, start_ns, timeout_ms, deadline_ns;
    size_t entry; /* in the ledger; LEDGER_NONE */
};

/* What one without texts takes, with its name: about. */
enum { CALL_BYTES = 512 };

/* Of those that wait for the host, and of those whose end is to be reported; a call can stand in
 * both, when it ended while it waited. */
enum { WAITING, OVER };

typedef struct line {
    snug_call *first, *last;
} line;

struct desk {
    uint64_t process; /* that has opened it */
    void (*on_call)(void *payload);
    void *payload;
    /* Only between cells, see desk.h. */
    desk_tool **tools;
    size_t tool_count, tool_cap;
    uint64_t tools_bound;
    tool_rules rules;

    pthread_mutex_t lock; /* of everything below */
    void (*wake)(void *payload);
    void *wake_payload;
    int has_session;
    int is_open;               /* a cell runs */
    uint64_t most;             /* calls in this cell */
    uint64_t input_ms;         /* for the lines of this cell */
    uint64_t input_used_ns;    /* of that */
    uint64_t numbers;          /* given to calls */
    uint64_t bytes;            /* of all calls, with their texts */
    uint64_t next_deadline_ns; /* not later than that of any call that tells */
    snug_call *all;
    line lines[2];
    ledger ledger;
    uint64_t untimed_calls;                /* under way */
    uint64_t untimed_since_ns, untimed_ns; /* since the first of them; and before that */
};

/* ---- the host's functions ---- */

/* SNUG_OK also for NULL. */
static int copy_tool_text(char **out, const char *text)
{
    *out = NULL;
    if (!text)
        return SNUG_OK;

    *out = strdup(text);
    return *out ? SNUG_OK : SNUG_ENOMEM;
}

desk_tool *desk_tool_copy(const snug_tool *tool)
{
    desk_tool *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;

    copy->is_async = tool->is_async;
    copy->takes_any = tool->takes_any;
    copy->is_untimed = tool->is_untimed != 0;
    copy->is_read_only = tool->is_read_only != 0;
    copy->timeout_ms = tool->timeout_ms;
    copy->fn = tool->fn;
    copy->payload = tool->payload;
    if (copy_tool_text(&copy->name, tool->name) ||
        copy_tool_text(&copy->signature, tool->signature) ||
        copy_tool_text(&copy->doc, tool->doc)) {
        desk_tool_free(copy);
        return NULL;
    }

    return copy;
}

void desk_tool_free(desk_tool *tool)
{
    if (!tool)
        return;
    for (size_t i = 0; i < tool->parameter_count; i++)
        free(tool->parameters[i]);
    free(tool->parameters);
    free(tool->name);
    free(tool->signature);
    free(tool->doc);
    free(tool);
}

int desk_put_tool(desk *d, desk_tool *tool)
{
    for (size_t i = 0; i < d->tool_count; i++) {
        if (strcmp(d->tools[i]->name, tool->name) != 0)
            continue;
        desk_tool_free(d->tools[i]);
        d->tools[i] = tool;
        return SNUG_OK;
    }

    if (array_reserve(&d->tools, &d->tool_cap, d->tool_count + 1, sizeof(desk_tool *)))
        return SNUG_ENOMEM;

    d->tools[d->tool_count++] = tool;
    return SNUG_OK;
}

int desk_set_rules(desk *d, const snug_tool_rule *rules, size_t count)
{
    return tool_rules_take(&d->rules, rules, count);
}

int desk_put_tools(desk *d, const desk *from)
{
    if (desk_set_rules(d, from->rules.rules, from->rules.count))
        return SNUG_ENOMEM;

    for (size_t i = 0; i < from->tool_count; i++) {
        const desk_tool *own = from->tools[i];
        const snug_tool tool = { .name = own->name,
                                 .signature = own->signature,
                                 .doc = own->doc,
                                 .is_async = own->is_async,
                                 .takes_any = own->takes_any,
                                 .is_untimed = (uint64_t)own->is_untimed,
                                 .is_read_only = (uint64_t)own->is_read_only,
                                 .timeout_ms = own->timeout_ms,
                                 .fn = own->fn,
                                 .payload = own->payload };

        desk_tool *copy = desk_tool_copy(&tool);
        if (copy)
            copy->is_approved = own->is_approved;
        if (!copy || desk_put_tool(d, copy)) {
            desk_tool_free(copy);
            return SNUG_ENOMEM;
        }
    }

    return SNUG_OK;
}

desk_tool *desk_tool_at(const desk *d, size_t index)
{
    return index < d->tool_count ? d->tools[index] : NULL;
}

const desk_tool *desk_find_tool(const desk *d, uint64_t id)
{
    for (size_t i = 0; i < d->tool_count; i++)
        if (d->tools[i]->id == id)
            return d->tools[i];
    return NULL;
}

uint64_t desk_next_id(desk *d)
{
    return ++d->tools_bound;
}

/* ---- calls and their ends; the lock is held ---- */

static void append_to_line(desk *d, int which, snug_call *call)
{
    line *l = &d->lines[which];

    call->behind[which] = NULL;
    if (l->last)
        l->last->behind[which] = call;
    else
        l->first = call;
    l->last = call;
}

static snug_call *take_from_line(desk *d, int which)
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

static int is_ended(const snug_call *call)
{
    return atomic_load(&call->state) >= CALL_OK;
}

static void free_text(desk *d, str *text)
{
    d->bytes -= text->len;
    str_free(text);
}

/* What nobody can ask for goes at once. One whose end is still to be reported stays, without its
 * texts. */
static void free_if_let_go(snug_call *call)
{
    if (!call->is_host && (is_ended(call) || !call->is_held))
        free_text(call->desk, &call->text);
    if (call->is_held || call->is_host)
        return;

    free_text(call->desk, &call->answer);
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

/* One more call that is not timed, or one less. */
static void count_untimed(desk *d, int more, uint64_t now_ns)
{
    if (more && d->untimed_calls++ == 0)
        d->untimed_since_ns = now_ns;
    if (!more && --d->untimed_calls == 0 && now_ns > d->untimed_since_ns)
        d->untimed_ns += now_ns - d->untimed_since_ns;
}

static void end_call(snug_call *call, call_state how)
{
    desk *d = call->desk;

    const uint64_t now_ns = clock_now_ns();
    if (call->is_untimed || call->is_on_hold) /* never counted twice */
        count_untimed(d, 0, now_ns);
    call->is_on_hold = 0;
    if (!call->tool)
        d->input_used_ns += now_ns - call->start_ns;

    if (call->entry != LEDGER_NONE)
        ledger_end(&d->ledger, call->entry, how, now_ns - call->start_ns);
    call->entry = LEDGER_NONE;
    atomic_store(&call->state, how);
    if (call->tells)
        append_to_line(d, OVER, call);
    if (d->wake)
        d->wake(d->wake_payload);
}

static void let_go_waiting(desk *d)
{
    for (snug_call *call; (call = take_from_line(d, WAITING));) {
        call->is_host = 0;
        free_if_let_go(call);
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
    tool_rules_free(&d->rules);
    ledger_free(&d->ledger);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static void unlock_or_free(desk *d)
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
    ledger_begin(&d->ledger);
    return d;
}

void desk_close(desk *d)
{
    if (!d)
        return;
    desk_end(d);
    desk_abandon(d);
    pthread_mutex_lock(&d->lock);
    d->wake = NULL;
    d->has_session = 0;
    unlock_or_free(d);
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
    while (take_from_line(d, OVER))
        ;
    for (snug_call *call = d->all, *next; call; call = next) {
        next = call->next;
        call->is_held = call->tells = 0;
        free_if_let_go(call);
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
        if (atomic_load(&call->state) != CALL_PREPARED && !is_ended(call))
            end_call(call, CALL_CANCELLED);
    let_go_waiting(d);
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

/* ---- for the cell ---- */

static snug_call *make_call(desk *d, const desk_tool *tool)
{
    snug_call *call = calloc(1, sizeof *call);
    if (!call)
        return NULL;

    if (tool) {
        call->timeout_ms = tool->timeout_ms;
        if (copy_tool_text(&call->name, tool->name) != SNUG_OK) {
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
    int is_full = d->bytes + text->len + CALL_BYTES > DESK_BYTES;
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
        call->tells = tells;
        if (call->is_untimed)
            count_untimed(d, 1, now_ns);
        if (tells && call->deadline_ns < d->next_deadline_ns)
            d->next_deadline_ns = call->deadline_ns;
        call->is_host = 1;
        atomic_store(&call->state, CALL_WAITS);
        append_to_line(d, WAITING, call);
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
    return is_ended(call);
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

/* The lock is held. */
static void end_if_made(snug_call *call, call_state how)
{
    int state = atomic_load(&call->state);
    if (state == CALL_WAITS || state == CALL_MADE)
        end_call(call, how);
}

void call_end(snug_call *call, call_state how)
{
    desk *d = call->desk;
    pthread_mutex_lock(&d->lock);
    if (how != CALL_TIMEOUT || call->deadline_ns <= clock_now_ns())
        end_if_made(call, how);
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
    end_if_made(call, CALL_CANCELLED);
    call->is_held = 0;
    free_if_let_go(call);
    unlock_or_free(d);
}

/* Ends those whose time is up, and finds out when the next one is. The lock is held. */
static void expire_calls(desk *d)
{
    uint64_t now_ns = clock_now_ns();
    if (now_ns < d->next_deadline_ns)
        return;

    d->next_deadline_ns = UINT64_MAX;
    for (snug_call *call = d->all; call; call = call->next) {
        if (!call->tells || is_ended(call))
            continue;
        if (call->deadline_ns <= now_ns)
            end_if_made(call, CALL_TIMEOUT);
        else if (call->deadline_ns < d->next_deadline_ns)
            d->next_deadline_ns = call->deadline_ns;
    }
}

size_t desk_tell(desk *d, uint64_t *numbers, size_t most)
{
    size_t count = 0;

    pthread_mutex_lock(&d->lock);
    expire_calls(d);
    for (snug_call *call; count < most && (call = take_from_line(d, OVER));) {
        numbers[count++] = call->number;
        call->tells = 0;
        free_if_let_go(call);
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

/* ---- for the host ---- */

snug_call *desk_take(desk *d)
{
    snug_call *call;

    pthread_mutex_lock(&d->lock);
    while ((call = take_from_line(d, WAITING)) && is_ended(call)) {
        call->is_host = 0;
        free_if_let_go(call);
    }

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

snug_tool_decision call_decide(snug_call *call)
{
    desk *d = call->desk;

    pthread_mutex_lock(&d->lock);
    const desk_tool *tool = call->tool;
    snug_tool_decision decision = tool_rules_decide(&d->rules, tool->name, tool->is_read_only);
    if (decision == SNUG_TOOL_DECISION_ASK && (call->is_approved || tool->is_approved))
        decision = SNUG_TOOL_DECISION_ALLOW;
    pthread_mutex_unlock(&d->lock);
    return decision;
}

void call_hold(snug_call *call)
{
    desk *d = call->desk;

    pthread_mutex_lock(&d->lock);
    if (!is_ended(call) && !call->is_on_hold) {
        call->is_on_hold = 1;
        call->deadline_ns = UINT64_MAX;
        if (!call->is_untimed)
            count_untimed(d, 1, clock_now_ns());
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
        count_untimed(d, 0, now_ns);
    if (call->timeout_ms > 0)
        call->deadline_ns = clock_deadline_ns(now_ns, call->timeout_ms);
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

int call_approve(snug_call *call, int always)
{
    desk *d = call->desk;
    int error = SNUG_OK;

    pthread_mutex_lock(&d->lock);
    if (is_ended(call)) {
        error = SNUG_ENOTFOUND;
        call->is_host = 0;
        free_if_let_go(call);
    } else if (!call->is_on_hold) {
        error = SNUG_EINVAL;
    } else {
        call->is_approved = 1;
        for (size_t i = 0; always && i < d->tool_count; i++)
            if (d->tools[i] == call->tool)
                d->tools[i]->is_approved = 1;
        end_hold(d, call);
        atomic_store(&call->state, CALL_WAITS);
        append_to_line(d, WAITING, call);
        d->on_call(d->payload); /* the session stays as long as the call is not ended */
    }

    unlock_or_free(d);
    return error;
}

int call_is_wanted(const snug_call *call)
{
    return !is_ended(call);
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
    if (is_ended(call)) {
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
        end_call(call, how);
    }

    call->is_host = 0;
    free_if_let_go(call);
    unlock_or_free(d);
    str_free(&answer);
    return error;
}
