/*
 * namespace.c - what the host does to a session's names without running a cell.
 */
#include <string.h>

#include "base/error.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "session/session.h"

/* On the session's thread, under the session's limits. */
static int ask(snug_session *session, void (*fn)(snug_session *session), const char *what,
               const char *name, const char *json, size_t len)
{
    session_job *job = &session->job;
    int error = session_claim(session, what);
    if (error)
        return error;
    str_clear(&job->source);
    if (!(error = session_check_alive(session)) &&
        (str_append(&job->source, name, strlen(name) + 1) || str_append(&job->source, json, len)))
        error = error_no_memory();
    if (!error) {
        job->fn = fn;
        job->cursor = strlen(name) + 1;
        job->wall_ms = session->limits.wall_ms;
        job->cpu_ms = session->limits.cpu_ms;
        job->session_cpu_ms = SNUG_UNLIMITED;
        error = session_run_job(session);
    }
    session_release(session);
    return error;
}

static void set(snug_session *session)
{
    session_job *job = &session->job;
    job->error = interp_set(session->interp, job->source.data, job->source.data + job->cursor,
                            job->source.len - job->cursor);
}

int snug_session_set(snug_session *session, const char *name, const char *json, size_t len)
{
    enum { MOST_NAME_BYTES = 256 };
    size_t at;
    if (!name || !json)
        return error_set(SNUG_EINVAL, "snug_session_set: %s is NULL", name ? "json" : "name");
    if (strlen(name) > MOST_NAME_BYTES || utf8_check(name, strlen(name), &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "snug_session_set: a name is UTF-8 of at most %d bytes",
                         MOST_NAME_BYTES);
    const char *fault = jsontext_check(json, len, &at);
    if (fault)
        return error_set(SNUG_EINVAL, "snug_session_set: %s is no JSON: %s at byte %zu", name,
                         fault, at + 1);
    return ask(session, set, "snug_session_set", name, json, len);
}

static void checkpoint(snug_session *session)
{
    session->job.error = interp_checkpoint(session->interp);
}

static void rollback(snug_session *session)
{
    session->job.error = interp_rollback(session->interp);
}

static void forget(snug_session *session)
{
    session->job.error = interp_forget_checkpoint(session->interp);
}

int snug_session_checkpoint(snug_session *session)
{
    return ask(session, checkpoint, "snug_session_checkpoint", "", "", 0);
}

int snug_session_rollback(snug_session *session)
{
    return ask(session, rollback, "snug_session_rollback", "", "", 0);
}

int snug_session_forget_checkpoint(snug_session *session)
{
    return ask(session, forget, "snug_session_forget_checkpoint", "", "", 0);
}
