#include "session/core/patience.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/procself.h"
#include "base/u64.h"
#include "py/life/runtime.h"
#include "session/core/job_clock.h"
#include "session/core/session.h"

uint64_t patience_ns(const snug_session *session)
{
    return session->host->patience_ns;
}

typedef enum whereabouts {
    RUNS,   /* or would, if a processor were free */
    SLEEPS, /* in a lock of its own or a library's, or for a file */
    WAITS_FOR_GIL,
    UNKNOWN
} whereabouts;

/* The kernel's word for what a session's thread is in. */
static whereabouts find_thread(const snug_session *session)
{
    char path[64], text[128];
    unsigned long long number, word;

    snprintf(path, sizeof path, "task/%d/syscall", (int)session->thread.tid);
    int fd = procself_open(path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return UNKNOWN;

    text[n] = '\0';
    if (sscanf(text, "%llu %llx", &number, &word) != 2) /* "running" */
        return RUNS;
    return runtime_is_gil_word((uintptr_t)word) ? WAITS_FOR_GIL : SLEEPS;
}

/* Where that cannot be read, a GIL that nobody else has is not waited for. */
static int sleeps_elsewhere(const snug_session *session)
{
    whereabouts where = find_thread(session);
    if (where == UNKNOWN)
        return !interp_waits_for_gil(session->interp, &session->thread.guard);
    return where == SLEEPS;
}

#define MOMENT_NS (20 * NS_PER_MS)

uint64_t patience_wanting_ns(const snug_session *session, uint64_t now_ns)
{
    const session_stop *stop = &session->stop;
    if (!session->interp || session->limits.threads > 0 || !runtime_gil_is_shared())
        return 0;

    uint64_t own_ns = interp_own_waits_ns(session->interp, now_ns) - stop->own_ns;
    uint64_t known_ns = u64_sum(u64_sum(job_cpu_ns(stop), own_ns), job_untimed_ns(session, now_ns));
    uint64_t passed_ns = now_ns - stop->started_ns;
    if (passed_ns <= known_ns + MOMENT_NS || sleeps_elsewhere(session))
        return 0;
    return passed_ns - known_ns;
}

#define WAIT_LOOK_NS (250 * NS_PER_MS)

uint64_t patience_next_look_ns(const snug_session *session, uint64_t now_ns)
{
    return u64_sum(now_ns, u64_least(patience_ns(session) / 4 + 1, WAIT_LOOK_NS));
}

int patience_wants_gil(const snug_session *session)
{
    return session->interp && interp_waits_for_gil(session->interp, &session->thread.guard) &&
           !interp_is_waiting(session->interp) && !sleeps_elsewhere(session);
}

int patience_is_used_up(snug_session *session, uint64_t now_ns)
{
    session_stop *stop = &session->stop;
    uint64_t turns;
    int is_held = runtime_gil_turns(&turns);

    if (!is_held || turns != stop->turns || !patience_wants_gil(session)) {
        stop->turns = turns;
        stop->turned_ns = now_ns;
    }
    return now_ns - stop->turned_ns >= patience_ns(session);
}

void patience_leave(snug_session *session, const char *awaited)
{
    if (session->thread.is_inline || session->stop.is_left || session->stop.is_given_up)
        return;
    session->stop.awaited = awaited;
    session->stop.is_left = 1;
    mailbox_leave(&session->thread.mailbox);
}

/* ---- jobs that no stop reaches ---- */

/* Of a job that no stop reaches. A GIL that moves on comes to everybody, and a thread that wants a
 * processor does not wait for it. */
static uint64_t on_wait(watch *item, uint64_t now_ns)
{
    snug_session *session =
        (snug_session *)(void *)((char *)item - offsetof(snug_session, stop.watch));
    session_stop *stop = &session->stop;
    uint64_t turns;
    int is_held = runtime_gil_turns(&turns);

    if (!is_held || turns != stop->turns || find_thread(session) == RUNS) {
        stop->turns = turns;
        stop->turned_ns = now_ns;
    }

    int is_kept = now_ns - stop->turned_ns >= patience_ns(session);
    int is_late = now_ns - stop->started_ns >= STOP_LONGEST_MS * NS_PER_MS;
    if (is_kept || is_late) {
        patience_leave(session, is_kept ? PATIENCE_FOR_GIL : "for its thread");
        return UINT64_MAX;
    }

    return u64_sum(now_ns, u64_least(patience_ns(session) / 4 + 1, WAIT_LOOK_NS));
}

static void watch_wait(snug_session *session, uint64_t now_ns)
{
    session_stop *stop = &session->stop;

    runtime_gil_turns(&stop->turns);
    stop->turned_ns = now_ns;
    stop->watch.on_deadline = on_wait;
    watchdog_arm(session->host->watchdog, &stop->watch, patience_next_look_ns(session, now_ns));
}

void stop_arm_wait(snug_session *session, uint64_t now_ns)
{
    stop_prepare(&session->stop, now_ns);
    session->stop.is_settling = 1;
    watch_wait(session, now_ns);
}

void stop_settle(snug_session *session)
{
    stop_disarm(session);
    session->stop.is_settling = 1;
    watch_wait(session, clock_now_ns());
}
