/*
 * exchange.c - a request to a worker and what comes until its reply: output, displays, calls of
 * tools.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/u64.h"
#include "session/core/job.h"
#include "session/result/result.h"
#include "worker/client/client.h"

/* The ladder in the worker ends in some 250 ms. Beyond the grace the worker itself hangs. */
uint64_t remote_deadline_ns(const snug_host *host, uint64_t wall_ms)
{
    uint64_t grace_ms = host->remote->grace_ms;
    if (wall_ms >= SNUG_UNLIMITED - grace_ms)
        return UINT64_MAX;
    return clock_deadline_ns(clock_now_ns(), wall_ms + grace_ms);
}

uint64_t remote_due_ns(const snug_session *session, remote_question *q)
{
    if (!q->is_cell || q->is_hurried || q->deadline_ns == UINT64_MAX)
        return q->deadline_ns;

    const uint64_t untimed_ns = desk_untimed_ns(session->desk, clock_now_ns());
    q->deadline_ns = u64_sum(q->deadline_ns, untimed_ns - q->untimed_ns);
    q->untimed_ns = untimed_ns;
    return desk_is_untimed(session->desk) ? UINT64_MAX : q->deadline_ns;
}

uint64_t remote_look_ns(const snug_session *session, remote_question *q)
{
    const uint64_t due_ns = remote_due_ns(session, q);
    if (!q->is_cell || q->is_asked || due_ns == UINT64_MAX)
        return due_ns;
    return due_ns - session->host->remote->grace_ms / 2 * NS_PER_MS;
}

/* A worker that still stops a cell on a busy machine is not killed: each answer extends the
 * deadline by another grace period, this many times at most. */
enum { MOST_GRACES = 16 };

static void ask_for_stop(snug_session *session, remote_question *q)
{
    const remote *r = session->remote;
    if (clock_now_ns() < remote_look_ns(session, q) || q->is_asked || !q->is_cell)
        return;
    q->is_asked = 1;
    link_send(r->link, FRAME_PING, r->line.channel, r->line.number, NULL, q->deadline_ns);
}

static void wait_for_stop(const snug_session *session, remote_question *q)
{
    const uint64_t grace_ns = session->host->remote->grace_ms * NS_PER_MS;
    if (q->graces++ == MOST_GRACES)
        return;
    q->deadline_ns = clock_now_ns() + grace_ns;
    q->is_asked = 0;
}

/* ---- output ---- */

static void give_output(snug_session *session, unpacker *u)
{
    size_t len;
    snug_stream which = unpack_small(u, 1) ? SNUG_STREAM_STDERR : SNUG_STREAM_STDOUT;
    const char *text = unpack_utf8(u, &len);
    if (!u->is_bad && session->callbacks.on_output)
        session->callbacks.on_output(session->callbacks.payload, which, text, len);
}

static void take_display(snug_session *session, const remote_question *q, unpacker *u)
{
    uint64_t room = q->display_bytes;
    snug_display_event event = (snug_display_event)unpack_small(u, SNUG_DISPLAY_EVENT_CLEAR);
    display *d = NULL;
    snug_display shown = { 0 };

    if (event != SNUG_DISPLAY_EVENT_CLEAR)
        d = display_unpack(u, &room);
    if (!u->is_bad && session->callbacks.on_display &&
        (!d || result_describe(&shown, d) == SNUG_OK))
        session->callbacks.on_display(session->callbacks.payload, event, d ? &shown : NULL);

    free((void *)(uintptr_t)shown.parts);
    display_drop(d);
}

/* The worker holds further output back until it knows that this was taken. */
enum { TELL_BYTES = 256 * 1024 };

static void tell_taken(remote *r, size_t bytes, uint64_t deadline_ns)
{
    packer body = { 0 };

    r->taken += bytes;
    if (r->taken < TELL_BYTES)
        return;

    pack_number(&body, r->taken);
    r->taken = 0;
    if (!body.is_short)
        link_send(r->link, FRAME_TAKEN, r->line.channel, 0, &body.text, deadline_ns);
    str_free(&body.text);
}

