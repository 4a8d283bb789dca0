#include "session/cells/local_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "session/cells/cell_job.h"
#include "session/cells/program.h"
#include "session/cells/program_values.h"
#include "session/cells/take_result.h"
#include "session/core/job.h"
#include "session/core/session.h"
#include "session/result/result.h"

struct program_work {
    program_call call;
    snug_program *held; /* whose text the call has; NULL before the first */
    program_copies copies;
};

void program_work_free(program_work *work)
{
    if (!work)
        return;
    str_free(&work->call.data);
    program_column_free(&work->call.column);
    program_copies_free(&work->copies);
    program_drop(work->held);
    free(work);
}

static int has_shown(const snug_session *session)
{
    const capture *output = &session->output;
    return output->streams[CAPTURE_STDOUT].total_bytes > 0 ||
           output->streams[CAPTURE_STDERR].total_bytes > 0 || output->displays.count > 0 ||
           output->displays.left_out > 0;
}

/* Whether somebody will ask how long it took and what it has shown. To read the clock and to close
 * the streams after each small call would show in its time. */
static int is_eventful(const snug_session *session)
{
    return session->limits.session_cpu_ms != SNUG_UNLIMITED ||
           session->cell->outcome.status != SNUG_STATUS_OK || has_shown(session);
}

/* On the session's thread. */
static int compute_there(snug_session *session, void *arg)
{
    cell_job *cell = arg;

    cell_job_begin(session, cell, session->cells + 1);
    int error = interp_compute(&cell->outcome, session->interp, &cell->program->call);
    if (error || is_eventful(session))
        cell_job_end(session, cell);
    else if (cell_job_may_call(session))
        desk_end(session->desk);
    return error;
}

static int find_work(program_work **out, snug_session *session)
{
    cell_job *cell = session->cell;

    if (!cell->program)
        cell->program = calloc(1, sizeof *cell->program);
    if (!cell->program)
        return error_no_memory();
    *out = cell->program;
    return SNUG_OK;
}

static void hold_program(program_work *work, snug_program *program)
{
    if (work->held == program)
        return;
    program_drop(work->held);
    work->held = program_hold(program);
}

/* Another thread may be at its arguments for longer than the caller waits. */
static int set_call(program_work *work, const snug_session *session, const program_wish *wish)
{
    program_call *call = &work->call;
    const size_t count = wish->program->text.input_count;

    hold_program(work, wish->program);
    call->text = &wish->program->text;
    call->is_map = !wish->arguments;
    call->arguments = wish->arguments;
    call->columns = wish->columns;
    call->row_count = wish->row_count;
    call->source_bytes = wish->limits.source_bytes;
    call->most_bytes = program_most_bytes(&wish->limits);
    if (session->thread.is_inline)
        return SNUG_OK;
    if (call->is_map)
        return program_copy_columns(&call->columns, &work->copies, wish->columns, count,
                                    wish->row_count);
    return program_copy_values(&call->arguments, &work->copies, wish->arguments, count);
}

static int take_end(snug_result *result, snug_session *session, int ended)
{
    switch (ended) {
    case SNUG_EDEAD:
        return result_take_loss(result, session);
    case SNUG_ETIMEOUT:
        session->job.settle = cell_job_settle;
        return result_take_stall(result, session);
    default:
        return result_take_end(result, session);
    }
}

/* Of a call that went wrong, with that error, or has shown something. */
static int take_whole_result(program_outcome *out, snug_session *session, int ended)
{
    snug_result *result = result_new(session->name);
    if (!result)
        return error_no_memory();

    int error = take_end(result, session, ended);
    if (error) {
        snug_result_free(result);
        outcome_free(&session->cell->outcome);
        return error;
    }

    result->wall_ns = clock_now_ns() - session->job.asked_ns;
    out->status = result->outcome.status;
    out->result = result;
    return SNUG_OK;
}

static void take_value(program_outcome *out, program_call *call)
{
    out->value = call->value;
    out->data = call->data;
    call->data = (str){ 0 };
    if (!call->is_map)
        return;

    out->column = call->column;
    call->column = (program_column){ 0 };
}

static int take_answer(program_outcome *out, snug_session *session, program_work *work, int error)
{
    cell_job *cell = session->cell;

    if (error && error != SNUG_EDEAD && error != SNUG_ETIMEOUT)
        return error;
    if (error)
        return take_whole_result(out, session, error);

    session->cpu_used_ns += cell->cpu_ns;
    take_value(out, &work->call);
    out->status = cell->outcome.status;
    if (out->status == SNUG_STATUS_OK && !has_shown(session)) {
        if (cell->outcome.denials) /* all that there may be */
            outcome_free(&cell->outcome);
        return SNUG_OK;
    }

    return take_whole_result(out, session, SNUG_OK);
}

int local_compute(program_outcome *out, snug_session *session, const program_wish *wish)
{
    const job_limits limits = { wish->limits.wall_ms, wish->limits.cpu_ms,
                                session->limits.session_cpu_ms };
    program_work *work;

    int error = session_await_thread(session);
    if (!error)
        error = find_work(&work, session);
    if (!error)
        error = set_call(work, session, wish);
    if (error)
        return error;

    session->cell->limits = wish->limits;
    session->cell->is_aside = 1;
    session->cell->cpu_ns = 0;
    error = session_run_job(session, compute_there, session->cell, &limits);
    return take_answer(out, session, work, error);
}
