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

typedef struct prompt_job {
    session_job job; /* first */
    const char *source;
    size_t len, cursor;
    int answer;
    name_list *names;
} prompt_job;

static void is_complete(session_job *job)
{
    prompt_job *prompt = (prompt_job *)(void *)job;
    int answer = interp_is_complete(job->session->interp, prompt->source, prompt->len);
    job->error = answer < 0 ? answer : SNUG_OK;
    prompt->answer = answer;
}

static void complete(session_job *job)
{
    prompt_job *prompt = (prompt_job *)(void *)job;
    job->error = interp_complete(prompt->names, job->session->interp, prompt->source, prompt->len,
                                 prompt->cursor);
}

/* With a NUL behind it, on the session's thread, under the session's wall limit. */
static int ask(prompt_job *prompt, snug_session *session, const char *what, const char *source)
{
    int error = session_claim(session, what);
    if (error)
        return error;
    str copy = { 0 };
    if (!session->interp)
        error = error_set(SNUG_EDEAD, "session %s has no interpreter any more", session->name);
    else if (str_append(&copy, source, prompt->len) != SNUG_OK)
        error = error_no_memory();
    if (!error) {
        prompt->source = str_text(&copy);
        prompt->job.session = session;
        prompt->job.wall_ms = session->limits.wall_ms;
        error = session_run_job(&prompt->job);
    }
    str_free(&copy);
    session_release(session);
    return error;
}

int snug_session_is_complete(snug_session *session, const char *source, size_t len)
{
    prompt_job prompt = { .job = { .fn = is_complete }, .len = len };
    if (!source && len > 0)
        return error_set(SNUG_EINVAL, "snug_session_is_complete: source is NULL");
    int error = ask(&prompt, session, "snug_session_is_complete", source ? source : "");
    return error ? error : prompt.answer;
}

int snug_session_complete(snug_completion **out, snug_session *session, const char *source,
                          size_t len, size_t cursor)
{
    if (!out || (!source && len > 0))
        return error_set(SNUG_EINVAL, "snug_session_complete: %s is NULL", out ? "source" : "out");
    if (cursor > len)
        return error_set(SNUG_EINVAL, "snug_session_complete: cursor %zu is past the source's %zu "
                         "bytes", cursor, len);
    snug_completion *completion = calloc(1, sizeof *completion);
    if (!completion)
        return error_no_memory();
    prompt_job prompt = { .job = { .fn = complete }, .len = len, .cursor = cursor,
                          .names = &completion->names };
    int error = ask(&prompt, session, "snug_session_complete", source ? source : "");
    if (error)
        snug_completion_free(completion);
    else
        *out = completion;
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