/* ---- calls ---- */

/* A call that the worker's cell has made. The desk here has it until the host has answered; the
 * thread that waits for the cell passes the answer on. */
struct made_call {
    snug_call *call;
    uint64_t id; /* the worker's */
    int is_held; /* as the worker knows it */
    struct made_call *next;
};

static frame_answer name_answer(call_state how)
{
    if (how == CALL_OK)
        return FRAME_ANSWER_OK;
    if (how == CALL_NONE)
        return FRAME_ANSWER_NONE;
    if (how == CALL_TIMEOUT)
        return FRAME_ANSWER_TIMEOUT;
    return how == CALL_REFUSED ? FRAME_ANSWER_REFUSED : FRAME_ANSWER_ERROR;
}

/* The worker ends by itself what is cancelled or takes too long, unless that is said of it. */
static int is_answer(call_state how, const str *text)
{
    return how == CALL_OK || how == CALL_ERROR || how == CALL_NONE || how == CALL_REFUSED ||
           (how == CALL_TIMEOUT && text->len > 0);
}

static void send_answer(const remote *r, uint64_t id, frame_answer answer, const str *text,
                        uint64_t deadline_ns)
{
    packer body = { 0 };

    pack_number(&body, id);
    pack_number(&body, (uint64_t)answer);
    pack_bytes(&body, str_text(text), text->len);
    if (!body.is_short)
        link_send(r->link, FRAME_ANSWER, r->line.channel, 0, &body.text, deadline_ns);
    str_free(&body.text);
}

/* Whether it waits for an approval. */
static void tell_held(made_call *made, const remote *r, uint64_t deadline_ns)
{
    const str nothing = { 0 };
    const int is_held = call_is_held(made->call);
    if (is_held == made->is_held)
        return;
    made->is_held = is_held;
    send_answer(r, made->id, is_held ? FRAME_ANSWER_HELD : FRAME_ANSWER_GOES_ON, &nothing,
                deadline_ns);
}

static void pass_answer(made_call **at, const snug_session *session, uint64_t deadline_ns)
{
    made_call *made = *at;
    str text = { 0 };
    call_state how = call_take(&text, made->call);

    if (is_answer(how, &text))
        send_answer(session->remote, made->id, name_answer(how), &text, deadline_ns);
    str_free(&text);
    call_drop(made->call);
    *at = made->next;
    free(made);
}

static made_call **find_made(made_call **calls, uint64_t number)
{
    while (*calls && call_number((*calls)->call) != number)
        calls = &(*calls)->next;
    return calls;
}

/* Sends the answers of calls that are over, in the order of their ends, and drops these. */
static void pass_answers(made_call **calls, snug_session *session, uint64_t deadline_ns)
{
    uint64_t numbers[16];
    size_t count;

    session_tell_calls(session);
    while ((count = desk_tell(session->desk, numbers, 16)) > 0)
        for (size_t i = 0; i < count; i++) {
            made_call **at = find_made(calls, numbers[i]);
            if (*at)
                pass_answer(at, session, deadline_ns);
        }

    for (made_call *made = *calls; made; made = made->next)
        tell_held(made, session->remote, deadline_ns);
}

static void drop_calls(made_call *calls)
{
    while (calls) {
        made_call *made = calls;
        calls = made->next;
        call_drop(made->call);
        free(made);
    }
}

/* Output comes in order with calls. The worker's clock stands still for one that is held before
 * somebody is asked, who may take his time on this thread. */
static void tell_holds(snug_session *session)
{
    const remote *r = session->remote;
    for (made_call *made = r->question ? r->question->calls : NULL; made; made = made->next)
        tell_held(made, r, r->question->deadline_ns);
}

/* Whether it is what the header promises the host of a call, within a cell's limits. */
static int is_call(const snug_session *session, const remote_question *q, const desk_tool *tool,
                   const char *name, const str *text)
{
    size_t fault;
    const char *json = str_text(text);
    if (!q->is_cell || text->len > SNUG_TOOL_BYTES)
        return 0;
    if (!name)
        return session->callbacks.on_input && strlen(json) == text->len;
    return tool && *json == '{' && !jsontext_check(json, text->len, &fault);
}

