#include "session/core/job.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/floats.h"
#include "base/u64.h"
#include "session/core/full.h"
#include "session/core/host.h"
#include "session/core/mailbox.h"
#include "session/core/session.h"
#include "session/core/stop.h"
#include "session/result/result.h"

static void hand_output(void *payload, capture_stream which, const char *text, size_t len)
{
    snug_session *session = payload;
    snug_stream to = which == CAPTURE_STDOUT ? SNUG_STREAM_STDOUT : SNUG_STREAM_STDERR;

    session_tell_calls(session); /* of those that were over before it */
    session->callbacks.on_output(session->callbacks.payload, to, text, len);
}

static void hand_display(void *payload, capture_event event, const display *d)
{
    static const snug_display_event events[] = {
        [CAPTURE_SHOW] = SNUG_DISPLAY_EVENT_SHOW,
        [CAPTURE_UPDATE] = SNUG_DISPLAY_EVENT_UPDATE,
        [CAPTURE_CLEAR] = SNUG_DISPLAY_EVENT_CLEAR,
    };
    snug_session *session = payload;
    snug_display shown = { 0 };
    if (d && result_describe(&shown, d) != SNUG_OK)
        return;

    session_tell_calls(session);
    session->callbacks.on_display(session->callbacks.payload, events[event], d ? &shown : NULL);
    free((void *)(uintptr_t)shown.parts);
}

static void hand_on(snug_session *session)
{
    if (!session->callbacks.on_output && !session->callbacks.on_display)
        return;

    capture_listener listener = { .payload = session };
    if (session->callbacks.on_output)
        listener.on_text = hand_output;
    if (session->callbacks.on_display)
        listener.on_display = hand_display;

    if (capture_drain(&session->output, &listener))
        desk_wake(session->desk); /* the cell waits for it to be taken */
}

static void attend_cell(void *payload)
{
    snug_session *session = payload;
    session_tell_calls(session);
    hand_on(session);
    session_make_calls(session, DESK_ALL, hand_on);
}

static int has_callbacks(const snug_session *session)
{
    return session->callbacks.on_output || session->callbacks.on_display ||
           session->callbacks.on_input || desk_tool_at(session->desk, 0);
}

static void lose_session(snug_session *session)
{
    session->is_lost = 1;
    park_forget(session);
    if (session->kind != SNUG_KIND_FULL)
        return;
    pthread_mutex_lock(&session->host->lock);
    session->host->is_full_lost = 1;
    pthread_mutex_unlock(&session->host->lock);
}

/* What was printed is passed on at the end: the guest's code and the caller's share the stack. */
static void run_on_caller(snug_session *session)
{
    inline_enter(session);
    session_do_job(session);
    inline_leave(session);
    hand_on(session);
}

static int wake_session(snug_session *session)
{
    atomic_store(&session->park.is_waking, 1);
    int error = park_wake(session);
    if (!error)
        return SNUG_OK;
    atomic_store(&session->park.is_waking, 0);
    return error_set(error, "session %s could not be woken: %s", session->name, error_message());
}

/* ---- a job that was left ---- */

/* Its thread is back, and nobody has asked what came of it. */
static void settle_left(snug_session *session)
{
    session_job *job = &session->job;

    if (job->is_left && job->settle)
        job->settle(session);
    job->is_left = 0;
    session_free_left(session);
    if (job->error == SNUG_EDEAD)
        lose_session(session);
}

