#include "session/life/make.h"
#include "test.h"

#include <snug/snug.h>

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "fake_interp.h"
#include "session/core/session.h"
#include "session/core/stop.h"
#include "session/result/result.h"

/* The session layer and the ladder as they are, with a Python that only pretends. */

/* A bound that only a hang reaches; FAKE_BOUND_MS is longer. */
enum { SOON_MS = 600000 };

/* ---- hosts, sessions and cells ---- */

typedef enum ladder {
    WITHOUT_SIGNALS, /* libsnug unless asked */
    SHORT,           /* libsnug with SNUG_HOST_SIGNALS */
    FULL,            /* the programs; the interposed functions are not here, nor needed */
    LADDERS
} ladder;

static snug_host *open_patient_host(ladder which, uint64_t patience_ms)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_host *host = NULL;
    fake_reset();
    guard_uninstall(); /* cmocka puts its own handlers before ours in each test */
    atomic_store(&fake.ladder_is_full, which == FULL);
    options.flags = which == WITHOUT_SIGNALS ? 0 : SNUG_HOST_SIGNALS;
    options.patience_ms = patience_ms;
    assert_int_equal(snug_host_open(&host, &options), SNUG_OK);
    return host;
}

static snug_host *open_host(ladder which)
{
    return open_patient_host(which, 0);
}

static snug_session *open_session(snug_host *host, const snug_limits *limits)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits usual = SNUG_LIMITS_INIT;
    snug_session *session = NULL;
    usual.memory_bytes = 16 << 20;
    options.limits = limits ? limits : &usual;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    return session;
}

static void sleep_ms(long ms)
{
    const struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };
    nanosleep(&pause, NULL);
}

static int becomes_true(_Atomic int *word)
{
    uint64_t end_ns = clock_deadline_ns(clock_now_ns(), SOON_MS);
    while (!atomic_load(word) && clock_now_ns() < end_ns)
        sleep_ms(1);
    return atomic_load(word);
}

/* Nothing may be left of the sessions, their threads included. */
static void close_host(snug_host *host)
{
    uint64_t end_ns = clock_deadline_ns(clock_now_ns(), SOON_MS);
    while (host_reap(host) > 0 && clock_now_ns() < end_ns)
        sleep_ms(1);
    assert_int_equal(host_reap(host), 0);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_int_equal(fake.misuses, 0);
}

typedef struct ending {
    int error;
    snug_status status;
    snug_state state;
    int rung;
    uint64_t wall_ms;
} ending;

/* Without asserts: also for other threads than the test's. */
static ending run(snug_session *session, const char *cell, const snug_limits *limits)
{
    snug_result *result = NULL;
    ending end = { 0 };
    end.error = snug_session_run(&result, session, cell, strlen(cell), limits);
    if (end.error)
        return end;
    end.status = result->outcome.status;
    end.state = result->state;
    end.rung = result->rung;
    end.wall_ms = result->wall_ns / NS_PER_MS;
    snug_result_free(result);
    return end;
}

static int is_fine(ending end)
{
    return end.error == SNUG_OK && end.status == SNUG_STATUS_OK && end.state == SNUG_STATE_KEPT &&
           end.rung == 0;
}

static void assert_kept(ending end, snug_status status, int rung)
{
    assert_int_equal(end.error, SNUG_OK);
    assert_int_equal(end.state, SNUG_STATE_KEPT);
    assert_int_equal(end.status, status);
    assert_int_equal(end.rung, rung);
    assert_true(end.wall_ms < SOON_MS);
}

static const snug_limits short_time = { .size = sizeof(snug_limits), .wall_ms = 30 },
                         long_time = { .size = sizeof(snug_limits), .wall_ms = 60000 };

/* ---- the steps ---- */

typedef struct stage_row {
    int gil_is_shared, is_full;
    uint64_t ms;
    guard_stage stage;
} stage_row;

static void a_stage_follows_from_the_time(void **state)
{
    static const stage_row rows[] = {
        { 0, 1, 0, GUARD_INTERRUPT },    { 0, 1, 19, GUARD_INTERRUPT },
        { 0, 1, 20, GUARD_STARVE },      { 0, 1, 49, GUARD_STARVE },
        { 0, 1, 50, GUARD_JUMP },        { 0, 1, 69, GUARD_JUMP },
        { 0, 1, 70, GUARD_JUMP_LIBC },   { 0, 1, 1000000, GUARD_JUMP_LIBC },
        { 0, 0, 19, GUARD_INTERRUPT },   { 0, 0, 20, GUARD_STARVE },
        { 0, 0, 1000000, GUARD_STARVE }, { 1, 1, 29, GUARD_INTERRUPT },
        { 1, 1, 30, GUARD_STARVE },      { 1, 1, 69, GUARD_STARVE },
        { 1, 1, 70, GUARD_JUMP },        { 1, 1, 129, GUARD_JUMP },
        { 1, 1, 130, GUARD_JUMP_LIBC },  { 1, 0, 29, GUARD_INTERRUPT },
        { 1, 0, 30, GUARD_STARVE },      { 1, 0, 130, GUARD_STARVE },
    };
    fake_reset();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t first_ns = rows[i].ms * NS_PER_MS, last_ns = first_ns + NS_PER_MS - 1;
        atomic_store(&fake.gil_is_shared, rows[i].gil_is_shared);
        assert_int_equal(stop_stage(first_ns, rows[i].is_full, 0), rows[i].stage);
        assert_int_equal(stop_stage(last_ns, rows[i].is_full, 0), rows[i].stage);
        atomic_store(&fake.gil_is_shared, 0);
        if (rows[i].gil_is_shared) /* as the threads of one session share theirs */
            assert_int_equal(stop_stage(first_ns, rows[i].is_full, 1), rows[i].stage);
    }
}

