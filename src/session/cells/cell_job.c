#include "session/cells/cell_job.h"

#include <stdlib.h>

#include "session/cells/local_program.h"
#include "session/core/session.h"
#include "session/core/stop.h"

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
