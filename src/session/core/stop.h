/*
 * stop.h - the ladder by which a session's running job is ended: what it is for,
 * and its steps in time.
 *
 * The watchdog's lock orders everything: a job's watch is armed when it starts
 * and disarmed before its interpreter rests, and deadline and interrupt act only
 * on an armed watch. So neither can reach a later job.
 */
#ifndef SNUG_SESSION_STOP_H
#define SNUG_SESSION_STOP_H

#include "session/core/session.h"

/* The caller, before it hands over the job: the wait for the thread counts too. */
void stop_arm(snug_session *session, uint64_t now_ns);
/* What a thread that keeps others from running is at then, past the last stage of all others. */
guard_stage stop_last_stage(uint64_t elapsed_ns);
/* The session's thread, when the code of the job has run; the rung that ended it
 * goes to the job. */
void stop_disarm(snug_session *session);

/* The session's thread, as the code of the job begins and where it has ended: the processor time
 * it took, to a tenth of a millisecond. The clock is read at the end into ended_ns. */
void stop_begin_cpu(session_stop *stop, uint64_t now_ns);
uint64_t stop_cpu_used_ns(session_stop *stop);

/* The step of the ladder so long after it was entered, for a session that may have threads
 * or not. Pure. */
guard_stage stop_stage(uint64_t elapsed_ns, int is_full, int has_threads);
/* When the caller is answered whatever the thread does. Pure. */
int stop_is_over(uint64_t elapsed_ns, int has_threads);

#endif
