/*
 * session_thread.h - a session's thread: its start, and the jobs that it does.
 *
 * The thread's half of job.h.
 */
#ifndef SNUG_SESSION_SESSION_THREAD_H
#define SNUG_SESSION_SESSION_THREAD_H

#include <snug/snug.h>

/* A thread on which nothing is set up yet; of a parked session on the stack that it has. SNUG_OK,
 * or an error with a message. */
int session_start_thread(snug_session *session);
/* On that thread, or on the caller's where the session has none: the job that was handed over.
 * Answers nonzero when the thread shall end: there is no interpreter left to serve. */
int session_do_job(snug_session *session);

#endif
