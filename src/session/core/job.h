/*
 * job.h - hands a job to a session's thread, under a deadline, and waits for its end.
 *
 *     caller: session_post_job --> session_attend_job ... --> session_end_job
 *                    |                  ^ notices, the end         |
 *                    v                  |                          v
 *     thread:   serve_jobs --> session_do_job            SNUG_OK, or the job's error
 *
 *     how it ends for its caller   what the thread does        the session
 *     MAILBOX_DONE                 waits for the next job      as the job left it
 *     MAILBOX_LEFT                 waits for the GIL, and      SNUG_ETIMEOUT; as it was, once the
 *                                  comes back by itself        thread is back (settle)
 *     MAILBOX_GIVEN_UP             runs on, and ends alone     lost: SNUG_EDEAD until a reset
 */
#ifndef SNUG_SESSION_JOB_H
#define SNUG_SESSION_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include <snug/snug.h>

#include "base/error.h"
#include "base/floats.h"
#include "base/thread.h"
#include "calls/desk.h"
#include "limits/guard.h"
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
/* Waits for the end of such a job, for patience_ns at most. SNUG_OK, or an error with a message. */
int session_await_thread(snug_session *session, uint64_t patience_ns);

/* For what is asked of the session between its cells. */
job_limits session_step_limits(const snug_session *session);

/* After a job: whether the thread may still be at its arg. Then the session keeps it, and free_arg
 * frees it when the thread has come back or ended. */
int session_keeps_arg(snug_session *session, void *arg, void (*free_arg)(void *arg));
/* It has. */
void session_free_left(snug_session *session);

/* A session's thread: its start, and the jobs that it does.
 *
 * The thread's half of job.h. */

typedef struct session_thread {
    thread handle;
    int exists;
    pid_t tid;
    _Atomic int has_ended; /* it has nothing left to do but to return */
    int is_sealed;         /* the kernel's filters are in force */
    mailbox mailbox;
    guard guard;
    int lacks_guard; /* there was no memory for one */
    int is_inline;   /* the session has no thread, and runs on owner: inline.h */
    pthread_t owner;
    floats callers; /* the owner's own, while a job runs */
} session_thread;

/* A thread on which nothing is set up yet; of a parked session on the stack that it has. SNUG_OK,
 * or an error with a message. */
int session_start_thread(snug_session *session);
/* On that thread, or on the caller's where the session has none: the job that was handed over.
 * Answers nonzero when the thread shall end: there is no interpreter left to serve. */
int session_do_job(snug_session *session);

/* Sessions without a thread: their jobs run on the thread that has opened them. */

/* On that thread, in the place of a thread's start and its end. SNUG_OK, or an error with a
 * message. */
int inline_begin(snug_session *session);
void inline_end(snug_session *session);
/* Any thread: from now on the session is its, for its end. */
void inline_take_over(snug_session *session);
/* Around a job: the thread works for the session. */
void inline_enter(snug_session *session);
void inline_leave(snug_session *session);

/* The calls of cells to the host. */

/* On the session's thread: binds all tools of the desk in a new interpreter. */
int session_bind_all(snug_session *session);
/* On the caller's thread: makes the calls that wait; before each, all output goes on, and after
 * it the caller hears of its end. drain is called again once a call is held. */
void session_make_calls(snug_session *session, desk_line which,
                        void (*drain)(snug_session *session));
/* The same thread, before output goes on: tells the caller of the calls that are over. */
void session_tell_calls(snug_session *session);

#endif