static void the_end_of_the_wait_comes_after_the_last_stage(void **state)
{
    static const uint64_t over_ms[] = { 90, 225 };
    fake_reset();
    for (int shared = 0; shared < 2; shared++) {
        uint64_t over_ns = over_ms[shared] * NS_PER_MS;
        atomic_store(&fake.gil_is_shared, shared);
        assert_false(stop_is_over(0, 0));
        assert_false(stop_is_over(over_ns - 1, 0));
        assert_true(stop_is_over(over_ns, 0));
        assert_true(stop_is_over(UINT64_MAX, 0));
        assert_int_equal(stop_stage(over_ns - 1, 1, 0), GUARD_JUMP_LIBC);
    }
    assert_false(stop_is_over(224 * NS_PER_MS, 1));
    assert_true(stop_is_over(225 * NS_PER_MS, 1));
}

/* ---- what ends how ---- */

/* Twice in one session: the second finds nothing left of the first. */
static void assert_ends(ladder which, int gil_is_shared, const char *cell, int rung)
{
    snug_host *host = open_host(which);
    atomic_store(&fake.gil_is_shared, gil_is_shared);
    snug_session *session = open_session(host, NULL);
    for (int i = 0; i < 2; i++) {
        ending end = run(session, cell, &short_time);
        assert_kept(end, SNUG_STATUS_TIMEOUT, rung);
        assert_true(end.wall_ms >= short_time.wall_ms);
        assert_int_equal(session->interp->last_reason, STOP_TIMEOUT);
        assert_int_equal(session->interp->last_limit, short_time.wall_ms);
        assert_int_equal(session->interp->reasons_mixed, 0);
        assert_int_equal(session->thread.guard.stage, GUARD_CALM);
        atomic_store(&session->interp->cuts, 0);
        assert_true(is_fine(run(session, "returns", NULL)));
    }
    snug_session_close(session);
    close_host(host);
}

static void code_that_looks_for_a_stop_ends_at_the_first_rung(void **state)
{
    for (ladder which = 0; which < LADDERS; which++)
        assert_ends(which, which % 2, "ends_when_stopped", GUARD_INTERRUPT);
}

static void code_that_only_meets_refusals_ends_at_the_second_rung(void **state)
{
    for (ladder which = 0; which < LADDERS; which++)
        assert_ends(which, which % 2, "ends_when_starved", GUARD_STARVE);
}

static void code_that_only_recurses_ends_at_the_second_rung(void **state)
{
    for (ladder which = 0; which < LADDERS; which++)
        assert_ends(which, which % 2, "ends_when_it_may_not_recurse", GUARD_STARVE);
}

static void the_first_rung_starves_nobody(void **state)
{
    snug_host *host = open_host(WITHOUT_SIGNALS);
    snug_session *session = open_session(host, NULL);
    assert_kept(run(session, "ends_when_stopped", &short_time), SNUG_STATUS_TIMEOUT,
                GUARD_INTERRUPT);
    assert_int_equal(session->interp->starvings, 0);
    assert_int_equal(session->interp->cuts, 0);
    snug_session_close(session);
    close_host(host);
}

static void code_that_answers_nobody_is_torn_out_of_by_the_full_ladder(void **state)
{
    snug_host *host = open_host(FULL);
    snug_session *session = open_session(host, NULL);
    ending end = run(session, "answers_nobody", &short_time);
    assert_int_equal(end.error, SNUG_OK);
    assert_int_equal(end.state, SNUG_STATE_LOST);
    assert_int_equal(end.status, SNUG_STATUS_TIMEOUT);
    assert_false(session->stop.is_given_up);
    assert_true(becomes_true(&session->thread.has_ended));
    assert_int_equal(run(session, "returns", NULL).error, SNUG_EDEAD);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    assert_true(is_fine(run(session, "returns", NULL)));
    snug_session_close(session);
    close_host(host);
}

/* The thread comes back only when its caller has long been answered. */
static void assert_given_up(ladder which, const char *cell)
{
    snug_host *host = open_host(which);
    snug_session *session = open_session(host, NULL);
    ending end = run(session, cell, &short_time);
    interp *in = session->interp;
    assert_int_equal(end.error, SNUG_OK);
    assert_int_equal(end.state, SNUG_STATE_LOST);
    assert_int_equal(end.status, SNUG_STATUS_TIMEOUT);
    assert_true(end.wall_ms >= 30 + 90 && end.wall_ms < SOON_MS);
    assert_true(session->stop.is_given_up);
    assert_true(in->is_inside);
    assert_int_equal(run(session, "returns", NULL).error, SNUG_EDEAD);
    assert_int_equal(snug_session_reset(session), SNUG_OK); /* another one stands for it */
    assert_true(is_fine(run(session, "returns", NULL)));
    int stops = in->stops;
    for (int i = 0; i < 100; i++, sleep_ms(1))
        assert_int_equal(session->thread.guard.stage, GUARD_STARVE);
    assert_true(in->stops > stops); /* the ladder goes on */
    assert_false(session->thread.has_ended);
    fake_let_end(in);
    assert_true(becomes_true(&session->thread.has_ended));
    snug_session_close(session);
    close_host(host);
}

