#include "session/cells/run_cell.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "limits/limits.h"
#include "session/cells/program.h"
#include "session/core/claim.h"
#include "session/core/job.h"
#include "session/core/session.h"
#include "session/core/stop.h"
#include "session/files/workdir.h"
#include "session/result/result.h"

snug_limits session_cell_limits(const snug_session *session, const snug_limits *limits)
{
    return limits ? limits_resolve(limits, &session->limits) : session->limits;
}

/* Of the turn: with the wait for the session's thread where it has one, and with the waking, which
 * began at start_ns; 0: it was awake. */
static uint64_t wall_ns(const snug_session *session, uint64_t start_ns)
{
    uint64_t end_ns = session->thread.is_inline ? session->stop.ended_ns : clock_now_ns();
    if (start_ns == 0)
        start_ns = session->job.asked_ns;
    return end_ns - start_ns;
}

static int set_cell(cell_job *cell, const char *source, size_t len)
{
    str_clear(&cell->source);
    if (str_append(&cell->source, len > 0 ? source : "", len) != SNUG_OK)
        return error_no_memory();
    return SNUG_OK;
}

int local_start(snug_session *session, const char *source, size_t len, const snug_limits *limits,
                int is_aside)
{
    cell_job *cell = session->cell;
    cell->limits = session_cell_limits(session, limits);
    const job_limits job = { cell->limits.wall_ms, cell->limits.cpu_ms,
                             session->limits.session_cpu_ms };

    /* Before the cell's parts are anybody else's. A start of a task does not wait. */
    int error = session_await_thread(session, session->task ? 0 : session->host->patience_ns);
    if (!error)
        error = set_cell(cell, source, len);
    if (!error && !(cell->result = result_new(session->name)))
        error = error_no_memory();
    if (error)
        return error;

    artifacts_begin(session);
    cell->is_aside = is_aside;
    if (!is_aside)
        cell->result->execution_count = ++session->cells;
    cell->cpu_ns = 0;
    cell->start_ns = session->park.is_parked ? clock_now_ns() : 0;
    error = session_post_job(session, cell_job_run, cell, &job);
    if (!error)
        return SNUG_OK;

    /* It could not be woken, and has run nothing. */
    if (!is_aside)
        session->cells--;
    snug_result_free(cell->result);
    cell->result = NULL;
    return error;
}

int local_attend(snug_session *session, uint64_t until_ns)
{
    return session_attend_job(session, until_ns);
}

static void ring_for(void *arg)
{
    snug_session *session = arg;
    bell_ring(session->host->bell, &session->rings);
}

int local_listen(snug_session *session, int is_on)
{
    mailbox_set_bell(&session->thread.mailbox, is_on ? ring_for : NULL, session);
    return SNUG_OK;
}

/* What has come of the job, which ended with that error. */
static int take_end(snug_result *result, snug_session *session, int error)
{
    switch (error) {
    case SNUG_OK:
        return result_take_end(result, session);
    case SNUG_EDEAD:
        return result_take_loss(result, session);
    case SNUG_ETIMEOUT:
        session->job.settle = cell_job_settle;
        return result_take_stall(result, session);
    default:
        return error;
    }
}

int local_finish(snug_result **out, snug_session *session)
{
    snug_result *result = session->cell->result;
    int ended = session_end_job(session);

    session->cell->result = NULL;
    /* Here, where the watchdog no longer looks. */
    if (ended != SNUG_EDEAD && ended != SNUG_ETIMEOUT)
        session->cpu_used_ns += session->cell->cpu_ns;

    int error = take_end(result, session, ended);
    if (!error)
        error = artifacts_take(result, session);
    if (error) {
        snug_result_free(result);
        return error;
    }

    result->wall_ns = wall_ns(session, session->cell->start_ns);
    *out = result;
    return SNUG_OK;
}

int session_finish(snug_result **out, snug_session *session)
{
    int error = session->form->finish(out, session);
    if (!error)
        (*out)->fixed = session->fixed;
    return error;
}

static int claim_and_run(snug_result **out, snug_session *session, const char *source, size_t len,
                         const snug_limits *limits, const char *what, int is_aside)
{
    snug_limits taken;
    int error = SNUG_OK;

    if (!out || (!source && len > 0))
        return session_fail(session,
                            error_set(SNUG_EINVAL, "%s: %s is NULL", what, out ? "source" : "out"));

    if (limits)
        error = limits_take(&taken, limits);
    if (!error)
        error = session_claim_alive(&session, what);
    if (error)
        return session_fail(session, error);

    error = session->form->start(session, source, len, limits ? &taken : NULL, is_aside);
    if (!error) {
        while (!session->form->attend(session, UINT64_MAX))
            ;
        error = session_finish(out, session);
    }

    return session_return(session, error);
}

int snug_session_run(snug_result **out, snug_session *session, const char *source, size_t len,
                     const snug_limits *limits)
{
    return claim_and_run(out, session, source, len, limits, "snug_session_run", CELL_RECORDED);
}

int snug_session_run_aside(snug_result **out, snug_session *session, const char *source, size_t len,
                           const snug_limits *limits)
{
    return claim_and_run(out, session, source, len, limits, "snug_session_run_aside", CELL_ASIDE);
}

int snug_session_run_unrecorded(snug_result **out, snug_session *session, const char *source,
                                size_t len, const snug_limits *limits)
{
    return claim_and_run(out, session, source, len, limits, "snug_session_run_unrecorded",
                         CELL_UNRECORDED);
}

