#include "session/core/stop.h"

#include <fcntl.h>
#include <snug/snug.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/forked.h"
#include "base/process/procself.h"
#include "base/u64.h"
#include "py/life/runtime.h"
#include "session/core/session.h"

/* ---- job clock ---- */

/* ---- on any thread ---- */

static uint64_t cpu_now_ns(const session_stop *stop)
{
    struct timespec t;
    if (clock_gettime(stop->cpu_clock, &t) != 0)
        return 0; /* the thread has ended */
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* By the session's thread, for the job that is under way. */
static uint64_t job_cpu_ns(const session_stop *stop)
{
    uint64_t start_ns = atomic_load(&stop->cpu_start_ns), now_ns = cpu_now_ns(stop);
    return start_ns < now_ns ? now_ns - start_ns : 0;
}

/* Of all threads of the session, from some moment on. */
static uint64_t job_all_cpu_now_ns(const snug_session *session)
{
    return cpu_now_ns(&session->stop) + interp_threads_cpu_ns(session->interp);
}

/* What calls of tools that are not timed have taken. */
static uint64_t job_untimed_ns(const snug_session *session, uint64_t now_ns)
{
    if (!session->desk)
        return 0;
    return desk_untimed_ns(session->desk, now_ns) - session->stop.untimed_ns;
}

/* ---- on the session's ---- */

/* To read a thread's processor time is a system call, which would be half of a small cell's: so
 * what was read a moment ago goes on with the clock, and what took a moment counts by the clock. */
#define CPU_MOMENT_NS UINT64_C(50000)

static uint64_t read_cpu(session_stop *stop, uint64_t now_ns)
{
    stop->read_ns = now_ns;
    stop->read_cpu_ns = clock_thread_cpu_ns();
    return stop->read_cpu_ns;
}

void stop_begin_cpu(session_stop *stop, uint64_t now_ns)
{
    uint64_t passed_ns = now_ns - stop->read_ns;
    uint64_t cpu_ns = stop->read_cpu_ns + passed_ns;
    if (passed_ns >= CPU_MOMENT_NS)
        cpu_ns = read_cpu(stop, now_ns);

    stop->begun_ns = now_ns;
    atomic_store_explicit(&stop->cpu_start_ns, cpu_ns, memory_order_relaxed);
}

uint64_t stop_cpu_used_ns(session_stop *stop)
{
    uint64_t now_ns = clock_now_ns(), passed_ns = now_ns - stop->begun_ns;
    stop->ended_ns = now_ns;
    if (passed_ns < CPU_MOMENT_NS)
        return passed_ns;

    uint64_t start_ns = atomic_load(&stop->cpu_start_ns), cpu_ns = read_cpu(stop, now_ns);
    return cpu_ns > start_ns ? cpu_ns - start_ns : 0;
}

uint64_t stop_ran_ns(const snug_session *session)
{
    return job_cpu_ns(&session->stop);
}

/* ---- patience ---- */

/* How long a job waits for what others hold.
 *
 * On 3.11 a cell may wait for a neighbour that keeps the GIL: for the host's patience in all a job
 * waits for that, beyond its limits, before its caller is answered. */

#define PATIENCE_FOR_GIL "for the GIL, which another session holds"

static uint64_t patience_ns(const snug_session *session)
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

/* How much of the job's time its thread has neither run nor waited by itself: on 3.11 it wanted the
 * GIL. What looks like that for a moment is the machine's. The threads of a cell wait for each
 * other, too. */
static uint64_t patience_wanting_ns(const snug_session *session, uint64_t now_ns)
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

/* When to see again whether the GIL has moved on. */
static uint64_t patience_next_look_ns(const snug_session *session, uint64_t now_ns)
{
    return u64_sum(now_ns, u64_least(patience_ns(session) / 4 + 1, WAIT_LOOK_NS));
}

/* Whether all that the thread does now is to want the GIL, which another session has. */
static int patience_wants_gil(const snug_session *session)
{
    return session->interp && interp_waits_for_gil(session->interp, &session->thread.guard) &&
           !interp_is_waiting(session->interp) && !sleeps_elsewhere(session);
}

/* Whether the thread has wanted the GIL for so long, of a session that does not let go of it. */
static int patience_is_used_up(snug_session *session, uint64_t now_ns)
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

/* Of a session with a thread of its own: its caller is answered, with what the job waits for, and
 * the thread goes on. */
static void patience_leave(snug_session *session, const char *awaited)
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

/* ---- the steps ---- */

typedef struct steps {
    uint64_t starve_ms, jump_ms, libc_ms, over_ms, again_ms;
} steps;

/* On 3.11 all others stand still while a hang in C holds the one GIL, and a wake-up
 * more often than every ten milliseconds would keep a thread from ever waiting long
 * enough to be given it. The same holds among the threads of one session, on any version. */
static const steps shared_gil = { 30, 70, 130, 225, 12 }, own_gil = { 20, 50, 70, 90, 5 };

static const steps *steps_of(int has_threads)
{
    return has_threads || runtime_gil_is_shared() ? &shared_gil : &own_gil;
}

static int has_threads(const snug_session *session)
{
    return session->limits.threads > 0;
}

guard_stage stop_stage(uint64_t elapsed_ns, int is_full, int has_threads)
{
    const steps *s = steps_of(has_threads);
    uint64_t ms = elapsed_ns / NS_PER_MS;
    if (ms < s->starve_ms)
        return GUARD_INTERRUPT;
    if (ms < s->jump_ms || !is_full)
        return GUARD_STARVE;
    return ms < s->libc_ms ? GUARD_JUMP : GUARD_JUMP_LIBC;
}

/* Of a thread that keeps 3.11's GIL: nobody else runs, and nobody else is opened, until it has
 * gone. It will not go by itself. What takes longest in an allocator or a loader is the machine's
 * disk. */
enum { HELD_MS = 190, ALL_MS = 5000 };

guard_stage stop_last_stage(uint64_t elapsed_ns)
{
    uint64_t ms = elapsed_ns / NS_PER_MS;
    if (ms < HELD_MS)
        return GUARD_JUMP_LIBC;
    return ms < ALL_MS ? GUARD_JUMP_LOCKS : GUARD_JUMP_ALL;
}

int stop_is_over(uint64_t elapsed_ns, int has_threads)
{
    return elapsed_ns / NS_PER_MS >= steps_of(has_threads)->over_ms;
}

/* Four times what was measured for sets of strings, the slowest. */
enum { WORK_NS_PER_BYTE = 4, MOST_WORK_MS = 10000 };

uint64_t stop_work_ns(int64_t used_bytes)
{
    const uint64_t most_ns = MOST_WORK_MS * NS_PER_MS;
    if (used_bytes <= 0)
        return 0;
    return u64_least(u64_least((uint64_t)used_bytes, most_ns) * WORK_NS_PER_BYTE, most_ns);
}

/* ---- what is due ---- */

#define LOOK_NS (5 * NS_PER_MS)

/* How long from now until so much processor time may be used up: by the session's thread
 * it cannot pass faster than the clock, by several it can. */
static uint64_t look_after_ns(const snug_session *session, uint64_t left_ns)
{
    uint64_t others = session->limits.threads;
    if (others == 0 || left_ns == UINT64_MAX)
        return left_ns;
    if (others == UINT64_MAX)
        return LOOK_NS;
    uint64_t wait_ns = left_ns / (others + 1);
    return wait_ns > LOOK_NS ? wait_ns : LOOK_NS;
}

static uint64_t ms_to_ns(uint64_t ms)
{
    return ms > UINT64_MAX / NS_PER_MS ? UINT64_MAX : ms * NS_PER_MS;
}

/* Of the session's processor time, for this job. */
static uint64_t all_cpu_left_ns(const snug_session *session)
{
    uint64_t all_ns = ms_to_ns(session->job.limits.session_cpu_ms);
    if (all_ns == UINT64_MAX)
        return all_ns;
    return all_ns > session->cpu_used_ns ? all_ns - session->cpu_used_ns : 0;
}

static void enter_ladder(snug_session *session, stop_reason reason, uint64_t limit, uint64_t now_ns)
{
    session_stop *stop = &session->stop;
    stop->reason = reason;
    stop->limit = limit;
    stop->since_ns = stop->last_ns = now_ns;
    stop->last_cpu_ns = job_all_cpu_now_ns(session);
    stop->work_ns = stop_work_ns(atomic_load(&session->memory.used_bytes));
}

/* Later by the time that calls of tools took which are not timed. */
static uint64_t wall_deadline_ns(const snug_session *session, uint64_t now_ns)
{
    const uint64_t first_ns = session->stop.wall_deadline_ns;
    if (now_ns < first_ns)
        return first_ns;
    return u64_sum(first_ns, job_untimed_ns(session, now_ns));
}

/* Whether a limit is reached; if not, when to look again. Processor time cannot
 * pass faster than the clock, so the look comes when it could be used up. */
static uint64_t check_limits(snug_session *session, uint64_t now_ns)
{
    session_stop *stop = &session->stop;
    uint64_t cell_ns = ms_to_ns(session->job.limits.cpu_ms);
    uint64_t all_ns = ms_to_ns(session->job.limits.session_cpu_ms);

    const uint64_t deadline_ns = wall_deadline_ns(session, now_ns);
    uint64_t wall_look_ns = deadline_ns;
    if (runtime_gil_is_shared() && patience_is_used_up(session, now_ns)) {
        stop->waited_ns = patience_ns(session); /* its caller is answered at once */
        enter_ladder(session, STOP_STALLED, session->job.limits.wall_ms, now_ns);
        return now_ns;
    }

    if (now_ns >= deadline_ns) {
        int only_waits = patience_wanting_ns(session, now_ns) >= patience_ns(session) &&
                         patience_wants_gil(session);
        enter_ladder(session, only_waits ? STOP_STALLED : STOP_TIMEOUT, session->job.limits.wall_ms,
                     now_ns);
        return now_ns;
    }

    /* It may stand still, and be as near as now at each look. */
    if (deadline_ns != stop->wall_deadline_ns)
        wall_look_ns = u64_sum(deadline_ns, LOOK_NS);
    if (runtime_gil_is_shared())
        wall_look_ns = u64_least(wall_look_ns, patience_next_look_ns(session, now_ns));
    if (cell_ns == UINT64_MAX && all_ns == UINT64_MAX)
        return wall_look_ns;
    uint64_t used_ns = job_cpu_ns(stop) + interp_threads_cpu_ns(session->interp);
    uint64_t all_left_ns = all_cpu_left_ns(session);
    if (used_ns >= cell_ns) {
        enter_ladder(session, STOP_CPU, session->job.limits.cpu_ms, now_ns);
        return now_ns;
    }

    if (used_ns >= all_left_ns) {
        enter_ladder(session, STOP_SESSION_CPU, session->limits.session_cpu_ms, now_ns);
        return now_ns;
    }

    uint64_t left_ns = u64_least(cell_ns, all_left_ns) - used_ns;
    uint64_t look_ns = u64_sum(now_ns, look_after_ns(session, left_ns));
    return u64_least(look_ns, wall_look_ns);
}

/* ---- on the watchdog's thread, under its lock ---- */

/* As the kernel has it; '?' of one that is gone. */
static char state_of(pid_t tid)
{
    char path[64], text[512];

    snprintf(path, sizeof path, "task/%d/stat", (int)tid);
    int fd = procself_open(path, O_RDONLY);
    if (fd < 0)
        return '?';

    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *state = strrchr(text, ')'); /* the name before it may hold anything */
    return state && state[1] == ' ' ? state[2] : '?';
}

/* Whether the thread could run and is not let: the machine is busy. */
static int is_runnable(pid_t tid)
{
    return state_of(tid) == 'R';
}

/* D: deep in the kernel, which delivers no signal there; with many threads they wait so for
 * each other to map memory. */
static int would_run(pid_t tid)
{
    char state = state_of(tid);
    return state == 'R' || state == 'D';
}

static void note_if_it_would_run(void *answer, guard *g)
{
    if (would_run(g->tid))
        *(int *)answer = 1;
}

static int any_would_run(const snug_session *session)
{
    int answer = would_run(session->thread.tid) || interp_awaits_thread(session->interp);
    if (!answer)
        interp_each_thread(session->interp, note_if_it_would_run, &answer);
    return answer;
}

/* A processor that a virtual machine's host has taken away counts as the thread's own: all that
 * shows is that a kick does not come to a thread that runs. */
static int is_held_up(const snug_session *session)
{
    return guard_is_installed() && !guard_has_heard(&session->thread.guard) &&
           is_runnable(session->thread.tid);
}

/* The ladder's time goes on later by that, unless this has stood still for too long already. */
static void stand_still(session_stop *stop, uint64_t *account_ns, uint64_t most_ns, uint64_t ns)
{
    if (u64_sum(*account_ns, ns) > most_ns && !stop->is_left)
        return;
    *account_ns += ns;
    stop->since_ns += ns;
}

/* The ladder's time goes on only while the thread could have answered: not while it
 * makes the report or waits for 3.11's GIL behind a neighbour that hangs, nor while a
 * busy machine does not let it run, nor when we come late ourselves. So a rung is never
 * passed over. Before the first rung that costs the session, it has time to free what it has. */
static void keep_pace(snug_session *session, uint64_t now_ns)
{
    session_stop *stop = &session->stop;
    const steps *s = steps_of(has_threads(session));
    uint64_t most_ns = 2 * s->again_ms * NS_PER_MS;
    uint64_t cpu_ns = job_all_cpu_now_ns(session);
    uint64_t tick_ns = now_ns - stop->last_ns;
    uint64_t ran_ns = u64_least(cpu_ns - stop->last_cpu_ns, tick_ns);
    uint64_t counted_ns = u64_least(tick_ns, most_ns), waited_ns = 0, worked_ns = 0;
    const int is_kept_waiting = ran_ns < counted_ns / 2;

    if (interp_is_settled(session->interp)) {
        waited_ns = ran_ns;
        counted_ns = 0;
    } else if (is_held_up(session)) {
        counted_ns = 0;
    } else if (is_kept_waiting && interp_waits_for_gil(session->interp, &session->thread.guard)) {
        waited_ns = counted_ns;
        counted_ns = 0;
    } else if (ran_ns < counted_ns && any_would_run(session)) {
        counted_ns = ran_ns;
    }

    if (stop->last_ns - stop->since_ns >= s->starve_ms * NS_PER_MS)
        worked_ns = u64_least(counted_ns, ran_ns);

    stop->last_ns = now_ns;
    stop->last_cpu_ns = cpu_ns;
    stand_still(stop, &stop->starved_ns, STOP_LONGEST_MS * NS_PER_MS,
                tick_ns - counted_ns - waited_ns);
    stand_still(stop, &stop->waited_ns, patience_ns(session), waited_ns);
    stand_still(stop, &stop->worked_ns, stop->work_ns, worked_ns);
}

/* A kick that takes away the recursion may come between a read and a write of it, and is
 * undone then: one of several is not. */
enum { STARVE_AGAIN_MS = 2 };

static uint64_t again_ms(const snug_session *session, guard_stage stage)
{
    int is_at_work = !interp_waits_for_gil(session->interp, &session->thread.guard);
    if (stage == GUARD_STARVE && is_at_work)
        return STARVE_AGAIN_MS;
    return steps_of(has_threads(session))->again_ms;
}

/* A thread that sleeps and does not answer waits for somebody: perhaps in one of
 * 3.13's mutexes, which cannot be interposed, and may hold another. It is not torn
 * out; its turn comes, or its caller is answered without it. */
static guard_stage stage_for(guard_stage stage, const guard *g)
{
    if (stage >= GUARD_JUMP && !is_runnable(g->tid))
        return GUARD_STARVE;
    return stage;
}

/* Asleep or not, where it has the GIL. */
static guard_stage stage_after(uint64_t elapsed_ns, guard_stage stage, const guard *g)
{
    guard_stage last = stop_last_stage(elapsed_ns);
    if (stage == GUARD_JUMP_LIBC && last > stage && g->keeps_others && g->keeps_others(g))
        return last;
    return stage_for(stage, g);
}

typedef struct pressing {
    uint64_t elapsed_ns;
    guard_stage stage;
} pressing;

/* One of those that the cell has started. */
static void press(void *arg, guard *g)
{
    const pressing *p = arg;
    atomic_store(&g->stage, (int)stage_after(p->elapsed_ns, p->stage, g));
    if (guard_is_installed())
        guard_kick(g);
}

/* Who interrupts wants to be answered soon. */
static uint64_t bears_ns(const snug_session *session)
{
    if (session->stop.reason == STOP_INTERRUPT)
        return (uint64_t)steps_of(has_threads(session))->over_ms * NS_PER_MS;
    return patience_ns(session);
}

/* A neighbour that keeps the GIL must not cost anybody a session: its caller has waited enough, and
 * is answered without it. */
static void leave_if_stalled(snug_session *session)
{
    session_stop *stop = &session->stop;
    uint64_t step_ns = 4 * steps_of(has_threads(session))->again_ms * NS_PER_MS;
    if (u64_sum(stop->waited_ns, step_ns) >= bears_ns(session) && patience_wants_gil(session) &&
        !interp_is_settled(session->interp))
        patience_leave(session, PATIENCE_FOR_GIL);
}

/* What a handler of KeyboardInterrupt may take, with all that follows it in the cell. */
#define HANDLER_NS (3 * NS_PER_S)

/* The ladder starts again after that. A limit, or a second interrupt, does not wait for it. */
static int lets_handle(snug_session *session, uint64_t now_ns)
{
    session_stop *stop = &session->stop;
    interp *in = session->interp;
    if (!interp_handles_stop(in))
        return 0;

    if (stop->handled_ns == 0) {
        stop->handled_ns = now_ns;
        interp_starve(in, 0);
        atomic_store(&session->thread.guard.stage, GUARD_CALM);
    }

    stop->since_ns = stop->last_ns = now_ns;
    stop->last_cpu_ns = job_all_cpu_now_ns(session);
    if (stop->reason == STOP_INTERRUPT && !stop->is_asked && now_ns - stop->handled_ns < HANDLER_NS)
        return 1;
    interp_end_handling(in);
    return 0;
}

/* One step: raises, starves, kicks, and gives up. */
static uint64_t step_ladder(snug_session *session, uint64_t now_ns)
{
    session_stop *stop = &session->stop;
    interp *in = session->interp;

    if (lets_handle(session, now_ns)) {
        stop->next_ns = u64_sum(now_ns, again_ms(session, GUARD_CALM) * NS_PER_MS);
        return stop->next_ns;
    }
    keep_pace(session, now_ns);
    leave_if_stalled(session);
    pressing now = { now_ns - stop->since_ns, GUARD_CALM };
    now.stage = stop_stage(now.elapsed_ns, guard_is_full(), has_threads(session));
    guard_stage stage = GUARD_CALM;
    if (!interp_is_settled(in))
        stage = stage_after(now.elapsed_ns, now.stage, &session->thread.guard);

    interp_starve(in, stage >= GUARD_STARVE);
    atomic_store(&session->thread.guard.stage, (int)stage);
    interp_stop(in, stop->reason, stop->limit);

    /* What ends at the first step, as Python does, shall not find its connections disturbed. */
    if (now.elapsed_ns > 0)
        interp_stop_libraries(in);
    if (interp_is_settled(in) || interp_handles_stop(in)) /* since the look above */
        atomic_store(&session->thread.guard.stage, GUARD_CALM);
    interp_each_thread(in, press, &now);

    if ((int)stage > stop->rung && (int)stage <= GUARD_STARVE)
        stop->rung = (int)stage;
    if (guard_is_installed() && stage != GUARD_CALM)
        guard_kick(&session->thread.guard);
    else if (stage >= GUARD_STARVE)
        interp_cut_recursion(in);

    /* Nobody waits for one that runs on its caller's thread. */
    if (stop_is_over(now_ns - stop->since_ns, has_threads(session)) && !stop->is_given_up &&
        !session->thread.is_inline) {
        stop->is_given_up = 1;
        /* Before the caller knows. */
        atomic_fetch_add(&session->host->hung, 1);
        if (!mailbox_give_up(&session->thread.mailbox))
            atomic_fetch_sub(&session->host->hung, 1);
    }

    stop->next_ns = u64_sum(now_ns, again_ms(session, stage) * NS_PER_MS);
    return stop->next_ns;
}

static snug_session *session_of(watch *item)
{
    return (snug_session *)(void *)((char *)item - offsetof(snug_session, stop.watch));
}

static uint64_t on_deadline(watch *item, uint64_t now_ns)
{
    snug_session *session = session_of(item);
    if (session->stop.since_ns == 0) {
        uint64_t again_ns = check_limits(session, now_ns);
        if (session->stop.since_ns == 0)
            return again_ns;
    }
    return step_ladder(session, now_ns);
}

/* A stop that is under way goes on at its own pace: who interrupts again and again would keep the
 * session's thread from the lock that it has to take to end. */
static uint64_t on_interrupt(watch *item, void *ignored)
{
    snug_session *session = session_of(item);
    (void)ignored;
    if (session->stop.since_ns)
        return session->stop.next_ns;
    if (session->stop.is_settling)
        return item->deadline_ns;
    uint64_t now_ns = clock_now_ns();
    enter_ladder(session, STOP_INTERRUPT, 0, now_ns);
    return step_ladder(session, now_ns);
}

/* A limit, or an interrupt that does not wait, enters the ladder later. */
static uint64_t on_gentle_interrupt(watch *item, void *ignored)
{
    snug_session *session = session_of(item);
    session_stop *stop = &session->stop;
    (void)ignored;
    if (stop->since_ns)
        return stop->next_ns;
    if (stop->is_asked || stop->is_settling)
        return item->deadline_ns;
    stop->is_asked = 1;
    stop->rung = GUARD_INTERRUPT;
    interp_stop(session->interp, STOP_INTERRUPT, 0);
    if (guard_is_installed())
        guard_kick(&session->thread.guard);
    return item->deadline_ns;
}

/* ---- for jobs ---- */

void stop_prepare(session_stop *stop, uint64_t now_ns)
{
    stop->started_ns = now_ns;
    stop->since_ns = stop->handled_ns = 0;
    stop->waited_ns = stop->starved_ns = stop->worked_ns = 0;
    stop->reason = STOP_NONE;
    stop->is_given_up = 0;
    stop->is_left = 0;
    stop->is_asked = 0;
    stop->is_settling = 0;
    stop->rung = 0;
}

void stop_arm(snug_session *session, uint64_t now_ns)
{
    session_stop *stop = &session->stop;

    stop_prepare(stop, now_ns);
    stop->wall_deadline_ns = clock_deadline_ns(now_ns, session->job.limits.wall_ms);
    stop->untimed_ns = session->desk ? desk_untimed_ns(session->desk, now_ns) : 0;
    stop->own_ns = session->interp ? interp_own_waits_ns(session->interp, now_ns) : 0;
    stop->watch.on_deadline = on_deadline;
    uint64_t left_ns = u64_least(ms_to_ns(session->job.limits.cpu_ms), all_cpu_left_ns(session));
    uint64_t first_ns = u64_sum(now_ns, look_after_ns(session, left_ns));
    if (runtime_gil_is_shared()) {
        stop->turned_ns = now_ns;
        first_ns = u64_least(first_ns, u64_sum(now_ns, NS_PER_S));
    }

    atomic_store_explicit(&stop->cpu_start_ns, CPU_NOT_STARTED, memory_order_relaxed);
    watchdog_arm(session->host->watchdog, &stop->watch,
                 u64_least(first_ns, stop->wall_deadline_ns));
}

void stop_disarm(snug_session *session)
{
    session_stop *stop = &session->stop;
    watchdog_disarm(session->host->watchdog, &stop->watch);
    if (session->interp)
        interp_starve(session->interp, 0);
    atomic_store(&session->thread.guard.stage, GUARD_CALM);
}

static void strike(snug_session *session, uint64_t (*on_strike)(watch *item, void *ignored))
{
    int before = 1;

    /* Its job is not armed before it has a thread. */
    if (atomic_compare_exchange_strong(&session->park.is_waking, &before, 2) || before == 2)
        return;
    watchdog_strike(session->host->watchdog, &session->stop.watch, on_strike, NULL);
}

void local_interrupt(snug_session *session)
{
    strike(session, on_interrupt);
}

void local_interrupt_gently(snug_session *session)
{
    strike(session, on_gentle_interrupt);
}

static uint64_t look_at_stop(watch *item, void *is_under_way)
{
    const session_stop *stop = &session_of(item)->stop;
    *(int *)is_under_way = (stop->since_ns || stop->is_settling) && !stop->is_given_up;
    return item->deadline_ns;
}

int stop_is_under_way(snug_session *session)
{
    int is_under_way = 0;
    watchdog_strike(session->host->watchdog, &session->stop.watch, look_at_stop, &is_under_way);
    return is_under_way;
}
