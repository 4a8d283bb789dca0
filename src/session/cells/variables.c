#include "session/cells/variables.h"

#include <string.h>

#include "base/error.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "session/core/claim.h"
#include "session/core/job.h"
#include "session/core/session.h"

/* On the session's thread, under the session's limits. */
static int ask(snug_session *session, void (*fn)(snug_session *session), const char *name,
               const char *json, size_t len)
{
    session_job *job = &session->job;

    str_clear(&job->source);
    if (str_append(&job->source, name, strlen(name) + 1) || str_append(&job->source, json, len))
        return error_no_memory();

    job->fn = fn;
    job->cursor = strlen(name) + 1;
    job->wall_ms = session->limits.wall_ms;
    job->cpu_ms = session->limits.cpu_ms;
    job->session_cpu_ms = SNUG_UNLIMITED;
    return session_run_job(session);
}

static void set(snug_session *session)
{
    session_job *job = &session->job;
    job->error = interp_set(session->interp, job->source.data, job->source.data + job->cursor,
                            job->source.len - job->cursor);
}

int local_set(snug_session *session, const char *name, const char *json, size_t len)
{
    return ask(session, set, name, json, len);
}

int snug_session_set_variable(snug_session *session, const char *name, const char *json, size_t len)
{
    enum { MOST_NAME_BYTES = 256 };
    size_t at;
    if (!name || !json)
        return error_set(SNUG_EINVAL, "snug_session_set_variable: %s is NULL",
                         name ? "json" : "name");

    if (strlen(name) > MOST_NAME_BYTES || utf8_check(name, strlen(name), &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL,
                         "snug_session_set_variable: a name is UTF-8 of at most %d bytes",
                         MOST_NAME_BYTES);

    const char *fault = jsontext_check(json, len, &at);
    if (fault)
        return error_set(SNUG_EINVAL, "snug_session_set_variable: %s is not JSON: %s at byte %zu",
                         name, fault, at + 1);

    int error = session_claim_alive(session, "snug_session_set_variable");
    if (error)
        return error;

    error = session->form->set(session, name, json, len);
    session_release(session);
    return error;
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

int local_checkpoint(snug_session *session, checkpoint_step step)
{
    static void (*const steps[])(snug_session * session) = {
        [CHECKPOINT_MAKE] = checkpoint,
        [CHECKPOINT_ROLL_BACK] = rollback,
        [CHECKPOINT_FORGET] = forget,
    };
    return ask(session, steps[step], "", "", 0);
}

static int claim_and_step(snug_session *session, checkpoint_step step, const char *what)
{
    int error = session_claim_alive(session, what);
    if (error)
        return error;
    error = session->form->checkpoint(session, step);
    session_release(session);
    return error;
}

int snug_session_checkpoint(snug_session *session)
{
    return claim_and_step(session, CHECKPOINT_MAKE, "snug_session_checkpoint");
}

int snug_session_rollback(snug_session *session)
{
    return claim_and_step(session, CHECKPOINT_ROLL_BACK, "snug_session_rollback");
}

int snug_session_forget_checkpoint(snug_session *session)
{
    return claim_and_step(session, CHECKPOINT_FORGET, "snug_session_forget_checkpoint");
}
