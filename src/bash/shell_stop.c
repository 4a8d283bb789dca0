#include "bash/shell_stop.h"

#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/u64.h"
#include "bash/grants.h"

/* What a cell does between two looks is bounded by the machine alone. */
#define LOOK_NS (10 * NS_PER_MS)

/* A large folder takes a while to go through: it gets a tenth of the time. */
enum { REST = 10 };

/* Since the first step. */
#define TERM_NS (200 * NS_PER_MS)
#define KILL_NS (400 * NS_PER_MS)

/* The host kills the worker worker_grace_ms past the limit of time, or an interrupt: 5 s by
 * default. The shell is given up before that, with a second for what is done then. */
#define GRACE_NS (4 * NS_PER_S)
/* On a machine that is short of processors a shell gets none for seconds. */
#define LONGEST_NS (10 * NS_PER_S)

/* Many steps, because an interrupt that finds the shell waiting for a process is often lost on it;
 * but each also interrupts what the shell got with the one before, and on a busy machine it
 * takes a while to get there: so the last ones have time. */
#define CALM_NS (900 * NS_PER_MS)

static uint64_t pause_ns(const bash_stop *stop, uint64_t now_ns)
{
    return (now_ns - stop->since_ns >= CALM_NS ? 25 : 5) * LOOK_NS;
}

void stop_begin(bash_stop *stop, snug_session *session, uint64_t number, const snug_limits *limits)
{
    bash_session *b = session->shell;
    uint64_t now = clock_now_ns();

    *stop = (bash_stop){ .session = session,
                         .number = number,
                         .limits = *limits,
                         .started_ns = now,
                         .deadline_ns = clock_deadline_ns(now, limits->wall_ms),
                         .untimed_ns = desk_untimed_ns(session->desk, now),
                         .looked_ns = now,
                         .measure_ns = now,
                         .may_tidy = b->is_full,
                         .found = b->found };
    grants_forget();
    procs_look(&b->before, b->shell.pid);
    stop->cpu_start_ns = b->before.cpu_ns;

    /* What earlier cells have left running. */
    if (b->before.cpu_ns > b->cpu_ns)
        session->cpu_used_ns += b->before.cpu_ns - b->cpu_ns;
    stop->peak_bytes = b->before.bytes;
}

/* Later by the time in which the cell waits for a line. */
static uint64_t deadline_at(const bash_stop *stop, uint64_t now_ns)
{
    uint64_t untimed_ns = desk_untimed_ns(stop->session->desk, now_ns) - stop->untimed_ns;
    return u64_sum(stop->deadline_ns, untimed_ns);
}

static int is_over_cpu(uint64_t limit_ms, uint64_t used_ns)
{
    return limit_ms != SNUG_UNLIMITED && used_ns / NS_PER_MS >= limit_ms;
}

/* A folder that was full before the cell, and has not become fuller, is not its fault. */
static bash_reason look_at_files(bash_stop *stop)
{
    const tree_usage *now = &stop->session->shell->found;
    bash_reason reason = bounds_look_at_files(stop->session);
    stop->may_tidy =
        stop->may_tidy && now->bytes <= stop->found.bytes && now->files <= stop->found.files;
    stop->found = *now;
    return stop->may_tidy ? BASH_RUNS : reason;
}

static void note_memory(bash_stop *stop, uint64_t bytes)
{
    if (bytes > stop->peak_bytes)
        stop->peak_bytes = bytes;
}

static bash_reason find_reason(bash_stop *stop, uint64_t now_ns)
{
    uint64_t bytes;
    snug_session *session = stop->session;
    bash_session *b = session->shell;
    if (atomic_load(&b->is_wanted))
        return BASH_INTERRUPT;

    if (now_ns >= deadline_at(stop, now_ns))
        return BASH_TIME;
    if (now_ns - stop->looked_ns < LOOK_NS)
        return BASH_RUNS;

    stop->looked_ns = now_ns;
    bash_reason reason = bounds_look(session, &bytes);
    note_memory(stop, bytes);
    stop->cpu_ns = b->now.cpu_ns > stop->cpu_start_ns ? b->now.cpu_ns - stop->cpu_start_ns : 0;
    if (reason != BASH_RUNS)
        return reason;
    if (is_over_cpu(stop->limits.cpu_ms, stop->cpu_ns))
        return BASH_CPU;
    if (is_over_cpu(stop->limits.session_cpu_ms, session->cpu_used_ns + stop->cpu_ns))
        return BASH_SESSION_CPU;
    if (now_ns < stop->measure_ns)
        return BASH_RUNS;

    uint64_t began_ns = clock_thread_cpu_ns();
    reason = look_at_files(stop);
    stop->measure_ns = clock_now_ns() + REST * (clock_thread_cpu_ns() - began_ns);
    return reason;
}