static void take_call(made_call **calls, snug_session *session, const remote_question *q,
                      unpacker *u)
{
    str text = { 0 };
    uint64_t id = unpack_number(u);
    const char *name = unpack_text(u);
    const desk_tool *tool = NULL;
    made_call *made = NULL;
    const int is_hidden = name && !*name;

    if (is_hidden)
        name = NULL;
    if (name)
        tool = desk_tool_named(session->desk, name);
    unpack_str(u, &text);
    u->is_bad |= !unpack_ended(u) || !is_call(session, q, tool, name, &text);
    if (!u->is_bad)
        made = calloc(1, sizeof *made);
    if (!made) {
        str_free(&text);
        return;
    }

    made->id = id;
    if (call_prepare(&made->call, session->desk, tool, &text) != DESK_FINE) {
        const str why = { 0 };
        free(made);
        send_answer(session->remote, id, FRAME_ANSWER_ERROR, &why, q->deadline_ns);
        return;
    }

    if (is_hidden)
        call_hide_answer(made->call);
    made->next = *calls;
    *calls = made;

    /* The limit is the worker's to deny, and ours to keep. */
    u->is_bad |= call_make(made->call, 1) != DESK_FINE;
    session_make_calls(session, DESK_NEW, tell_holds);
}

/* It may be over by now, and not be there. */
static void give_up_call(const made_call *calls, unpacker *u)
{
    const uint64_t id = unpack_number(u);
    const int is_late = (int)unpack_small(u, 1);

    u->is_bad |= !unpack_ended(u);
    for (; calls && !u->is_bad; calls = calls->next)
        if (calls->id == id)
            call_give_up(calls->call, is_late ? CALL_TIMEOUT : CALL_CANCELLED);
}

static void nudge_line(void *payload)
{
    remote *r = payload;
    link_nudge(r->link, &r->line);
}

/* ---- the question ---- */

/* Takes one message. 1: it is the reply. */
static int take_frame(snug_session *session, remote_question *q, made_call **calls, frame *f)
{
    unpacker u = { str_text(&f->body), f->body.len, 0 };

    if (f->kind == FRAME_OUTPUT) {
        give_output(session, &u);
    } else if (f->kind == FRAME_DISPLAY) {
        take_display(session, q, &u);
    } else if (f->kind == FRAME_CALL) {
        take_call(calls, session, q, &u);
    } else if (f->kind == FRAME_GAVE_UP) {
        give_up_call(*calls, &u);
    } else if (f->kind == FRAME_PONG) {
        wait_for_stop(session, q);
    } else {
        q->reply = *f;
        q->answer = u;
        return 1;
    }

    if (u.is_bad)
        link_kill(session->remote->link, LINK_LIED);
    if (f->kind == FRAME_OUTPUT || f->kind == FRAME_DISPLAY)
        tell_taken(session->remote, f->body.len, q->deadline_ns);
    frame_free(f);
    return 0;
}

/* The request that was made last was interrupted for what it has written. */
static int has_filled_disk(remote *r)
{
    return atomic_load(&r->full) == r->line.number;
}

static remote_interrupt how_interrupted(remote *r)
{
    return has_filled_disk(r) ? INTERRUPTED : (remote_interrupt)atomic_load(&r->interrupted);
}

int remote_send_interrupt(remote *r, uint32_t number, remote_interrupt how, uint64_t deadline_ns)
{
    packer body = { 0 };

    pack_number(&body, how == INTERRUPTED_GENTLY);
    int error = body.is_short || link_send(r->link, FRAME_INTERRUPT, r->line.channel, number,
                                           &body.text, deadline_ns);
    str_free(&body.text);
    return error;
}