/* To read the clock where nothing was left would show in the time of a small cell. */
int session_await_thread(snug_session *session, uint64_t patience_ns)
{
    mailbox *m = &session->thread.mailbox;

    if (!session->job.is_left)
        return SNUG_OK;

    switch (mailbox_await_return(m, u64_sum(clock_now_ns(), patience_ns))) {
    case MAILBOX_LEFT:
        return error_set(SNUG_ETIMEOUT,
                         "session %s waits %s, in a call that was answered without it",
                         session->name, session->stop.awaited);
    case MAILBOX_GIVEN_UP:
        session->job.is_abandoned = 1;
        session->job.is_left = 0;
        lose_session(session);
        return error_set(SNUG_EDEAD, "session %s did not come back in time", session->name);
    case MAILBOX_PENDING:
    case MAILBOX_DONE:
        settle_left(session);
    }

    if (session->is_lost || !session->interp)
        return error_set(SNUG_EDEAD, "session %s was lost in an earlier call: reset it or close it",
                         session->name);
    return SNUG_OK;
}

int session_is_left(const snug_session *session)
{
    return session->job.is_left;
}

/* ---- a job's way ---- */

int session_post_job(snug_session *session, job_fn fn, void *arg, const job_limits *limits)
{
    session_job *job = &session->job;
    int error = session_await_thread(session, session->host->patience_ns);
    if (error)
        return error;

    const int is_woken = session->park.is_parked;
    if (is_woken && (error = wake_session(session)))
        return error;

    job->fn = fn;
    job->arg = arg;
    job->limits = *limits;
    job->settle = NULL;
    job->error = SNUG_OK;
    job->is_over = 0;
    job->asked_ns = clock_now_ns();
    if (session->kind == SNUG_KIND_FULL)
        full_limit_job(session);
    if (job->limits.wall_ms > 0)
        stop_arm(session, job->asked_ns);
    else if (!session->thread.is_inline)
        stop_arm_wait(session, job->asked_ns);
    if (is_woken && atomic_exchange(&session->park.is_waking, 0) == 2)
        local_interrupt(session);

    if (!session->thread.is_inline)
        mailbox_post(&session->thread.mailbox);
    return SNUG_OK;
}

int session_attend_job(snug_session *session, uint64_t until_ns)
{
    session_job *job = &session->job;
    void (*attend)(void *payload) = has_callbacks(session) ? attend_cell : NULL;

    if (job->is_over)
        return 1;

    job->end = MAILBOX_DONE;
    if (session->thread.is_inline)
        run_on_caller(session);
    else
        job->end = mailbox_attend(&session->thread.mailbox, attend, session, until_ns);
    job->is_over = job->end != MAILBOX_PENDING;
    return job->is_over;
}

/* What comes of the job that was left is nobody's: the session is as it was, as soon as its thread
 * is back. */
static int tell_left(snug_session *session)
{
    session->job.is_left = 1;
    return error_set(SNUG_ETIMEOUT, "session %s waited for %llu ms %s", session->name,
                     (unsigned long long)((clock_now_ns() - session->job.asked_ns) / NS_PER_MS),
                     session->stop.awaited);
}

int session_end_job(snug_session *session)
{
    session_job *job = &session->job;

    session_tell_calls(session); /* those that the end of the cell has ended */
    if (session->kind == SNUG_KIND_FULL)
        full_limit_rest(session);
    if (job->end == MAILBOX_LEFT)
        return tell_left(session);

    job->is_abandoned = job->end == MAILBOX_GIVEN_UP;
    if (job->is_abandoned) {
        lose_session(session);
        return error_set(SNUG_EDEAD, "session %s did not come back in time", session->name);
    }

    if (job->error == SNUG_OK)
        return SNUG_OK;
    if (job->error == SNUG_EDEAD && session->interp) {
        lose_session(session);
    } else if (job->error == SNUG_EDEAD) {
        session->is_lost = 1;
        park_forget(session);
    }

    return error_set(job->error, "%s", job->message);
}

int session_run_job(snug_session *session, job_fn fn, void *arg, const job_limits *limits)
{
    int error = session_post_job(session, fn, arg, limits);
    if (error)
        return error;

    while (!session_attend_job(session, UINT64_MAX))
        ;
    return session_end_job(session);
}

