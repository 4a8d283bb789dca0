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

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include <snug/snug.h>

#include "limits/guard.h"
#include "limits/watchdog.h"
#include "py/core/interp.h"

#define CPU_NOT_STARTED UINT64_MAX

/* The stop of the job that runs; guarded by the watchdog's lock while armed. */
typedef struct session_stop {
    watch watch;
    uint64_t started_ns, wall_deadline_ns;
    uint64_t untimed_ns;           /* the desk's, when the job began */
    uint64_t since_ns;             /* when the ladder was entered; 0: not yet */
    uint64_t next_ns;              /* when its next step is due */
    uint64_t last_ns, last_cpu_ns; /* at the last step */
    /* For how long the ladder's time has stood still, and why: each has a bound of its own. */
    uint64_t waited_ns;          /* for the GIL, or the report was being made */
    uint64_t starved_ns;         /* the machine did not let the thread run */
    uint64_t worked_ns, work_ns; /* it may be at work on all of its memory; for so long at most */
    uint64_t own_ns;             /* interp_own_waits_ns, when the job began */
    uint64_t turns, turned_ns;   /* of the GIL, and when they were seen to move last */
    stop_reason reason;
    uint64_t limit;
    clockid_t cpu_clock;           /* of the session's thread */
    _Atomic uint64_t cpu_start_ns; /* when the job began; CPU_NOT_STARTED before */
    uint64_t begun_ns, ended_ns;   /* the same, on the clock; and when its code had ended */
    uint64_t read_ns, read_cpu_ns; /* when cpu_clock was read last, and what it said */
    int rung;                      /* that ended the job */
    uint64_t handled_ns;           /* since when its code handles an interrupt; 0: it does not */
    int is_given_up;
    const char *awaited; /* what it waits for, of one that is left */
    int is_left;  /* the caller does not wait, and the thread comes back; guarded as is_given_up */
    int is_asked; /* it was interrupted gently */
    int is_settling; /* what the job has run has ended: it only puts that in order */
} session_stop;

/* The caller, before it hands over the job: the wait for the thread counts too. */
void stop_arm(snug_session *session, uint64_t now_ns);
/* What both begin with. */
void stop_prepare(session_stop *stop, uint64_t now_ns);
/* What a thread that keeps others from running is at then, past the last stage of all others. */
guard_stage stop_last_stage(uint64_t elapsed_ns);
/* The same for a job that no stop reaches: its caller waits until the GIL has been held by one and
 * the same session for the host's patience, or for STOP_LONGEST_MS. */
void stop_arm_wait(snug_session *session, uint64_t now_ns);
/* The session's thread, when the code of the job has run. */
void stop_disarm(snug_session *session);
/* The same where the job was stopped, and what that has left is put in order before it ends: no
 * stop reaches it any more, but its caller waits as after stop_arm_wait. Then stop_disarm. */
void stop_settle(snug_session *session);

/* The session's thread, as the code of the job begins and where it has ended: the processor time
 * it took, to a tenth of a millisecond. The clock is read at the end into ended_ns. */
void stop_begin_cpu(session_stop *stop, uint64_t now_ns);
uint64_t stop_cpu_used_ns(session_stop *stop);

/* Whether what the session runs is past its limits or interrupted, and has not been given up. Any
 * thread. */
int stop_is_under_way(snug_session *session);

/* interrupt of local_form: what runs is ended. Any thread. */
void local_interrupt(snug_session *session);
/* The same, but what it runs in C is waited for: the ladder is not entered. */
void local_interrupt_gently(snug_session *session);

/* No call waits longer for what no limit of the session's bounds. */
enum { STOP_LONGEST_MS = 60000 };

/* How long the session's thread has run for the job that is under way. Any thread. */
uint64_t stop_ran_ns(const snug_session *session);

/* The step of the ladder so long after it was entered, for a session that may have threads
 * or not. Pure. */
guard_stage stop_stage(uint64_t elapsed_ns, int is_full, int has_threads);
/* When the caller is answered whatever the thread does. Pure. */
int stop_is_over(uint64_t elapsed_ns, int has_threads);
/* How long one pass over that much memory may take: to free it, to collect it, to grow the table of
 * a dict. Pure. */
uint64_t stop_work_ns(int64_t used_bytes);

#endif
