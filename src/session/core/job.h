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
#include "session/core/mailbox.h"

/* How long a job may take. */
typedef struct job_limits {
    uint64_t wall_ms; /* 0: no stop reaches it, and its caller waits as stop_arm_wait says */
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
    mailbox_end end;                   /* how it has ended for its caller */
    int is_over;                       /* for its caller */
    int is_abandoned;                  /* the thread did not come back in time */
    int is_left;                       /* its caller was answered, and the thread was still at it
                                          when somebody looked last */
    void (*settle)(snug_session *session); /* takes care of what comes of a job that was left; NULL:
                                              nothing does */
    void *left;                            /* the arg of an abandoned job, or one that was left */
    void (*free_left)(void *left);
} session_job;

/* Runs fn on the session's thread, and the host's callbacks here. SNUG_OK, the job's error with its
 * message, SNUG_EDEAD: the interpreter was given up, or the thread did not come back in time; or
 * SNUG_ETIMEOUT: the thread waits for the GIL, and does the job when it has it. */
int session_run_job(snug_session *session, job_fn fn, void *arg, const job_limits *limits);

/* The same in steps, for who does not want to wait. SNUG_OK: it is posted, and session_end_job
 * follows once session_attend_job has answered 1; an error with a message: it is not. */
int session_post_job(snug_session *session, job_fn fn, void *arg, const job_limits *limits);
/* Makes the host's callbacks here. Answers whether the job is over, at until_ns (CLOCK_MONOTONIC)
 * at the latest; 0: at once. */
int session_attend_job(snug_session *session, uint64_t until_ns);
int session_end_job(snug_session *session);

/* Whether the last job was left, and the thread may be still at it. */
int session_is_left(const snug_session *session);
/* Waits for the end of such a job, for the host's patience. SNUG_OK, or an error with a message. */
int session_await_thread(snug_session *session);

/* For what is asked of the session between its cells. */
job_limits session_step_limits(const snug_session *session);

/* After a job: whether the thread may still be at its arg. Then the session keeps it, and free_arg
 * frees it when the thread has come back or ended. */
int session_keeps_arg(snug_session *session, void *arg, void (*free_arg)(void *arg));
/* It has. */
void session_free_left(snug_session *session);

#endif
