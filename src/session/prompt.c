/*
 * prompt.c - what a prompt asks of a session: is the source whole, which names
 * could stand here.
 */
#include <stdlib.h>

#include "base/error.h"
#include "py/names.h"
#include "session/session.h"

struct snug_completion {
    name_list names;
};

static void is_complete(snug_session *session)
{
    session_job *job = &session->job;
    job->answer = interp_is_complete(session->interp, job->source.data, job->source.len);
    job->error = job->answer < 0 ? job->answer : SNUG_OK;
}

static void complete(snug_session *session)
{
    session_job *job = &session->job;
    job->error = interp_complete(job->names, session->interp, job->source.data, job->source.len,
                                 job->cursor);
}

/* On the session's thread, under the session's limits. */
static int ask(snug_session *session, void (*fn)(snug_session *session), const char *what,
               const char *source, size_t len)
{
    session_job *job = &session->job;
    int error = session_claim(session, what);
    if (error)
        return error;
    str_clear(&job->source);
    if (!(error = session_check_alive(session)) &&
        str_append(&job->source, source ? source : "", len) != SNUG_OK)
        error = error_no_memory();
    if (!error) {
        job->fn = fn;
        job->wall_ms = session->limits.wall_ms;
        job->cpu_ms = session->limits.cpu_ms;
        job->session_cpu_ms = SNUG_UNLIMITED;
        error = session_run_job(session);
    }
    session_release(session);
    return error;
}

int snug_session_is_complete(snug_session *session, const char *source, size_t len)
{
    if (!source && len > 0)
        return error_set(SNUG_EINVAL, "snug_session_is_complete: source is NULL");
    int error = ask(session, is_complete, "snug_session_is_complete", source, len);
    return error ? error : session->job.answer;
}

int snug_session_complete(snug_completion **out, snug_session *session, const char *source,
                          size_t len, size_t cursor)
{
    if (!out || (!source && len > 0))
        return error_set(SNUG_EINVAL, "snug_session_complete: %s is NULL", out ? "source" : "out");
    if (cursor > len)
        return error_set(SNUG_EINVAL,
                         "snug_session_complete: cursor %zu is past the source's %zu "
                         "bytes",
                         cursor, len);
    snug_completion *completion = calloc(1, sizeof *completion);
    if (!completion)
        return error_no_memory();
    if (session) {
        session->job.cursor = cursor;
        session->job.names = &completion->names;
    }
    int error = ask(session, complete, "snug_session_complete", source, len);
    if (!error)
        *out = completion;
    else if (error != SNUG_EDEAD) /* a thread that is still at it may write to it */
        snug_completion_free(completion);
    return error;
}

size_t snug_completion_count(const snug_completion *completion)
{
    return completion->names.count;
}

const char *snug_completion_text(const snug_completion *completion, size_t index)
{
    return index < completion->names.count ? str_text(&completion->names.items[index]) : NULL;
}

size_t snug_completion_start(const snug_completion *completion)
{
    return completion->names.start;
}

void snug_completion_free(snug_completion *completion)
{
    if (!completion)
        return;
    name_list_free(&completion->names);
    free(completion);
}
