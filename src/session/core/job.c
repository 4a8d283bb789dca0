#include "session/core/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
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
    session_make_calls(session, hand_on);
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
static int run_on_caller(snug_session *session)
{
    inline_enter(session);
    session_do_job(session);
    inline_leave(session);
    hand_on(session);
    return 1;
}

static int run_on_thread(snug_session *session)
{
    if (!has_callbacks(session))
        return mailbox_run(&session->thread.mailbox, NULL, NULL);
    return mailbox_run(&session->thread.mailbox, attend_cell, session);
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

int session_run_job(snug_session *session, job_fn fn, void *arg, const job_limits *limits)
{
    session_job *job = &session->job;
    const int is_woken = session->park.is_parked;
    if (is_woken) {
        int error = wake_session(session);
        if (error)
            return error;
    }

    job->fn = fn;
    job->arg = arg;
    job->limits = *limits;
    job->error = SNUG_OK;
    job->asked_ns = clock_now_ns();
    if (session->kind == SNUG_KIND_FULL)
        full_limit_job(session);
    if (job->limits.wall_ms > 0)
        stop_arm(session, job->asked_ns);
    if (is_woken && atomic_exchange(&session->park.is_waking, 0) == 2)
        local_interrupt(session);

    int has_ended = session->thread.is_inline ? run_on_caller(session) : run_on_thread(session);
    session_tell_calls(session); /* those that the end of the cell has ended */
    if (session->kind == SNUG_KIND_FULL)
        full_limit_rest(session);

    job->is_abandoned = !has_ended;
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

job_limits session_step_limits(const snug_session *session)
{
    return (job_limits){ session->limits.wall_ms, session->limits.cpu_ms, SNUG_UNLIMITED };
}

int session_keeps_arg(snug_session *session, void *arg, void (*free_arg)(void *arg))
{
    session_job *job = &session->job;

    if (!job->is_abandoned)
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