cell_job *cell_job_new(void)
{
    return calloc(1, sizeof(cell_job));
}

void cell_job_free(cell_job *cell)
{
    if (!cell)
        return;
    outcome_free(&cell->outcome);
    program_work_free(cell->program);
    str_free(&cell->source);
    free(cell);
}

int cell_job_may_call(const snug_session *session)
{
    return session->callbacks.on_input || desk_tool_at(session->desk, 0);
}

static uint64_t left_for_spills(void *disk)
{
    /* A cell may leave a file of each stream, and these are written past the account. */
    if (disk_take(disk, 0, 2) != 0)
        return 0;
    return disk_left(disk);
}

void cell_job_begin(snug_session *session, const cell_job *cell, uint64_t number)
{
    capture_reset(&session->output, cell->limits.output_bytes, cell->limits.display_bytes);
    if (cell_job_may_call(session))
        desk_begin(session->desk, cell->limits.tool_calls, cell->limits.input_ms);
    disk_begin(&session->files.disk, cell->limits.disk_bytes, cell->limits.disk_files);
    capture_allow_spill(&session->output, number, left_for_spills, &session->files.disk);
}

void cell_job_end(snug_session *session, cell_job *cell)
{
    if (cell_job_may_call(session))
        desk_end(session->desk);

    /* Here also after a jump: spill files are of this thread's table of descriptors. */
    capture_finish(&session->output);
    cell->cpu_ns = stop_cpu_used_ns(&session->stop) + interp_threads_cpu_ns(session->interp);
}

int cell_job_run(snug_session *session, void *arg)
{
    cell_job *cell = arg;
    const cell_limits limits = { cell->limits.source_bytes, cell->limits.value_bytes,
                                 cell->limits.list_bytes, cell->is_aside };
    const uint64_t number = session->cells + (cell->is_aside != CELL_RECORDED);

    desk_number_cell(session->desk, cell->is_aside == CELL_RECORDED ? number : 0);
    cell_job_begin(session, cell, number);
    int error = interp_run(&cell->outcome, session->interp, cell->source.data, cell->source.len,
                           number, &limits);
    cell_job_end(session, cell);
    return error;
}

void cell_job_settle(snug_session *session)
{
    session->cpu_used_ns += session->cell->cpu_ns;
    outcome_free(&session->cell->outcome);
}

static int take_ledger(snug_result *result, desk *calls)
{
    if (desk_take_ledger(&result->tool_calls, &result->tool_call_count, calls) != SNUG_OK)
        return error_no_memory();
    return SNUG_OK;
}

/* The list's references become the result's. */
static void take_displays(snug_result *result, capture *output)
{
    result->displays = output->displays;
    output->displays = (display_list){ 0 };
}

int result_take_output(snug_result *result, capture *output)
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

/* What it holds becomes the result's. */
static void take_outcome(snug_result *result, cell_job *cell)
{
    result->outcome = cell->outcome;
    cell->outcome = (outcome){ 0 };
    result->cpu_ns = cell->cpu_ns;
}

int result_take_loss(snug_result *result, snug_session *session)
{
    /* The cell did not come back to end its calls: those under way are cancelled. */
    desk_end(session->desk);
    session_tell_calls(session);
    int error = take_ledger(result, session->desk);
    if (error)
        return error;

    result->state = SNUG_STATE_LOST;
    if (session->stop.is_given_up) {
        result->rung = GUARD_JUMP_LIBC;
        return interp_explain_loss(&result->outcome, session->interp);
    }

    take_outcome(result, session->cell);
    if (result->outcome.status != SNUG_STATUS_CRASHED)
        result->rung = GUARD_JUMP;
    return result_take_output(result, &session->output);
}

/* Of an interrupt the host knows by itself. */
static int tell_stall(outcome *o, const snug_session *session)
{
    const session_stop *stop = &session->stop;
    const int is_interrupt = stop->reason == STOP_INTERRUPT;
    const char *name = is_interrupt ? "KeyboardInterrupt" : "StalledError";

    o->status = is_interrupt ? SNUG_STATUS_INTERRUPTED : SNUG_STATUS_STALLED;
    o->category = is_interrupt ? "runtime" : "stalled";
    o->error_class = is_interrupt ? "runtime" : "environment";
    if (str_add(&o->error_name, name) || str_add(&o->hint, OUTCOME_STALLED_HINT) ||
        str_printf(&o->error_value, "the cell waited %s, and ran for %llu ms",
                   session->stop.awaited, (unsigned long long)(stop_ran_ns(session) / NS_PER_MS)) ||
        str_printf(&o->traceback, "%s: %s\n", name, str_text(&o->error_value)))
        return error_no_memory();
    return SNUG_OK;
}

int result_take_stall(snug_result *result, snug_session *session)
{
    desk_end(session->desk);
    session_tell_calls(session);
    int error = take_ledger(result, session->desk);
    if (error)
        return error;

    result->cpu_ns = stop_ran_ns(session);
    return tell_stall(&result->outcome, session);
}

int result_take_end(snug_result *result, snug_session *session)
{
    if (cell_job_may_call(session)) {
        int error = take_ledger(result, session->desk);
        if (error)
            return error;
    }

    take_outcome(result, session->cell);
    if (result->outcome.status != SNUG_STATUS_OK)
        result->rung = session->stop.rung;
    result->peak_bytes = memory_peak(&session->memory, 0);
    return result_take_output(result, &session->output);
}