static void code_that_never_answers_keeps_no_caller_and_its_thread_ends_later(void **state)
{
    assert_given_up(WITHOUT_SIGNALS, "answers_nobody");
    assert_given_up(SHORT, "answers_nobody");
}

/* It may hold what others wait for. */
static void a_thread_that_sleeps_is_not_torn_out_but_given_up(void **state)
{
    for (ladder which = 0; which < LADDERS; which++)
        assert_given_up(which, "sleeps_deaf");
}

static void a_session_that_is_closed_before_its_thread_ends_is_reaped(void **state)
{
    snug_host *host = open_host(WITHOUT_SIGNALS);
    snug_session *session = open_session(host, NULL);
    assert_int_equal(run(session, "answers_nobody", &short_time).state, SNUG_STATE_LOST);
    interp *in = session->interp;
    snug_session_close(session);
    assert_int_equal(host_reap(host), 1);
    fake_let_end(in);
    close_host(host);
}

static void a_scan_that_never_answers_keeps_no_caller(void **state)
{
    snug_scan_options options = SNUG_SCAN_OPTIONS_INIT;
    snug_scan *report = NULL;
    snug_host *host = open_host(WITHOUT_SIGNALS);
    options.wall_ms = 30;
    assert_int_equal(snug_host_scan(&report, host, "1", 1, &options), SNUG_OK);
    assert_int_equal(snug_scan_finding_count(report), 1);
    assert_string_equal(snug_scan_finding(report, 0)->rule, "length");
    snug_scan_free(report);
    atomic_store(&fake.scan_may_end, 1);
    assert_int_equal(snug_host_scan(&report, host, "1", 1, NULL), SNUG_OK);
    assert_int_equal(snug_scan_finding_count(report), 0);
    snug_scan_free(report);
    close_host(host);
}

/* ---- who is left alone ---- */

static void code_that_has_settled_makes_its_report_in_peace(void **state)
{
    for (ladder which = 0; which < LADDERS; which++) {
        snug_host *host = open_host(which);
        snug_session *session = open_session(host, NULL);
        ending end = run(session, "settles_and_reports_long", &short_time);
        assert_true(is_fine(end));
        assert_true(end.wall_ms >= 300);
        assert_int_equal(session->interp->last_reason, STOP_TIMEOUT); /* it was due */
        assert_int_equal(session->interp->starvings, 0);
        assert_int_equal(session->interp->cuts, 0);
        assert_int_equal(session->interp->kicks, 0);
        snug_session_close(session);
        close_host(host);
    }
}

static void code_that_settles_on_the_second_rung_is_starved_no_longer(void **state)
{
    for (ladder which = 0; which < LADDERS; which++) {
        snug_host *host = open_host(which);
        snug_session *session = open_session(host, NULL);
        assert_true(is_fine(run(session, "settles_when_starved", &short_time)));
        assert_int_equal(session->thread.guard.stage, GUARD_CALM);
        snug_session_close(session);
        close_host(host);
    }
}

static void the_ladder_stands_still_for_who_waits_for_the_gil(void **state)
{
    for (ladder which = 0; which < LADDERS; which++) {
        snug_host *host = open_host(which);
        snug_session *session = open_session(host, NULL);
        ending end = run(session, "waits_for_the_gil_and_ends_when_stopped", &short_time);
        assert_kept(end, SNUG_STATUS_TIMEOUT, GUARD_INTERRUPT);
        assert_true(end.wall_ms >= 300);
        snug_session_close(session);
        close_host(host);
    }
}

static void the_ladder_stands_still_while_no_kick_comes_to_a_thread_that_runs(void **state)
{
    for (ladder which = SHORT; which < LADDERS; which++) {
        snug_host *host = open_host(which);
        snug_session *session = open_session(host, NULL);
        ending end = run(session, "turns_deaf_and_ends_when_stopped", &short_time);
        assert_kept(end, SNUG_STATUS_TIMEOUT, GUARD_INTERRUPT);
        assert_true(end.wall_ms >= 300);
        snug_session_close(session);
        close_host(host);
    }
}

/* That is not what the patience is for. */
static void no_patience_is_spent_on_a_thread_that_is_not_let_run(void **state)
{
    for (ladder which = SHORT; which < LADDERS; which++) {
        snug_host *host = open_patient_host(which, 1);
        snug_session *session = open_session(host, NULL);
        ending end = run(session, "turns_deaf_and_ends_when_stopped", &short_time);
        assert_kept(end, SNUG_STATUS_TIMEOUT, GUARD_INTERRUPT);
        snug_session_close(session);
        close_host(host);
    }
}

