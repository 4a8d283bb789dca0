/*
 * job.h - hands a job to a session's thread, under a deadline, and waits for its end.
 *
 * The caller's half; the thread's is in session_thread.c.
 */
#ifndef SNUG_SESSION_JOB_H
#define SNUG_SESSION_JOB_H

#include <stdint.h>

#include <snug/snug.h>

#include "base/error.h"

/* How long a job may take. */
typedef struct job_limits {
    uint64_t wall_ms; /* 0: no stop reaches it */
    uint64_t cpu_ms;
    uint64_t session_cpu_ms; /* SNUG_UNLIMITED for what is not a cell */
} job_limits;

/* What the thread does: answers SNUG_OK, or an error with its message. SNUG_EDEAD: there is no
 * interpreter any more. */
typedef int (*job_fn)(snug_session *session, void *arg);

/* The job that runs. It is part of the session and not of the caller, because the thread may still
 * be at it when the caller has been answered. */
typedef struct session_job {
    job_fn fn;
    void *arg; /* what fn works on, and what it makes */
    job_limits limits;
    uint64_t asked_ns; /* when the caller handed it over */
    int error;
    char message[ERROR_MESSAGE_BYTES]; /* of the error */
    int is_abandoned;                  /* the thread did not come back in time */
    void *left;                        /* the arg of such a job */
    void (*free_left)(void *left);
} session_job;

/* Runs fn on the session's thread, and the host's callbacks here. SNUG_OK, the job's error with its
 * message, or SNUG_EDEAD: the interpreter was given up, or the thread did not come back in time. */
int session_run_job(snug_session *session, job_fn fn, void *arg, const job_limits *limits);
/* For what is asked of the session between its cells. */
job_limits session_step_limits(const snug_session *session);

/* After a job: whether the thread may still be at its arg. Then the session keeps it, and free_arg
 * frees it when the thread has ended. */
int session_keeps_arg(snug_session *session, void *arg, void (*free_arg)(void *arg));
/* The thread has ended. */
void session_free_left(snug_session *session);

#endif
