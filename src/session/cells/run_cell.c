#include "session/cells/run_cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "limits/limits.h"
#include "session/core/claim.h"
#include "session/core/job.h"
#include "session/core/session.h"
#include "session/core/stop.h"
#include "session/files/artifacts.h"
#include "session/result/result.h"

static uint64_t room_for_output(void *disk)
{
    /* A cell may leave a file of each stream, and these are written past the account. */
    return disk_take(disk, 0, 2) == 0 ? disk_left(disk) : 0;
}

snug_limits session_cell_limits(const snug_session *session, const snug_limits *limits)
{
    return limits ? limits_resolve(limits, &session->limits) : session->limits;
}

/* Whether a cell can ask anything of the host: most cannot, and the desk's lock would show in the
 * time of a small cell. Tools are bound between cells only. */
static int can_call(const snug_session *session)
{
    return session->on_input || desk_tool_at(session->desk, 0);
}

/* On the session's thread. */
static void run_cell(snug_session *session)
{
    session_job *job = &session->job;
    const cell_limits limits = { job->limits.source_bytes, job->limits.value_bytes,
                                 job->limits.list_bytes, job->is_aside };
    const uint64_t number = session->cells + (uint64_t)job->is_aside;

    capture_reset(&session->output, job->limits.output_bytes, job->limits.display_bytes);
    const int has_desk = can_call(session);
    if (has_desk)
        desk_begin(session->desk, job->limits.tool_calls);
    disk_begin(&session->disk, job->limits.disk_bytes, job->limits.disk_files);
    capture_allow_spill(&session->output, number, room_for_output, &session->disk);
    job->error = interp_run(&job->outcome, session->interp, job->source.data, job->source.len,
                            number, &limits);
    if (has_desk)
        desk_end(session->desk);

    /* Here also after a jump: spill files are of this thread's table of descriptors. */
    capture_finish(&session->output);
    job->cpu_ns = stop_cpu_used_ns(&session->stop) + interp_threads_cpu_ns(session->interp);
}

static int take_calls(snug_result *result, desk *calls)
{
    return desk_take_ledger(&result->tool_calls, &result->tool_call_count, calls)
               ? error_no_memory()
               : SNUG_OK;
}

/* The list's references become the result's. */
static void take_displays(snug_result *result, capture *output)
{
    result->displays = output->displays;
    output->displays = (display_list){ 0 };
}

int session_take_output(snug_result *result, capture *output)
{
    take_displays(result, output);
    for (int i = 0; i < CAPTURE_STREAMS; i++) {
        result->total_bytes[i] = output->streams[i].total_bytes;
        result->kept_bytes[i] = stream_kept_bytes(&output->streams[i]);
        result->is_cut[i] = stream_is_cut(&output->streams[i]);
        const char *spilled = spill_name(&output->spills[i]);
        if (spilled)
            snprintf(result->spills[i], sizeof result->spills[i], "%s", spilled);
        if (output->streams[i].total_bytes > 0 &&
            stream_text(&output->streams[i], &result->streams[i]) != SNUG_OK)
            return error_no_memory();
    }

    return SNUG_OK;
}

/* The cell's interpreter is gone: by a jump, a fault or an exit, or because its
 * thread did not come back, and then nothing that it may still write is touched. */
static int take_loss(snug_result *result, snug_session *session)
{
    /* Of a cell that did not come back, those go on that wait here. */
    desk_end(session->desk);
    int error = take_calls(result, session->desk);
    if (error)
        return error;

    result->state = SNUG_STATE_LOST;
    if (session->stop.is_given_up) {
        result->rung = GUARD_JUMP_LIBC;
        return interp_explain_loss(&result->outcome, session->interp);
    }

    result->outcome = session->job.outcome;
    session->job.outcome = (outcome){ 0 };
    result->rung = result->outcome.status == SNUG_STATUS_CRASHED ? 0 : GUARD_JUMP;
    result->cpu_ns = session->job.cpu_ns;
    return session_take_output(result, &session->output);
}

static int take_end(snug_result *result, snug_session *session)
{
    int error = can_call(session) ? take_calls(result, session->desk) : SNUG_OK;
    if (error)
        return error;

    result->outcome = session->job.outcome;
    session->job.outcome = (outcome){ 0 };
    result->rung = result->outcome.status == SNUG_STATUS_OK ? 0 : session->job.rung;
    result->cpu_ns = session->job.cpu_ns;
    result->peak_bytes = memory_peak(&session->memory, 0);
    return session_take_output(result, &session->output);
}

/* Of the turn: with the wait for the session's thread where it has one, and the waking. */
static uint64_t wall_ns(const snug_session *session, uint64_t start_ns)
{
    uint64_t end_ns = session->is_inline ? session->stop.ended_ns : clock_now_ns();
    return end_ns - (start_ns ? start_ns : session->job.asked_ns);
}

int local_run(snug_result **out, snug_session *session, const char *source, size_t len,
              const snug_limits *limits, int is_aside)
{
    session_job *job = &session->job;
    snug_result *result = result_new(session->name);

    str_clear(&job->source);
    if (!result || str_append(&job->source, len > 0 ? source : "", len) != SNUG_OK) {
        snug_result_free(result);
        return error_no_memory();
    }

    artifacts_begin(session);
    if (!is_aside)
        result->execution_count = ++session->cells;
    job->is_aside = is_aside;
    job->fn = run_cell;
    job->limits = session_cell_limits(session, limits);
    job->wall_ms = job->limits.wall_ms;
    job->cpu_ms = job->limits.cpu_ms;
    job->session_cpu_ms = session->limits.session_cpu_ms;
    job->cpu_ns = 0;
    uint64_t start_ns = session->is_parked ? clock_now_ns() : 0;
    int error = session_run_job(session);
    if (error && session->is_parked && !is_aside)
        session->cells--; /* it could not be woken, and has run nothing */

    /* Here, where the watchdog no longer looks. */
    if (error != SNUG_EDEAD)
        session->cpu_used_ns += job->cpu_ns;
    if (error == SNUG_EDEAD)
        error = take_loss(result, session);
    else if (!error)
        error = take_end(result, session);

    if (!error)
        error = artifacts_take(result, session);
    if (error) {
        snug_result_free(result);
        return error;
    }

    result->wall_ns = wall_ns(session, start_ns);
    *out = result;
    return SNUG_OK;
}

static int claim_and_run(snug_result **out, snug_session *session, const char *source, size_t len,
                         const snug_limits *limits, const char *what, int is_aside)
{
    snug_limits taken;
    int error;

    if (!out || (!source && len > 0))
        return error_set(SNUG_EINVAL, "%s: %s is NULL", what, out ? "source" : "out");
    if ((limits && (error = limits_take(&taken, limits))) ||
        (error = session_claim_alive(session, what)))
        return error;

    error = session->form->run(out, session, source, len, limits ? &taken : NULL, is_aside);
    session_release(session);
    return error;
}

int snug_session_run(snug_result **out, snug_session *session, const char *source, size_t len,
                     const snug_limits *limits)
{
    return claim_and_run(out, session, source, len, limits, "snug_session_run", 0);
}

int snug_session_run_aside(snug_result **out, snug_session *session, const char *source, size_t len,
                           const snug_limits *limits)
{
    return claim_and_run(out, session, source, len, limits, "snug_session_run_aside", 1);
}
