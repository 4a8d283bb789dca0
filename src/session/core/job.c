#include "session/core/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/u64.h"
#include "session/core/full.h"
#include "session/core/host_calls.h"
#include "session/core/inline.h"
#include "session/core/mailbox.h"
#include "session/core/park.h"
#include "session/core/session.h"
#include "session/core/session_thread.h"
#include "session/core/stop.h"
#include "session/result/encode_display.h"
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
int session_await_thread(snug_session *session)
{
    mailbox *m = &session->thread.mailbox;

    if (!session->job.is_left)
        return SNUG_OK;

    switch (mailbox_await_return(m, u64_sum(clock_now_ns(), session->host->patience_ns))) {
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
    int error = session_await_thread(session);
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