static void a_cell_that_wants_the_gil_reaches_its_limit_of_elapsed_time(void **state)
{
    snug_host *host = open_patient_host(SHORT, SNUG_UNLIMITED);
    atomic_store(&fake.gil_is_shared, 1);
    snug_session *session = open_session(host, NULL);
    ending end = run(session, "waits_for_the_gil_until_it_is_stopped", &short_time);
    assert_kept(end, SNUG_STATUS_TIMEOUT, GUARD_INTERRUPT);
    snug_session_close(session);
    close_host(host);
}

/* Its thread has the GIL, which nobody else wants, for longer than the patience. */
static void an_open_that_runs_does_not_wait_for_the_gil(void **state)
{
    snug_host *host = open_patient_host(SHORT, 20);
    atomic_store(&fake.gil_is_shared, 1);
    atomic_store(&fake.burns_ms, 200);
    snug_session_close(open_session(host, NULL));
    close_host(host);
}

static void there_is_time_for_one_pass_over_the_memory_that_is_in_use(void **state)
{
    static const uint64_t most_ns = 10000 * NS_PER_MS;
    assert_int_equal(stop_work_ns(-1), 0);
    assert_int_equal(stop_work_ns(1 << 20), 4 << 20);
    assert_int_equal(stop_work_ns((int64_t)most_ns / 4), most_ns);
    assert_int_equal(stop_work_ns(INT64_MAX), most_ns);
    for (ladder which = 0; which < LADDERS; which++) {
        snug_host *host = open_host(which);
        snug_session *session = open_session(host, NULL);
        session->memory.used_bytes = INT64_MAX / 2;
        ending end = run(session, "frees_for_150_ms", &short_time);
        assert_kept(end, SNUG_STATUS_TIMEOUT, GUARD_STARVE);
        session->memory.used_bytes = 0;
        snug_session_close(session);
        close_host(host);
    }
}

static void *spin(void *arg)
{
    while (!atomic_load((_Atomic int *)arg))
        ;
    return NULL;
}