job_limits session_step_limits(const snug_session *session)
{
    return (job_limits){ session->limits.wall_ms, session->limits.cpu_ms, SNUG_UNLIMITED };
}

int session_keeps_arg(snug_session *session, void *arg, void (*free_arg)(void *arg))
{
    session_job *job = &session->job;

    if (job->arg != arg || (!job->is_abandoned && !job->is_left))
        return 0;
    job->left = arg;
    job->free_left = free_arg;
    return 1;
}

void session_free_left(snug_session *session)
{
    session_job *job = &session->job;

    if (job->left)
        job->free_left(job->left);
    job->left = NULL;
}

/* ---- its jobs ---- */

int session_do_job(snug_session *session)
{
    session_job *job = &session->job;

    /* On the caller's own thread the job has just been asked for: to read the clock again would
     * show in the time of a small cell. */
    stop_begin_cpu(&session->stop, session->thread.is_inline ? job->asked_ns : clock_now_ns());
    job->error = job->fn(session, job->arg);
    const int wants_rest =
        session->interp && job->error != SNUG_EDEAD && !session->park.is_parked &&
        interp_stop_reason(session->interp) != STOP_NONE && !session->thread.is_inline;
    if (wants_rest)
        stop_settle(session); /* the rest takes the GIL */
    else if (job->limits.wall_ms > 0 || !session->thread.is_inline)
        stop_disarm(session);
    if (session->park.is_parked)
        return 1;

    if (session->interp && job->error != SNUG_EDEAD)
        interp_rest(session->interp);
    if (wants_rest)
        stop_disarm(session);

    /* The message is of this thread; the caller wants it. */
    if (job->error)
        snprintf(job->message, sizeof job->message, "%s", error_message());
    if (session->thread.guard.was_holding)
        atomic_fetch_add(&session->host->torn, 1);
    return job->error == SNUG_EDEAD;
}

static int do_job(void *session)
{
    return session_do_job(session);
}

static void *serve_jobs(void *arg)
{
    snug_session *session = arg;
    char *stack_low = thread_stack_low(&session->thread.handle);
    size_t bytes = (size_t)((char *)session->thread.handle.stack +
                            session->thread.handle.stack_bytes - stack_low);

    floats_reset();
    session->thread.tid = (pid_t)syscall(SYS_gettid);
    pthread_getcpuclockid(pthread_self(), &session->stop.cpu_clock);
    session->stop.read_ns = 0;
    int wants_guard = guard_is_installed();
    int is_guarded = wants_guard && guard_attach(&session->thread.guard, stack_low, bytes) == 0;
    session->thread.lacks_guard = wants_guard && !is_guarded;
    if (mailbox_serve(&session->thread.mailbox, do_job, session))
        atomic_fetch_sub(&session->host->hung, 1);
    int is_torn = session->interp && !session->park.is_parked;
    atomic_store(&session->thread.has_ended, 1); /* who sees it joins first */
    if (is_guarded && is_torn)
        guard_vanish(&session->thread.guard);
    if (is_guarded)
        guard_detach(&session->thread.guard);
    return NULL;
}

/* ---- its start ---- */

static const char thread_name[] = "snug session";

/* Twice the memory limit, so that a deep recursion in C meets that first. Only
 * what is touched is committed. */
static size_t session_stack_bytes(const snug_session *session)
{
    uint64_t wanted = session->limits.memory_bytes;
    return wanted < INTERP_MOST_STACK_BYTES / 2 ? (size_t)wanted * 2 : INTERP_MOST_STACK_BYTES;
}

int session_start_thread(snug_session *session)
{
    const mailbox before = session->thread.mailbox;
    session->thread.mailbox =
        (mailbox){ .rings = before.rings, .ring = before.ring, .bell = before.bell };
    session->thread.guard = (guard){ .owner = session, .disk = &session->files.disk };
    interp_set_guard(&session->thread.guard);
    atomic_store(&session->thread.has_ended, 0);
    session->thread.is_sealed = 0;
    session->thread.lacks_guard = 0;
    if (session->thread.is_inline)
        return inline_begin(session);

    if (session->park.is_parked)
        return thread_again(&session->thread.handle, thread_name, serve_jobs, session);
    return thread_start(&session->thread.handle, thread_name, session_stack_bytes(session),
                        serve_jobs, session);
}

