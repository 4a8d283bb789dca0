/*
 * job.c - runs something on a session's thread, under its deadline.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "session/session.h"
#include "session/stop.h"

int session_claim(snug_session *session, const char *what)
{
    int idle = 0;
    if (!session)
        return error_set(SNUG_EINVAL, "%s: session is NULL", what);
    if (!atomic_compare_exchange_strong(&session->is_busy, &idle, 1))
        return error_set(SNUG_EBUSY, "%s: session %s is running something else", what,
                         session->name);
    return SNUG_OK;
}

void session_release(snug_session *session)
{
    atomic_store(&session->is_busy, 0);
}

static int run(void *arg)
{
    session_job *job = arg;
    job->fn(job);
    if (job->wall_ms > 0)
        stop_disarm(job->session);
    /* The message is of this thread; the caller wants it. */
    job->message = job->error ? error_message() : NULL;
    return 0;
}

static void pass_output(void *payload, capture_stream which, const char *text, size_t len)
{
    snug_session *session = payload;
    session->on_output(session->payload, which == CAPTURE_STDOUT ? SNUG_STDOUT : SNUG_STDERR, text,
                       len);
}

static void drain(void *payload)
{
    snug_session *session = payload;
    capture_drain(&session->output, pass_output, session);
}

int session_run_job(session_job *job)
{
    snug_session *session = job->session;
    if (job->wall_ms > 0)
        stop_arm(session, job->wall_ms);
    mailbox_run(&session->mailbox, run, job, session->on_output ? drain : NULL, session);
    /* The session's thread waits for its next job: its message stands still. */
    return job->error ? error_set(job->error, "%s", job->message) : SNUG_OK;
}
