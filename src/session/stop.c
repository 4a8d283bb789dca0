#include "session/stop.h"

#include <stddef.h>

#include "base/clock.h"

/* The exception may be dropped by C code that ignores errors, so it is raised
 * again until the job has ended. Not more often: on 3.11 a wake-up every few
 * milliseconds keeps a thread from ever waiting long enough to be given the GIL. */
#define AGAIN_NS (12 * NS_PER_MS)

static snug_session *session_of(watch *item)
{
    return (snug_session *)(void *)((char *)item - offsetof(snug_session, watch));
}

static uint64_t on_deadline(watch *item, uint64_t now_ns)
{
    snug_session *session = session_of(item);
    interp_stop(session->interp, STOP_TIMEOUT, session->wall_ms);
    return now_ns + AGAIN_NS;
}

void stop_arm(snug_session *session, uint64_t wall_ms)
{
    session->wall_ms = wall_ms;
    session->watch.on_deadline = on_deadline;
    watchdog_arm(session->host->watchdog, &session->watch,
                 clock_deadline_ns(clock_now_ns(), wall_ms));
}

void stop_disarm(snug_session *session)
{
    watchdog_disarm(session->host->watchdog, &session->watch);
    interp_rest(session->interp);
}

static uint64_t strike(watch *item, void *ignored)
{
    (void)ignored;
    interp_stop(session_of(item)->interp, STOP_INTERRUPT, 0);
    return clock_now_ns() + AGAIN_NS;
}

void snug_session_interrupt(snug_session *session)
{
    if (session)
        watchdog_strike(session->host->watchdog, &session->watch, strike, NULL);
}