/* A cell that was interrupted is not waited for as long as others. */
static void shorten_wait(const snug_session *session, remote_question *q, int *is_hurried)
{
    uint64_t soon_ns = remote_deadline_ns(session->host, 0);
    *is_hurried = 1;
    if (q->deadline_ns > soon_ns)
        q->deadline_ns = soon_ns;
    q->is_asked = 0;
}

/* How late a worker may send more than its reply. */
#define MOST_LATE_NS NS_PER_S

/* What the caller's own functions take does not count as the worker's time. */
static int take_in_time(snug_session *session, remote_question *q, made_call **calls, frame *f)
{
    remote_due_ns(session, q);
    uint64_t before_ns = clock_now_ns();

    if (take_frame(session, q, calls, f))
        return 1;
    if (q->deadline_ns == UINT64_MAX)
        return 0;

    if (before_ns > q->deadline_ns && before_ns - q->deadline_ns > MOST_LATE_NS)
        link_kill(session->remote->link, LINK_LATE);

    const uint64_t now_ns = clock_now_ns();
    q->deadline_ns += now_ns - before_ns;
    q->untimed_ns = desk_untimed_ns(session->desk, now_ns); /* a part of that */
    return 0;
}

/* Those that were approved; what the tools take here is not the worker's time either. 1: none was,
 * because the worker has sent something before that was not looked at yet: the cell may not want
 * them any more, or be over. */
static int make_approved(snug_session *session, remote_question *q)
{
    const remote *r = session->remote;
    if (q->has_reply || !desk_has_approved(session->desk))
        return 0;
    link_attend(r->link);
    if (link_has_read(r->link, &r->line))
        return 1;
    if (link_state(r->link) != LINK_LIVES)
        return 0;

    remote_due_ns(session, q);
    const uint64_t before_ns = clock_now_ns();
    session_make_calls(session, DESK_ALL, tell_holds);
    if (q->deadline_ns == UINT64_MAX)
        return 0;

    const uint64_t now_ns = clock_now_ns();
    q->deadline_ns = u64_sum(q->deadline_ns, now_ns - before_ns);
    q->untimed_ns = desk_untimed_ns(session->desk, now_ns);
    return 0;
}

/* Takes what comes until the reply, or until until_ns. 1: it is over. */
static int wait_for_reply(snug_session *session, remote_question *q, uint64_t until_ns)
{
    remote *r = session->remote;
    frame f;
    int error, has_more;

    do {
        ask_for_stop(session, q);
        uint64_t wake_ns = u64_least(until_ns, desk_deadline_ns(session->desk));
        wake_ns = u64_least(wake_ns, remote_look_ns(session, q));
        error = link_wait(r->link, &r->line, &f, remote_due_ns(session, q), wake_ns);
        if (error == SNUG_OK)
            q->has_reply = take_in_time(session, q, &q->calls, &f);
        if (q->is_cell && !q->is_hurried && how_interrupted(r) == INTERRUPTED)
            shorten_wait(session, q, &q->is_hurried);
        has_more = make_approved(session, q);
        remote_due_ns(session, q); /* an answer has time of its own */
        pass_answers(&q->calls, session, q->deadline_ns);
        if (error == SNUG_EDEAD || q->has_reply)
            return 1;
    } while (error == SNUG_OK || has_more || clock_now_ns() < until_ns);

    return 0;
}

/* The worker's error becomes ours. */
static int take_error(worker_link *l, remote_question *q)
{
    int64_t error = -(int64_t)unpack_small(&q->answer, -SNUG_EAGAIN);
    const char *message = unpack_name(&q->answer);

    if (q->answer.is_bad || q->reply.kind != FRAME_REPLY) {
        frame_free(&q->reply);
        link_kill(l, LINK_LIED);
        return SNUG_EDEAD;
    }

    if (!error)
        return SNUG_OK;
    error_set((int)error, "%s", message);
    frame_free(&q->reply);
    return (int)error;
}

/* Whether nothing is kept in a worker that has lost the session: files outlive it, or no reset gets
 * at them. What a bash session's worker runs are other processes. */
