#include "session/core/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "session/core/full.h"
#include "session/core/host_calls.h"
#include "session/core/inline.h"
#include "session/core/park.h"
#include "session/core/session.h"
#include "session/core/stop.h"
#include "session/result/encode_display.h"
#include "session/result/result.h"

/* On the session's thread. Answers nonzero when the thread shall end: there is no
 * interpreter left to serve. */
static int run(void *arg)
{
    snug_session *session = arg;
    session_job *job = &session->job;

    /* On the caller's own thread the job has just been asked for: to read the clock again would
     * show in the time of a small cell. */
    stop_begin_cpu(&session->stop, session->is_inline ? job->asked_ns : clock_now_ns());
    job->fn(session);
    if (job->wall_ms > 0)
        stop_disarm(session);
    if (session->is_parked)
        return 1;

    if (session->interp && job->error != SNUG_EDEAD)
        interp_rest(session->interp);

    /* The message is of this thread; the caller wants it. */
    if (job->error)
        snprintf(job->message, sizeof job->message, "%s", error_message());
    if (session->guard.was_holding)
        atomic_fetch_add(&session->host->torn, 1);
    return job->error == SNUG_EDEAD;
}

static void pass_output(void *payload, capture_stream which, const char *text, size_t len)
{
    snug_session *session = payload;
    session->on_output(session->payload,
                       which == CAPTURE_STDOUT ? SNUG_STREAM_STDOUT : SNUG_STREAM_STDERR, text,
                       len);
}

static void pass_display(void *payload, capture_event event, const display *d)
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

    session->on_display(session->payload, events[event], d ? &shown : NULL);
    free((void *)(uintptr_t)shown.parts);
}

static void drain(snug_session *session)
{
    if (!session->on_output && !session->on_display)
        return;
    const capture_listener listener = { session->on_output ? pass_output : NULL,
                                        session->on_display ? pass_display : NULL, session };
    if (capture_drain(&session->output, &listener))
        desk_wake(session->desk); /* the cell waits for it to be taken */
}

static void look(void *payload)
{
    snug_session *session = payload;
    drain(session);
    session_make_calls(session, drain);
}

static int has_callbacks(const snug_session *session)
{
    return session->on_output || session->on_display || session->on_input ||
           desk_tool_at(session->desk, 0);
}

static void lose(snug_session *session)
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
static int run_here(snug_session *session)
{
    inline_enter(session);
    run(session);
    inline_leave();
    drain(session);
    return 1;
}

static int wake(snug_session *session)
{
    atomic_store(&session->is_waking, 1);
    int error = park_wake(session);
    if (!error)
        return SNUG_OK;
    atomic_store(&session->is_waking, 0);
    return error_set(error, "session %s could not be woken: %s", session->name, error_message());
}

int session_run_job(snug_session *session)
{
    session_job *job = &session->job;
    const int is_woken = session->is_parked;
    int error = is_woken ? wake(session) : SNUG_OK;
    if (error)
        return error;

    job->error = SNUG_OK;
    job->asked_ns = clock_now_ns();
    if (session->kind == SNUG_KIND_FULL)
        full_limit_job(session);
    if (job->wall_ms > 0)
        stop_arm(session, job->asked_ns);
    if (is_woken && atomic_exchange(&session->is_waking, 0) == 2)
        local_interrupt(session);
    int has_ended = session->is_inline ? run_here(session)
                                       : mailbox_run(&session->mailbox, run, session,
                                                     has_callbacks(session) ? look : NULL, session);
    if (session->kind == SNUG_KIND_FULL)
        full_limit_rest(session);
    if (!has_ended) {
        lose(session);
        return error_set(SNUG_EDEAD, "session %s did not come back in time", session->name);
    }

    if (job->error == SNUG_EDEAD && session->interp)
        lose(session);
    else if (job->error == SNUG_EDEAD) {
        session->is_lost = 1;
        park_forget(session);
    }

    return job->error ? error_set(job->error, "%s", job->message) : SNUG_OK;
}
