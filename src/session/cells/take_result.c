#include "session/cells/take_result.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "session/cells/cell_job.h"
#include "session/core/host_calls.h"
#include "session/core/session.h"
#include "session/core/stop.h"
#include "session/result/result.h"

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