static void a_thread_that_shares_its_processor_has_the_same_time_to_free(void **state)
{
    cpu_set_t before, one;
    pthread_t neighbour;
    _Atomic int is_over = 0;
    size_t first = 0;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    while (!CPU_ISSET(first, &before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(pthread_create(&neighbour, NULL, spin, &is_over), 0);
    for (ladder which = 0; which < LADDERS; which++) {
        snug_host *host = open_host(which);
        snug_session *session = open_session(host, NULL);
        session->memory.used_bytes = INT64_MAX / 2;
        assert_kept(run(session, "frees_for_900_ms", &short_time), SNUG_STATUS_TIMEOUT,
                    GUARD_STARVE);
        session->memory.used_bytes = 0;
        snug_session_close(session);
        close_host(host);
    }
    atomic_store(&is_over, 1);
    pthread_join(neighbour, NULL);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void code_in_time_is_not_stopped(void **state)
{
    snug_host *host = open_host(SHORT);
    snug_session *session = open_session(host, NULL);
    assert_true(is_fine(run(session, "sleeps_100_ms", &long_time)));
    assert_int_equal(session->interp->stops, 0);
    assert_int_equal(session->interp->kicks, 0);
    snug_session_close(session);
    close_host(host);
}

/* ---- processor time ---- */

static void processor_time_is_limited_and_sleep_is_none(void **state)
{
    const snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = 60000, .cpu_ms = 40 };
    snug_host *host = open_host(WITHOUT_SIGNALS);
    snug_session *session = open_session(host, NULL);
    assert_true(is_fine(run(session, "sleeps_100_ms", &limits)));
    assert_int_equal(session->interp->stops, 0);
    uint64_t used_ns = session->cpu_used_ns;
    assert_kept(run(session, "ends_when_stopped", &limits), SNUG_STATUS_TIMEOUT, GUARD_INTERRUPT);
    assert_int_equal(session->interp->last_reason, STOP_CPU);
    assert_int_equal(session->interp->last_limit, 40);
    assert_true(session->cpu_used_ns - used_ns >= 40 * NS_PER_MS);
    snug_session_close(session);
    close_host(host);
}

static void the_processor_time_of_all_threads_is_limited(void **state)
{
    const snug_limits limits = { .size = sizeof(snug_limits),
                                 .wall_ms = 60000,
                                 .cpu_ms = 600,
                                 .memory_bytes = 16 << 20,
                                 .threads = 3 };
    snug_host *host = open_host(WITHOUT_SIGNALS);
    snug_session *session = open_session(host, &limits);
    ending end = run(session, "sleeps_while_three_threads_burn", NULL);
    assert_kept(end, SNUG_STATUS_TIMEOUT, GUARD_INTERRUPT);
    assert_int_equal(session->interp->last_reason, STOP_CPU);
    assert_true(end.wall_ms >= 150); /* a third of it, and the session's own thread takes some */
    snug_session_close(session);
    close_host(host);
}

static void a_stop_takes_each_thread_of_the_session_up_the_ladder(void **state)
{
    for (ladder which = 0; which < LADDERS; which++)
        assert_ends(which, which % 2, "ends_when_its_thread_is_starved", GUARD_STARVE);
}

static void the_processor_time_of_earlier_cells_is_not_the_next_ones(void **state)
{
    const snug_limits limits = {
        .size = sizeof(snug_limits), .wall_ms = 60000, .cpu_ms = 100, .memory_bytes = 16 << 20
    };
    snug_host *host = open_host(WITHOUT_SIGNALS);
    snug_session *session = open_session(host, &limits);
    for (int i = 0; i < 3; i++)
        assert_true(is_fine(run(session, "burns_60_ms_and_sleeps", NULL)));
    assert_int_equal(session->interp->stops, 0);
    snug_session_close(session);
    close_host(host);
}

static void the_cells_of_a_session_share_its_processor_time(void **state)
{
    const snug_limits limits = { .size = sizeof(snug_limits),
                                 .wall_ms = 60000,
                                 .session_cpu_ms = 400,
                                 .memory_bytes = 16 << 20 };
    snug_host *host = open_host(WITHOUT_SIGNALS);
    snug_session *session = open_session(host, &limits);
    assert_true(is_fine(run(session, "burns_150_ms", NULL)));
    assert_true(is_fine(run(session, "burns_150_ms", NULL)));
    assert_kept(run(session, "burns_150_ms", NULL), SNUG_STATUS_TIMEOUT, GUARD_INTERRUPT);
    assert_int_equal(session->interp->last_reason, STOP_SESSION_CPU);
    assert_int_equal(session->interp->last_limit, 400);
    /* What is not a cell is not stopped for it. */
    int stops = (int)session->interp->stops;
    assert_int_equal(snug_session_is_complete(session, "sleep", 5), 1);
    assert_int_equal(session->interp->stops, stops);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    assert_true(is_fine(run(session, "burns_150_ms", NULL)));
    snug_session_close(session);
    close_host(host);
}

/* More than half of the session's is used, so that to count it twice is too much. */
static void processor_time_is_counted_once(void **state)
{
    const snug_limits limits = { .size = sizeof(snug_limits),
                                 .wall_ms = 60000,
                                 .session_cpu_ms = 250,
                                 .memory_bytes = 16 << 20 };
    snug_host *host = open_host(WITHOUT_SIGNALS);
    snug_session *session = open_session(host, &limits);
    assert_true(is_fine(run(session, "burns_150_ms", NULL)));
    for (int i = 0; i < 5; i++) {
        assert_int_equal(snug_session_is_complete(session, "sleep", 5), 1);
        assert_true(is_fine(run(session, "returns", NULL)));
    }
    assert_int_equal(session->interp->stops, 0);
    snug_session_close(session);
    close_host(host);
}

/* ---- interrupts ---- */

typedef struct interrupter {
    snug_session *session;
    pthread_t thread;
    _Atomic int asked, answered; /* rounds */
    _Atomic int is_over;
} interrupter;

/* Interrupts once for each round that is asked for. */
static void *interrupt_when_asked(void *arg)
{
    interrupter *other = arg;
    for (int round = 0; !atomic_load(&other->is_over);) {
        if (atomic_load(&other->asked) == round)
            continue;
        snug_session_interrupt(other->session);
        atomic_store(&other->answered, ++round);
    }
    return NULL;
}

static void *interrupt_always(void *arg)
{
    interrupter *other = arg;
    while (!atomic_load(&other->is_over))
        snug_session_interrupt(other->session);
    return NULL;
}

static void *interrupt_often(void *arg)
{
    interrupter *other = arg;
    for (; !atomic_load(&other->is_over); sleep_ms(5))
        snug_session_interrupt(other->session);
    return NULL;
}

static void start(interrupter *other, void *(*fn)(void *arg))
{
    assert_int_equal(pthread_create(&other->thread, NULL, fn, other), 0);
}

static void end(interrupter *other)
{
    atomic_store(&other->is_over, 1);
    pthread_join(other->thread, NULL);
}

static void an_interrupt_ends_the_cell_that_runs(void **state)
{
    for (ladder which = 0; which < LADDERS; which++) {
        snug_host *host = open_host(which);
        snug_session *session = open_session(host, NULL);
        interrupter other = { .session = session };
        snug_session_interrupt(session); /* nothing runs */
        assert_true(is_fine(run(session, "returns", NULL)));
        start(&other, interrupt_always);
        /* Who interrupts without a pause may keep the cell from a processor for a rung. */
        ending stopped = run(session, "ends_when_stopped", &long_time);
        assert_in_range(stopped.rung, GUARD_INTERRUPT, GUARD_STARVE);
        assert_kept(stopped, SNUG_STATUS_INTERRUPTED, stopped.rung);
        end(&other);
        assert_int_equal(session->interp->last_reason, STOP_INTERRUPT);
        assert_true(is_fine(run(session, "returns", NULL)));
        snug_session_close(session);
        close_host(host);
    }
}

static void an_interrupt_is_not_raised_in_its_handler(void **state)
{
    for (ladder which = 0; which < LADDERS; which++) {
        snug_host *host = open_host(which);
        snug_session *session = open_session(host, NULL);
        interrupter other = { .session = session };
        start(&other, interrupt_often);
        ending end_of_cell = run(session, "handles_an_interrupt", &long_time);
        end(&other);
        assert_kept(end_of_cell, SNUG_STATUS_INTERRUPTED, GUARD_INTERRUPT);
        snug_session_close(session);
        close_host(host);
    }
}

/* The interrupt comes when the first cell begins or runs, when it has just ended, or while
 * nothing runs; the second begins after it. */
static void an_interrupt_never_reaches_the_next_cell(void **state)
{
    enum { ROUNDS = 3000 };
    snug_host *host = open_host(SHORT);
    snug_session *session = open_session(host, NULL);
    interrupter other = { .session = session };
    start(&other, interrupt_when_asked);
    int hits = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        atomic_store(&other.asked, round);
        ending first = run(session, "spins_30_us", NULL);
        assert_int_equal(first.error, SNUG_OK);
        assert_int_equal(first.state, SNUG_STATE_KEPT);
        hits += first.status == SNUG_STATUS_INTERRUPTED;
        while (atomic_load(&other.answered) < round)
            ;
        int stops = session->interp->stops;
        /* Now and then long enough for a step of a ladder that was not left. */
        ending second = run(session, round % 500 ? "returns" : "sleeps_100_ms", NULL);
        assert_true(is_fine(second));
        assert_int_equal(session->interp->stops, stops);
    }
    end(&other);
    print_message("           %d of %d cells were hit\n", hits, ROUNDS);
    snug_session_close(session);
    close_host(host);
}

static void a_deadline_and_an_interrupt_at_once_are_one_stop(void **state)
{
    enum { ROUNDS = 100 };
    const snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = 2 };
    snug_host *host = open_host(SHORT);
    snug_session *session = open_session(host, NULL);
    interrupter other = { .session = session };
    start(&other, interrupt_when_asked);
    for (int round = 1; round <= ROUNDS; round++) {
        uint64_t at_ns = clock_deadline_ns(clock_now_ns(), 2);
        if (round % 2) /* else only the deadline comes */
            atomic_store(&other.asked, atomic_load(&other.asked) + 1);
        ending first = run(session, "ends_when_stopped", &limits);
        assert_int_equal(first.error, SNUG_OK);
        assert_in_range(first.rung, GUARD_INTERRUPT, GUARD_STARVE); /* on a busy machine */
        stop_reason reason = session->interp->last_reason;
        assert_int_equal(first.status,
                         reason == STOP_TIMEOUT ? SNUG_STATUS_TIMEOUT : SNUG_STATUS_INTERRUPTED);
        assert_true(reason == STOP_INTERRUPT || clock_now_ns() >= at_ns);
        while (atomic_load(&other.answered) < atomic_load(&other.asked))
            ;
        assert_true(is_fine(run(session, "returns", NULL)));
    }
    assert_int_equal(session->interp->reasons_mixed, 0);
    end(&other);
    snug_session_close(session);
    close_host(host);
}

