/*
 * stop.h - the deadline and the interrupt of a session's running job.
 *
 * The watchdog's lock orders everything: a job's watch is armed when it starts
 * and disarmed before its interpreter rests, and both the deadline and an
 * interrupt act only on an armed watch. So neither can reach a later job.
 */
#ifndef SNUG_SESSION_STOP_H
#define SNUG_SESSION_STOP_H

#include "session/session.h"

/* The caller, before it hands over the job: the wait for the thread counts too. */
void stop_arm(snug_session *session, uint64_t wall_ms);
/* The session's thread, when the code of the job has run. */
void stop_disarm(snug_session *session);

#endif
