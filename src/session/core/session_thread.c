#include "session/core/session_thread.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/floats.h"
#include "session/core/inline.h"
#include "session/core/mailbox.h"
#include "session/core/session.h"
#include "session/core/stop.h"

/* ---- its jobs ---- */

int session_do_job(snug_session *session)
{
    session_job *job = &session->job;

    /* On the caller's own thread the job has just been asked for: to read the clock again would
     * show in the time of a small cell. */
    stop_begin_cpu(&session->stop, session->thread.is_inline ? job->asked_ns : clock_now_ns());
    job->error = job->fn(session, job->arg);
    const int wants_rest =
        session->interp && job->error != SNUG_EDEAD && !session->park.is_parked &&
        interp_stop_reason(session->interp) != STOP_NONE && !session->thread.is_inline;
    if (wants_rest)
        stop_settle(session); /* the rest takes the GIL */
    else if (job->limits.wall_ms > 0 || !session->thread.is_inline)
        stop_disarm(session);
    if (session->park.is_parked)
        return 1;

    if (session->interp && job->error != SNUG_EDEAD)
        interp_rest(session->interp);
    if (wants_rest)
        stop_disarm(session);

    /* The message is of this thread; the caller wants it. */
    if (job->error)
        snprintf(job->message, sizeof job->message, "%s", error_message());
    if (session->thread.guard.was_holding)
        atomic_fetch_add(&session->host->torn, 1);
    return job->error == SNUG_EDEAD;
}

static int do_job(void *session)
{
    return session_do_job(session);
}

static void *serve_jobs(void *arg)
{
    snug_session *session = arg;
    char *stack_low = thread_stack_low(&session->thread.handle);
    size_t bytes = (size_t)((char *)session->thread.handle.stack +
                            session->thread.handle.stack_bytes - stack_low);

    floats_reset();
    session->thread.tid = (pid_t)syscall(SYS_gettid);
    pthread_getcpuclockid(pthread_self(), &session->stop.cpu_clock);
    session->stop.read_ns = 0;
    int wants_guard = guard_is_installed();
    int is_guarded = wants_guard && guard_attach(&session->thread.guard, stack_low, bytes) == 0;
    session->thread.lacks_guard = wants_guard && !is_guarded;
    if (mailbox_serve(&session->thread.mailbox, do_job, session))
        atomic_fetch_sub(&session->host->hung, 1);
    int is_torn = session->interp && !session->park.is_parked;
    atomic_store(&session->thread.has_ended, 1); /* who sees it joins first */
    if (is_guarded && is_torn)
        guard_vanish(&session->thread.guard);
    if (is_guarded)
        guard_detach(&session->thread.guard);
    return NULL;
}

/* ---- its start ---- */

static const char thread_name[] = "snug session";

/* Twice the memory limit, so that a deep recursion in C meets that first. Only
 * what is touched is committed. */
static size_t session_stack_bytes(const snug_session *session)
{
    uint64_t wanted = session->limits.memory_bytes;
    return wanted < INTERP_MOST_STACK_BYTES / 2 ? (size_t)wanted * 2 : INTERP_MOST_STACK_BYTES;
}

int session_start_thread(snug_session *session)
{
    const mailbox before = session->thread.mailbox;
    session->thread.mailbox =
        (mailbox){ .rings = before.rings, .ring = before.ring, .bell = before.bell };
    session->thread.guard = (guard){ .owner = session, .disk = &session->files.disk };
    interp_set_guard(&session->thread.guard);
    atomic_store(&session->thread.has_ended, 0);
    session->thread.is_sealed = 0;
    session->thread.lacks_guard = 0;
    if (session->thread.is_inline)
        return inline_begin(session);

    if (session->park.is_parked)
        return thread_again(&session->thread.handle, thread_name, serve_jobs, session);
    return thread_start(&session->thread.handle, thread_name, session_stack_bytes(session),
                        serve_jobs, session);
}