static void an_interrupt_meets_no_interpreter_that_is_closed(void **state)
{
    enum { ROUNDS = 300 };
    for (ladder which = 0; which < FULL; which++) {
        snug_host *host = open_host(which);
        snug_session *session = open_session(host, NULL);
        interrupter other = { .session = session };
        start(&other, interrupt_always);
        for (int round = 0; round < ROUNDS; round++)
            assert_int_equal(snug_session_reset(session), SNUG_OK);
        end(&other);
        assert_int_equal(fake.misuses, 0);
        snug_session_close(session);
        close_host(host);
    }
}

/* ---- many sessions ---- */

/* A session and the thread that uses it. */
typedef struct user {
    snug_session *session;
    pthread_t thread;
    int index;
    int surprises;
} user;

static void *use(void *arg)
{
    static const snug_limits hardly_any = { .size = sizeof(snug_limits), .wall_ms = 1 };
    user *u = arg;
    for (int i = 0; i < 1000; i++) {
        int is_stopped = i % 10 == u->index;
        ending end = run(u->session, is_stopped ? "ends_when_stopped" : "returns",
                         is_stopped ? &hardly_any : NULL);
        u->surprises +=
            is_stopped ? end.error || end.status != SNUG_STATUS_TIMEOUT || end.rung > GUARD_STARVE
                       : !is_fine(end);
    }
    return NULL;
}

static void one_watchdog_keeps_the_deadlines_of_many_sessions(void **state)
{
    enum { USERS = 4 };
    user users[USERS] = { 0 };
    snug_host *host = open_host(SHORT);
    for (int i = 0; i < USERS; i++) {
        users[i] = (user){ .session = open_session(host, NULL), .index = i };
        assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_join(users[i].thread, NULL);
        assert_int_equal(users[i].surprises, 0);
        snug_session_close(users[i].session);
    }
    close_host(host);
}

static void a_session_that_hangs_holds_up_no_other(void **state)
{
    snug_host *host = open_host(SHORT);
    snug_session *lost = open_session(host, NULL), *good = open_session(host, NULL);
    assert_int_equal(run(lost, "sleeps_deaf", &short_time).state, SNUG_STATE_LOST);
    assert_kept(run(good, "ends_when_stopped", &short_time), SNUG_STATUS_TIMEOUT, GUARD_INTERRUPT);
    assert_true(is_fine(run(good, "returns", NULL)));
    fake_let_end(lost->interp);
    snug_session_close(lost);
    snug_session_close(good);
    close_host(host);
}

/* ---- the mailbox ---- */

