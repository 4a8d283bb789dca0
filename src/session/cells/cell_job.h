/*
 * cell_job.h - a cell as its session's thread runs it.
 */
#ifndef SNUG_SESSION_CELL_JOB_H
#define SNUG_SESSION_CELL_JOB_H

#include <stdint.h>

#include <snug/snug.h>

#include "base/str.h"
#include "py/core/outcome.h"

/* What the caller hands over, and what comes of it. One goes with each session, because the thread
 * may still be at it when the caller has been answered. */
typedef struct cell_job {
    str source;
    snug_limits limits;
    int is_aside;
    outcome outcome;
    uint64_t cpu_ns;
    struct program_work *program; /* local_program.c's; NULL until a program is called */
    snug_result *result;          /* of the cell that runs, for its caller */
    uint64_t start_ns;            /* when its caller came; 0: the session was awake */
} cell_job;

/* NULL if memory ran out. */
cell_job *cell_job_new(void);
/* NULL is fine. */
void cell_job_free(cell_job *cell);

/* What stands around the code of a cell or program, on the session's thread: fresh capture, disk
 * account and desk. number is that of its spill files. */
void cell_job_begin(snug_session *session, const cell_job *cell, uint64_t number);
void cell_job_end(snug_session *session, cell_job *cell);
/* The job. Its arg is the session's cell. */
int cell_job_run(snug_session *session, void *arg);
/* Nobody takes what has come of a cell that was left. */
void cell_job_settle(snug_session *session);
/* Whether a cell can ask anything of the host: most cannot, and the desk's lock would show in the
 * time of a small cell. Tools are bound between cells only. */
int cell_job_may_call(const snug_session *session);

#endif