int remote_ends_with(const snug_session *session)
{
    return session->kind == SNUG_KIND_FULL ||
           (session->kind == SNUG_KIND_RESTRICTED && !session->host->remote->command);
}

void remote_gave_up(snug_session *session)
{
    session->is_lost = 1;
    if (remote_ends_with(session))
        link_lose(session->remote->link, &session->remote->line);
}

int remote_begin(snug_session *session, remote_question *q)
{
    remote *r = session->remote;

    if (q->body.is_short) {
        str_free(&q->body.text);
        return error_no_memory();
    }

    uint32_t number = r->line.number + 1;
    desk_set_wake(session->desk, nudge_line, r);
    r->question = q;
    desk_begin(session->desk, q->most_calls, q->input_ms);
    q->untimed_ns = desk_untimed_ns(session->desk, clock_now_ns());
    atomic_store(&r->interrupted, NOT_INTERRUPTED);
    atomic_store(&r->running, number);
    q->is_lost =
        link_ask(r->link, &r->line, q->kind, &q->body.text, q->most_bytes, q->deadline_ns) != 0;
    str_free(&q->body.text);

    /* One that overtook the request was not understood. */
    const remote_interrupt how = how_interrupted(r);
    if (!q->is_lost && how != NOT_INTERRUPTED)
        q->is_lost = remote_send_interrupt(r, number, how, q->deadline_ns) != 0;
    return SNUG_OK;
}

int remote_attend(snug_session *session, remote_question *q, uint64_t until_ns)
{
    return q->is_lost || q->has_reply || wait_for_reply(session, q, until_ns);
}

int remote_end(snug_session *session, remote_question *q)
{
    remote *r = session->remote;
    int error = q->has_reply ? SNUG_OK : SNUG_EDEAD;

    desk_end(session->desk);
    session_tell_calls(session);
    drop_calls(q->calls);
    q->calls = NULL;
    r->question = NULL;
    atomic_store(&r->running, 0);
    desk_set_wake(session->desk, NULL, NULL);
    if (!error) {
        error = take_error(r->link, q);
        if (error != SNUG_EDEAD)
            return error;
    }

    if (error == SNUG_EDEAD && link_state(r->link) == LINK_LIVES) {
        remote_gave_up(session); /* the session, and not its worker */
        return error;
    }

    return remote_lost(session);
}

int remote_ask(snug_session *session, remote_question *q)
{
    int error = remote_begin(session, q);
    if (error)
        return error;

    while (!remote_attend(session, q, UINT64_MAX))
        ;
    return remote_end(session, q);
}

enum { LOOK_MS = 50 };

/* The caller may not want to wait any more. */
static int wait_for_host(worker_link *l, link_line *line, remote_question *q)
{
    const remote_host *r = q->waiting;
    int error;

    if (!r || !r->is_stopped)
        return link_wait(l, line, &q->reply, q->deadline_ns, UINT64_MAX);

    do {
        if (r->is_stopped(r->payload))
            return error_set(SNUG_ESTOPPED, "it was stopped before it was ready");
        error = link_wait(l, line, &q->reply, q->deadline_ns,
                          clock_deadline_ns(clock_now_ns(), LOOK_MS));
    } while (error != SNUG_OK && error != SNUG_EDEAD);

    return error;
}

int remote_ask_host(worker_link *l, uint32_t channel, remote_question *q)
{
    link_line line = { .channel = channel };
    int error;

    if (q->body.is_short)
        error = error_no_memory();
    else
        error = link_add(l, &line);

    if (error) {
        str_free(&q->body.text);
        return error;
    }

    error = link_ask(l, &line, q->kind, &q->body.text, q->most_bytes, q->deadline_ns);
    str_free(&q->body.text);
    if (!error)
        error = wait_for_host(l, &line, q);
    if (!error) {
        q->answer = (unpacker){ str_text(&q->reply.body), q->reply.body.len, 0 };
        error = take_error(l, q);
    }

    link_remove(l, &line);
    return error;
}

void remote_answered(remote_question *q)
{
    frame_free(&q->reply);
}