int inline_begin(snug_session *session)
{
    session->thread.owner = pthread_self();
    session->thread.tid = (pid_t)syscall(SYS_gettid);
    pthread_getcpuclockid(session->thread.owner, &session->stop.cpu_clock);
    session->stop.read_ns = 0;
    if (!guard_is_installed())
        return SNUG_OK;
    return guard_join_thread(&session->thread.guard);
}

/* Without a guard, a fault at the end ends the process. */
void inline_take_over(snug_session *session)
{
    if (!pthread_equal(session->thread.owner, pthread_self()) && inline_begin(session) != SNUG_OK)
        session->thread.guard.tid = 0;
}

void inline_end(snug_session *session)
{
    if (session->thread.guard.tid)
        guard_leave_thread();
    session->thread.guard.tid = 0;
}

void inline_enter(snug_session *session)
{
    floats_begin(&session->thread.callers);
    if (session->interp)
        interp_switch(session->interp);
    if (session->thread.guard.tid)
        guard_enter(&session->thread.guard);
}

void inline_leave(snug_session *session)
{
    guard_exit();
    interp_switch(NULL);
    floats_end(&session->thread.callers);
}

static void wake_interp(void *payload)
{
    interp_wake(payload);
}

int session_bind_all(snug_session *session)
{
    desk_tool *tool;
    int error = SNUG_OK;
    desk_set_wake(session->desk, wake_interp, session->interp);
    for (size_t i = 0; !error && (tool = desk_tool_at(session->desk, i)); i++)
        error = interp_bind(session->interp, tool);
    return error;
}

static void refuse_call(snug_call *call, const char *why)
{
    str text = { 0 };
    str_printf(&text, "%s() is not allowed: %s", call_name(call), why);
    call_answer(call, CALL_REFUSED, str_text(&text), text.len);
    str_free(&text);
}

/* Or does not, as the rules say. */
static void call_tool_of(snug_session *session, const desk_tool *tool, snug_call *call,
                         void (*drain)(snug_session *session))
{
    const session_callbacks *callbacks = &session->callbacks;

    if (call_replay(call))
        return;
    switch (call_decide(call)) {
    case SNUG_TOOL_DECISION_ALLOW:
        tool->fn(tool->payload, call, call_text(call));
        break;
    case SNUG_TOOL_DECISION_ASK:
        if (callbacks->on_approval) {
            call_hold(call);
            drain(session); /* who is asked may keep this thread */
            callbacks->on_approval(callbacks->payload, call);
        } else {
            refuse_call(call, "the session asks about its calls, and nobody answers");
        }
        break;
    case SNUG_TOOL_DECISION_DENY:
        refuse_call(call, "a rule of the session denies it");
        break;
    }
}

void session_make_calls(snug_session *session, desk_line which,
                        void (*drain)(snug_session *session))
{
    snug_call *call;

    while ((call = desk_take(session->desk, which))) {
        const desk_tool *tool = call_tool(call);
        session_tell_calls(session);
        drain(session); /* what was printed before it */
        if (tool)
            call_tool_of(session, tool, call, drain);
        else
            session->callbacks.on_input(session->callbacks.payload, call, call_text(call));
        session_tell_calls(session);
    }
}

void session_tell_calls(snug_session *session)
{
    const session_callbacks *callbacks = &session->callbacks;
    snug_tool_call call;

    desk_go_on(session->desk);
    while (callbacks->on_tool_call && desk_take_over(&call, session->desk))
        callbacks->on_tool_call(callbacks->payload, &call);
}
