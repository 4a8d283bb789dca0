/*
 * run.c - the way of a cell, from the caller's thread and back.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "limits/limits.h"
#include "session/result.h"
#include "session/session.h"

typedef struct cell_job {
    session_job job; /* first: the job is cast to this */
    snug_result *result;
    const char *source;
    size_t len;
    snug_limits limits;
} cell_job;

/* On the session's thread. */
static void run_cell(session_job *job)
{
    cell_job *cell = (cell_job *)(void *)job;
    snug_session *session = job->session;
    snug_result *result = cell->result;
    const cell_limits limits = { cell->limits.source_bytes, cell->limits.value_bytes };
    capture_reset(&session->output, cell->limits.output_bytes);
    uint64_t cpu_ns = clock_thread_cpu_ns();
    job->error = interp_run(&result->outcome, session->interp, cell->source, cell->len,
                            result->execution_count, &limits);
    result->cpu_ns = clock_thread_cpu_ns() - cpu_ns;
}

static int take_output(snug_result *result, const capture *output)
{
    for (int i = 0; i < CAPTURE_STREAMS; i++) {
        result->total_bytes[i] = output->streams[i].total_bytes;
        result->kept_bytes[i] = stream_kept_bytes(&output->streams[i]);
        result->is_cut[i] = stream_is_cut(&output->streams[i]);
        if (output->streams[i].total_bytes > 0 &&
            stream_text(&output->streams[i], &result->streams[i]) != SNUG_OK)
            return error_no_memory();
    }
    return SNUG_OK;
}

static int run(snug_result **out, snug_session *session, const char *source, size_t len,
               const snug_limits *limits)
{
    snug_result *result = calloc(1, sizeof *result);
    if (!result || !(result->session = strdup(session->name))) {
        free(result);
        return error_no_memory();
    }
    pthread_mutex_init(&result->lock, NULL);
    uint64_t start_ns = clock_now_ns();
    result->execution_count = ++session->cells;
    cell_job cell = { .job = { .session = session, .fn = run_cell },
                      .result = result,
                      .source = source,
                      .len = len,
                      .limits = limits_resolve(limits, &session->limits) };
    cell.job.wall_ms = cell.limits.wall_ms;
    int error;
    if ((error = session_run_job(&cell.job)) || (error = take_output(result, &session->output))) {
        snug_result_free(result);
        return error;
    }
    result->wall_ns = clock_now_ns() - start_ns;
    *out = result;
    return SNUG_OK;
}

/* The caller's text need not end with a NUL; the compiler's must. */
static int run_copy(snug_result **out, snug_session *session, const char *source, size_t len,
                    const snug_limits *limits)
{
    char small[4096];
    char *copy = len < sizeof small ? small : len < SIZE_MAX ? malloc(len + 1) : NULL;
    if (!copy)
        return error_no_memory();
    if (len > 0)
        memcpy(copy, source, len);
    copy[len] = '\0';
    int error = run(out, session, copy, len, limits);
    if (copy != small)
        free(copy);
    return error;
}

int snug_session_run(snug_result **out, snug_session *session, const char *source, size_t len,
                     const snug_limits *limits)
{
    int error;
    if (!out || (!source && len > 0))
        return error_set(SNUG_EINVAL, "snug_session_run: %s is NULL", out ? "source" : "out");
    if ((error = session_claim(session, "snug_session_run")))
        return error;
    if (!session->interp)
        error = error_set(SNUG_EDEAD, "session %s has no interpreter any more", session->name);
    else
        error = run_copy(out, session, source, len, limits);
    session_release(session);
    return error;
}
