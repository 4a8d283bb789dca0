/*
 * session_thread.h - a session's thread: its start, and the jobs that it does.
 *
 * The thread's half of job.h.
 */
#ifndef SNUG_SESSION_SESSION_THREAD_H
#define SNUG_SESSION_SESSION_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include <snug/snug.h>

#include "base/floats.h"
#include "base/thread.h"
#include "limits/guard.h"
#include "session/core/mailbox.h"

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

#endif