int remote_checked(snug_session *session, remote_question *q, int error)
{
    int is_bad = error == SNUG_EINVAL || !unpack_ended(&q->answer);

    remote_answered(q);
    if (is_bad) {
        link_kill(session->remote->link, LINK_LIED);
        return remote_lost(session);
    }

    if (error)
        return error_no_memory();
    return SNUG_OK;
}

/* ---- a lost worker ---- */

int remote_lost(snug_session *session)
{
    str why = { 0 };
    session->is_lost = 1;
    link_explain(session->remote->link, &why);
    error_set(SNUG_EDEAD, "session %s is lost: %s", session->name, str_text(&why));
    str_free(&why);
    return SNUG_EDEAD;
}

typedef enum lost_how {
    LOST_FULL,
    LOST_INTERRUPTED,
    LOST_LATE,
    LOST_MEMORY,
    LOST_CRASHED
} lost_how;

static const struct {
    snug_status status;
    const char *category, *error_class, *error_name;
} lost_rows[] = {
    [LOST_FULL] = { SNUG_STATUS_ERROR, "io", "environment", "DiskLimit" },
    [LOST_INTERRUPTED] = { SNUG_STATUS_INTERRUPTED, "runtime", "runtime", "KeyboardInterrupt" },
    [LOST_LATE] = { SNUG_STATUS_TIMEOUT, "timeout", "environment", "TimeoutError" },
    [LOST_MEMORY] = { SNUG_STATUS_MEMORY, "memory", "environment", "MemoryError" },
    [LOST_CRASHED] = { SNUG_STATUS_CRASHED, "internal", "runtime", "SystemError" },
};

static lost_how how_lost(remote *r)
{
    link_end end = link_state(r->link);
    if (end == LINK_FULL || has_filled_disk(r))
        return LOST_FULL;

    if (how_interrupted(r) == INTERRUPTED)
        return LOST_INTERRUPTED;
    if (end == LINK_LATE)
        return LOST_LATE;
    if (link_ran_out(r->link))
        return LOST_MEMORY;
    return LOST_CRASHED;
}

static int tell_outcome(outcome *o, snug_session *session, uint64_t wall_ms)
{
    str why = { 0 };
    lost_how how = how_lost(session->remote);

    o->status = lost_rows[how].status;
    o->category = lost_rows[how].category;
    o->error_class = lost_rows[how].error_class;

    int failed = str_add(&o->error_name, lost_rows[how].error_name);
    if (!failed && how == LOST_LATE)
        failed = str_printf(&o->error_value, "the cell took longer than %llu ms, and ",
                            (unsigned long long)wall_ms);

    link_explain(session->remote->link, &why);
    if (!failed)
        failed =
            str_add(&o->error_value, str_text(&why)) ||
            str_add(&o->hint, how == LOST_INTERRUPTED ? outcome_stopped_hint : outcome_lost_hint);
    if (!failed)
        failed = str_printf(&o->traceback, "%s: %s\n", str_text(&o->error_name),
                            str_text(&o->error_value));

    str_free(&why);
    if (failed)
        return error_no_memory();
    return SNUG_OK;
}

enum { RUNG_KILLED = 4 };

int remote_lost_result(snug_result **out, snug_session *session, uint64_t wall_ms,
                       uint64_t started_ns, int is_aside)
{
    snug_result *result = result_new(session->name);
    if (!result)
        return error_no_memory();

    int error = tell_outcome(&result->outcome, session, wall_ms);
    if (!error && desk_take_ledger(&result->tool_calls, &result->tool_call_count, session->desk))
        error = error_no_memory();
    if (error) {
        snug_result_free(result);
        return error;
    }

    result->state = SNUG_STATE_LOST;
    if (!is_aside)
        result->execution_count = ++session->cells;
    result->wall_ns = clock_now_ns() - started_ns;
    result->rung = result->outcome.status == SNUG_STATUS_CRASHED ? 0 : RUNG_KILLED;
    *out = result;
    return SNUG_OK;
}