typedef struct postbox {
    mailbox m;
    int jobs;
    _Atomic int is_last;     /* the job that comes now is given up by itself */
    _Atomic int is_answered; /* its caller has been answered */
} postbox;

static int count_or_give_up(void *arg)
{
    postbox *box = arg;
    if (atomic_load(&box->is_last))
        mailbox_give_up(&box->m);
    else
        box->jobs++;
    return 0;
}

/* Hands a job over and waits. */
static mailbox_end run_in_mailbox(mailbox *m)
{
    mailbox_post(m);
    return mailbox_attend(m, NULL, NULL, UINT64_MAX);
}

static void *serve(void *arg)
{
    mailbox_serve(&((postbox *)arg)->m, count_or_give_up, arg);
    return NULL;
}

/* Who is given up has lost its caller, even if it ends at that moment: neither side goes on. */
static void a_mailbox_that_is_given_up_is_left_by_both_sides(void **state)
{
    for (int i = 0; i < 200; i++) {
        postbox box = { 0 };
        pthread_t server;
        assert_int_equal(pthread_create(&server, NULL, serve, &box), 0);
        assert_int_equal(run_in_mailbox(&box.m), MAILBOX_DONE);
        assert_int_equal(run_in_mailbox(&box.m), MAILBOX_DONE);
        assert_int_equal(box.jobs, 2);
        atomic_store(&box.is_last, 1);
        assert_int_equal(run_in_mailbox(&box.m), MAILBOX_GIVEN_UP);
        pthread_join(server, NULL);
    }
}

/* Answers only when its caller has been answered. */
static int wait_for_the_caller(void *arg)
{
    postbox *box = arg;
    return becomes_true(&box->is_answered) ? 0 : 1;
}

static void *serve_waiting(void *arg)
{
    mailbox_serve(&((postbox *)arg)->m, wait_for_the_caller, arg);
    return NULL;
}

/* The deadline and the ladder may have passed before the job is handed over. */
static void a_mailbox_may_be_given_up_before_its_caller_waits(void **state)
{
    postbox box = { 0 };
    pthread_t server;
    assert_int_equal(pthread_create(&server, NULL, serve_waiting, &box), 0);
    mailbox_give_up(&box.m);
    uint64_t start_ns = clock_now_ns();
    assert_int_equal(run_in_mailbox(&box.m), MAILBOX_GIVEN_UP);
    assert_true(clock_now_ns() - start_ns < SOON_MS * NS_PER_MS);
    atomic_store(&box.is_answered, 1);
    pthread_join(server, NULL);
}

static int leave_itself(void *arg)
{
    postbox *box = arg;
    mailbox_leave(&box->m);
    return 1;
}

static void *serve_leaving(void *arg)
{
    mailbox_serve(&((postbox *)arg)->m, leave_itself, arg);
    return NULL;
}

/* Who looks only now and then must not miss the end of a job that was left meanwhile. */
static void a_job_that_is_left_and_ends_before_its_caller_looks_is_done(void **state)
{
    postbox box = { 0 };
    pthread_t server;
    mailbox_post(&box.m);
    assert_int_equal(pthread_create(&server, NULL, serve_leaving, &box), 0);
    pthread_join(server, NULL);
    assert_int_equal(mailbox_attend(&box.m, NULL, NULL, 0), MAILBOX_DONE);
}

static void a_job_that_is_left_comes_back(void **state)
{
    postbox box = { 0 };
    pthread_t server;
    assert_int_equal(pthread_create(&server, NULL, serve_waiting, &box), 0);
    mailbox_post(&box.m);
    assert_true(mailbox_leave(&box.m));
    assert_int_equal(mailbox_attend(&box.m, NULL, NULL, UINT64_MAX), MAILBOX_LEFT);
    assert_true(mailbox_is_left(&box.m));
    assert_int_equal(mailbox_await_return(&box.m, 0), MAILBOX_LEFT);
    atomic_store(&box.is_answered, 1);
    assert_int_equal(mailbox_await_return(&box.m, UINT64_MAX), MAILBOX_DONE);
    assert_int_equal(mailbox_give_up(&box.m), 1);
    mailbox_post(&box.m);
    pthread_join(server, NULL);
}

/* The first two of the processors that there are. Answers whether there are two. */
static int find_two_processors(cpu_set_t found[2])
{
    cpu_set_t all;
    int count = 0;

    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    for (size_t i = 0; i < CPU_SETSIZE && count < 2; i++) {
        if (!CPU_ISSET(i, &all))
            continue;
        CPU_ZERO(&found[count]);
        CPU_SET(i, &found[count++]);
    }
    return count == 2;
}