/* Whether the processes have to end at once. A program that ends by an interrupt takes the loop
 * around it along in bash, one that is killed does not: so what can wait is interrupted first. */
static int is_flood(bash_reason reason)
{
    return reason == BASH_MEMORY || reason == BASH_PROCESS_COUNT;
}

/* Where the session as a whole has too much, what earlier cells have left running goes too. */
static int is_of_all(bash_reason reason)
{
    return is_flood(reason) || reason == BASH_DISK;
}

/* The shell is interrupted again with each step: one that comes while it waits for a process that
 * does not mind would be lost on it. */
static int climb_rung(bash_stop *stop, uint64_t now_ns)
{
    char end[64];
    bash_session *b = stop->session->shell;
    uint64_t passed_ns = now_ns - stop->since_ns;

    if (now_ns >= stop->lost_ns) {
        stop->rung = 3;
        return 1;
    }

    int is_hard = is_flood(stop->reason) || passed_ns >= KILL_NS;
    stop->rung = is_hard ? 2 : 1;

    kill(b->shell.pid, SIGINT);
    if (is_hard && is_of_all(stop->reason))
        bounds_end(stop->session, stop->reason);
    else if (is_hard)
        procs_end(&b->before, b->shell.pid);
    else if (procs_look(&b->now, b->shell.pid) == 0)
        procs_signal(&b->now, &b->before, b->shell.pid, passed_ns >= TERM_NS ? SIGTERM : SIGINT);
    kill(b->shell.pid, SIGINT);

    int len = snprintf(end, sizeof end, "\n__snug_end %llu \"$?\"\n", stop->number);
    shell_tell(&b->shell, end, (size_t)len);
    return 0;
}

static void begin_steps(bash_stop *stop, uint64_t now_ns)
{
    uint64_t limit_ns = stop->reason == BASH_INTERRUPT ? now_ns : deadline_at(stop, now_ns);

    stop->since_ns = now_ns;
    stop->lost_ns = u64_least(u64_sum(limit_ns, GRACE_NS), now_ns + LONGEST_NS);
}

int stop_look(bash_stop *stop)
{
    uint64_t now_ns = clock_now_ns();

    if (stop->reason == BASH_RUNS) {
        stop->reason = find_reason(stop, now_ns);
        if (stop->reason == BASH_RUNS)
            return 0;
        begin_steps(stop, now_ns);
    } else if (now_ns - stop->looked_ns < pause_ns(stop, now_ns)) {
        return 0;
    }

    stop->looked_ns = now_ns;
    return climb_rung(stop, now_ns);
}

uint64_t stop_next_ns(const bash_stop *stop)
{
    if (stop->reason != BASH_RUNS)
        return stop->looked_ns + pause_ns(stop, stop->looked_ns);
    return u64_least(stop->looked_ns + LOOK_NS, deadline_at(stop, clock_now_ns()));
}

/* What a cell has done since the last look, and what it leaves. */
static void look_again(bash_stop *stop)
{
    uint64_t bytes;
    stop->reason = bounds_look(stop->session, &bytes);
    if (stop->reason == BASH_RUNS)
        stop->reason = look_at_files(stop);
    note_memory(stop, bytes);
    stop->rung = stop->reason != BASH_RUNS ? 2 : 0;
}

void stop_end(bash_stop *stop)
{
    bash_session *b = stop->session->shell;

    if (stop->reason == BASH_RUNS)
        look_again(stop);

    /* Of a cell that was stopped nothing stays but what it has changed. */
    if (is_of_all(stop->reason))
        bounds_end(stop->session, stop->reason);
    else if (stop->reason != BASH_RUNS)
        procs_end(&b->before, b->shell.pid);

    if (procs_look(&b->now, b->shell.pid) == 0 && b->now.cpu_ns > stop->cpu_start_ns + stop->cpu_ns)
        stop->cpu_ns = b->now.cpu_ns - stop->cpu_start_ns;

    /* What was written until all were ended is not the next cell's fault. */
    if (stop->reason == BASH_DISK)
        bounds_look_at_files(stop->session);
    stop->session->cpu_used_ns += stop->cpu_ns;
    b->cpu_ns = stop->cpu_start_ns + stop->cpu_ns;
}
