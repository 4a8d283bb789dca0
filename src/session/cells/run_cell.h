/*
 * run_cell.h - runs a cell: its caller's half, cell_job.h being the thread's.
 */
#ifndef SNUG_SESSION_RUN_CELL_H
#define SNUG_SESSION_RUN_CELL_H

#include <stdint.h>

#include <snug/snug.h>

#include "base/str.h"
#include "capture/capture.h"
#include "py/core/outcome.h"

/* Of local_form. */
int local_start(snug_session *session, const char *source, size_t len, const snug_limits *limits,
                int is_aside);
int local_attend(snug_session *session, uint64_t until_ns);
int local_finish(snug_result **out, snug_session *session);
int local_listen(snug_session *session, int is_on);

/* As finish of the session's form. */
int session_finish(snug_result **out, snug_session *session);

/* The limits of a cell that was asked for with these, which may be NULL: all are set. */
snug_limits session_cell_limits(const snug_session *session, const snug_limits *limits);

/* What a cell has left becomes its result, on the caller's thread. */

/* Of a cell that has ended. SNUG_OK, or SNUG_ENOMEM with a message, as the next. */
int result_take_end(snug_result *result, snug_session *session);
/* The cell's interpreter is gone: by a jump, a fault or an exit, or because its thread did not come
 * back, and then nothing that it may still write is touched. */
int result_take_loss(snug_result *result, snug_session *session);
/* Its thread waits for the GIL, and its caller does not: what it has printed stays with it. */
int result_take_stall(snug_result *result, snug_session *session);
/* What a cell has printed and displayed. SNUG_OK or SNUG_ENOMEM. */
int result_take_output(snug_result *result, capture *output);

/* A cell as its session's thread runs it. */

/* What the caller hands over, and what comes of it. One goes with each session, because the thread
 * may still be at it when the caller has been answered. */
typedef struct cell_job {
    str source;
    snug_limits limits;
    int is_aside;
    outcome outcome;
    uint64_t cpu_ns;
    struct program_work *program; /* program.c's; NULL until a program is called */
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