static uint64_t used_ns(pthread_t of)
{
    struct timespec used;
    clockid_t clock;

    assert_int_equal(pthread_getcpuclockid(of, &clock), 0);
    assert_int_equal(clock_gettime(clock, &used), 0);
    return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

/* A server that only sleeps and is woken. */
typedef struct sleeper {
    sem_t asked, answered;
    _Atomic int is_over;
} sleeper;

static void *serve_asleep(void *arg)
{
    sleeper *s = arg;
    while (sem_wait(&s->asked) == 0 && !atomic_load(&s->is_over))
        sem_post(&s->answered);
    return NULL;
}

/* One that looked out each time would use 50 us more each time than the one that sleeps, whose jobs
 * come by turns with its own; on one processor nobody does. */
static void a_thread_whose_jobs_come_slowly_sleeps_between_them(void **state)
{
    enum { JOBS = 400, PAUSE_NS = 200000, MORE_NS = 30000 };
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    postbox box = { 0 };
    sleeper other = { 0 };
    pthread_t server, reference;
    cpu_set_t before, one[2];

    if (!find_two_processors(one))
        skip();
    sem_init(&other.asked, 0, 0);
    sem_init(&other.answered, 0, 0);
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(pthread_create(&server, NULL, serve, &box), 0);
    assert_int_equal(pthread_create(&reference, NULL, serve_asleep, &other), 0);
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof one[0], &one[0]), 0);
    assert_int_equal(pthread_setaffinity_np(server, sizeof one[1], &one[1]), 0);
    assert_int_equal(pthread_setaffinity_np(reference, sizeof one[1], &one[1]), 0);
    for (int i = 0; i < JOBS; i++) {
        assert_int_equal(run_in_mailbox(&box.m), MAILBOX_DONE);
        nanosleep(&pause, NULL);
        sem_post(&other.asked);
        assert_int_equal(sem_wait(&other.answered), 0);
        nanosleep(&pause, NULL);
    }

    assert_in_range(used_ns(server), 0, used_ns(reference) + (uint64_t)JOBS * MORE_NS);
    atomic_store(&box.is_last, 1);
    assert_int_equal(run_in_mailbox(&box.m), MAILBOX_GIVEN_UP);
    pthread_join(server, NULL);
    atomic_store(&other.is_over, 1);
    sem_post(&other.asked);
    pthread_join(reference, NULL);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

/* An argument chooses tests, as "*interrupt*". */
int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stage_follows_from_the_time),
        cmocka_unit_test(the_end_of_the_wait_comes_after_the_last_stage),
        cmocka_unit_test(code_that_looks_for_a_stop_ends_at_the_first_rung),
        cmocka_unit_test(code_that_only_meets_refusals_ends_at_the_second_rung),
        cmocka_unit_test(code_that_only_recurses_ends_at_the_second_rung),
        cmocka_unit_test(the_first_rung_starves_nobody),
        cmocka_unit_test(code_that_answers_nobody_is_torn_out_of_by_the_full_ladder),
        cmocka_unit_test(code_that_never_answers_keeps_no_caller_and_its_thread_ends_later),
        cmocka_unit_test(a_thread_that_sleeps_is_not_torn_out_but_given_up),
        cmocka_unit_test(a_session_that_is_closed_before_its_thread_ends_is_reaped),
        cmocka_unit_test(a_scan_that_never_answers_keeps_no_caller),
        cmocka_unit_test(code_that_has_settled_makes_its_report_in_peace),
        cmocka_unit_test(code_that_settles_on_the_second_rung_is_starved_no_longer),
        cmocka_unit_test(the_ladder_stands_still_for_who_waits_for_the_gil),
        cmocka_unit_test(the_ladder_stands_still_while_no_kick_comes_to_a_thread_that_runs),
        cmocka_unit_test(no_patience_is_spent_on_a_thread_that_is_not_let_run),
        cmocka_unit_test(a_cell_that_wants_the_gil_reaches_its_limit_of_elapsed_time),
        cmocka_unit_test(an_open_that_runs_does_not_wait_for_the_gil),
        cmocka_unit_test(there_is_time_for_one_pass_over_the_memory_that_is_in_use),
        cmocka_unit_test(a_thread_that_shares_its_processor_has_the_same_time_to_free),
        cmocka_unit_test(an_interrupt_is_not_raised_in_its_handler),
        cmocka_unit_test(code_in_time_is_not_stopped),
        cmocka_unit_test(processor_time_is_limited_and_sleep_is_none),
        cmocka_unit_test(the_processor_time_of_all_threads_is_limited),
        cmocka_unit_test(a_stop_takes_each_thread_of_the_session_up_the_ladder),
        cmocka_unit_test(the_processor_time_of_earlier_cells_is_not_the_next_ones),
        cmocka_unit_test(the_cells_of_a_session_share_its_processor_time),
        cmocka_unit_test(processor_time_is_counted_once),
        cmocka_unit_test(an_interrupt_ends_the_cell_that_runs),
        cmocka_unit_test(an_interrupt_never_reaches_the_next_cell),
        cmocka_unit_test(a_deadline_and_an_interrupt_at_once_are_one_stop),
        cmocka_unit_test(an_interrupt_meets_no_interpreter_that_is_closed),
        cmocka_unit_test(one_watchdog_keeps_the_deadlines_of_many_sessions),
        cmocka_unit_test(a_session_that_hangs_holds_up_no_other),
        cmocka_unit_test(a_mailbox_that_is_given_up_is_left_by_both_sides),
        cmocka_unit_test(a_mailbox_may_be_given_up_before_its_caller_waits),
        cmocka_unit_test(a_thread_whose_jobs_come_slowly_sleeps_between_them),
        cmocka_unit_test(a_job_that_is_left_and_ends_before_its_caller_looks_is_done),
        cmocka_unit_test(a_job_that_is_left_comes_back),
    };
    if (count > 1)
        cmocka_set_test_filter(arguments[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
