/*
 * job_clock.h - what a session's job has taken of the processor and of the clock.
 */
#ifndef SNUG_SESSION_JOB_CLOCK_H
#define SNUG_SESSION_JOB_CLOCK_H

#include <stdint.h>

#include "session/core/stop.h"

/* By the session's thread, for the job that is under way. */
uint64_t job_cpu_ns(const session_stop *stop);
/* Of all threads of the session, from some moment on. */
uint64_t job_all_cpu_now_ns(const snug_session *session);
/* What calls of tools that are not timed have taken. */
uint64_t job_untimed_ns(const snug_session *session, uint64_t now_ns);

#endif
