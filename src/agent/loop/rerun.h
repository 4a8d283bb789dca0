/*
 * rerun.h - a program whose worker fails runs again in a new one, from what was saved before it.
 *
 * In the form of workers only, where a fault costs a process that can be replaced. What a program
 * did before the fault outside its session (a file in a folder that was named, a call of a tool)
 * it does again. Of a session of bash what bash_state.h keeps is there again.
 */
#ifndef SNUG_AGENT_RERUN_H
#define SNUG_AGENT_RERUN_H

#include "agent/run/run.h"

/* Runs the attempt's program, and again after each fault of the worker, up to options.reruns times.
 * As run_cell. Where the last run lost the session too, and that is what it was before again, the
 * attempt is_restored. */
int rerun_program(run *r, attempt *a);

#endif
