#include "../counters.h"
#include "test.h"

#include <snug/snug.h>

#include <sched.h>

#include "base/clock.h"
#include "base/tree.h"
#include "fake_interp.h"
#include "session/core/pool.h"
#include "session/core/session.h"

/* ---- what to do next ---- */

#define IDLE_NS (60 * NS_PER_S)
#define NOW_NS  NS_PER_S

static pool_facts facts_of(size_t wholes, size_t halves)
{
    return (pool_facts){ .wanted = 4, .ready = { wholes, halves }, .idle_ns = IDLE_NS };
}

static void assert_step(const pool_facts *f, uint64_t now_ns, pool_action action, spare_kind kind)
{
    pool_step step = pool_next(f, now_ns);
    assert_int_equal(step.action, action);
    assert_int_equal(step.kind, kind);
}

TEST(spares_are_made_until_there_are_as_many_as_wanted)
{
    for (size_t i = 0; i < 4; i++) {
        pool_facts f = facts_of(i, 0);
        assert_step(&f, NOW_NS, POOL_FILL, SPARE_WHOLE);
    }
    pool_facts full = facts_of(4, 0);
    assert_step(&full, NOW_NS, POOL_WAIT, SPARE_NONE);
    assert_int_equal(pool_next(&full, NOW_NS).until_ns, IDLE_NS);
}

TEST(no_spare_is_made_while_a_session_is_opened)
{
    pool_facts f = facts_of(0, 0);
    f.opening = 1;
    assert_step(&f, NOW_NS, POOL_WAIT, SPARE_NONE);
    assert_true(pool_next(&f, NOW_NS).until_ns == UINT64_MAX);
}

TEST(an_idle_pool_gives_back_one_after_the_other_and_then_waits)
{
    pool_facts f = facts_of(2, 1);
    assert_step(&f, IDLE_NS - 1, POOL_FILL, SPARE_WHOLE);
    assert_step(&f, IDLE_NS, POOL_GIVE_BACK, SPARE_HALF);
    f = facts_of(2, 0);
    assert_step(&f, IDLE_NS, POOL_GIVE_BACK, SPARE_WHOLE);
    f = facts_of(0, 0);
    assert_step(&f, IDLE_NS, POOL_WAIT, SPARE_NONE);
    f.last_open_ns = IDLE_NS; /* and begins again at the next open */
    assert_step(&f, IDLE_NS, POOL_FILL, SPARE_WHOLE);
}

TEST(the_first_cell_after_an_open_has_the_machine_unless_no_spare_is_left)
{
    pool_facts f = facts_of(1, 0);
    f.last_open_ns = NOW_NS;
    assert_step(&f, NOW_NS, POOL_WAIT, SPARE_NONE);
    assert_int_equal(pool_next(&f, NOW_NS).until_ns, NOW_NS + POOL_QUIET_NS);
    assert_step(&f, NOW_NS + POOL_QUIET_NS, POOL_FILL, SPARE_WHOLE);
    f.ready[SPARE_WHOLE] = 0;
    assert_step(&f, NOW_NS, POOL_FILL, SPARE_WHOLE);
}

TEST(turns_have_the_machine_too_but_not_for_ever)
{
    pool_facts f = facts_of(1, 0);
    f.last_open_ns = NOW_NS;
    f.last_used_ns = NOW_NS + 10 * POOL_QUIET_NS;
    assert_step(&f, f.last_used_ns, POOL_WAIT, SPARE_NONE);
    assert_int_equal(pool_next(&f, f.last_used_ns).until_ns, f.last_used_ns + POOL_QUIET_NS);
    assert_step(&f, f.last_used_ns + POOL_QUIET_NS, POOL_FILL, SPARE_WHOLE);
    f.last_used_ns = NOW_NS + POOL_PATIENCE_NS;
    assert_int_equal(pool_next(&f, NOW_NS).until_ns, NOW_NS + POOL_PATIENCE_NS);
    assert_step(&f, NOW_NS + POOL_PATIENCE_NS, POOL_FILL, SPARE_WHOLE);
    f.ready[SPARE_WHOLE] = 0;
    assert_step(&f, NOW_NS, POOL_FILL, SPARE_WHOLE);
}

TEST(an_unlimited_pool_never_gives_back)
{
    pool_facts f = facts_of(4, 0);
    f.idle_ns = UINT64_MAX;
    f.last_open_ns = 7;
    assert_step(&f, UINT64_MAX - 1, POOL_WAIT, SPARE_NONE);
    assert_true(pool_next(&f, NOW_NS).until_ns == UINT64_MAX);
}

TEST(after_a_failure_the_next_spare_waits)
{
    pool_facts f = facts_of(1, 0);
    f.retry_ns = NOW_NS + 100;
    assert_step(&f, NOW_NS, POOL_WAIT, SPARE_NONE);
    assert_int_equal(pool_next(&f, NOW_NS).until_ns, NOW_NS + 100);
    assert_step(&f, NOW_NS + 100, POOL_FILL, SPARE_WHOLE);
    f.retry_ns = IDLE_NS + 100; /* idle comes first */
    assert_int_equal(pool_next(&f, NOW_NS).until_ns, IDLE_NS);
}

TEST(the_kinds_are_shared_as_the_last_opens_asked)
{
    static const struct {
        uint32_t wishes;
        unsigned count;
        size_t wholes, halves;
        pool_action action;
        spare_kind kind;
    } cases[] = {
        { 0x0, 0, 0, 0, POOL_FILL, SPARE_WHOLE },
        { 0x0, 4, 3, 0, POOL_FILL, SPARE_WHOLE },
        { 0xf, 4, 0, 0, POOL_FILL, SPARE_HALF },
        { 0xf, 4, 0, 3, POOL_FILL, SPARE_HALF },
        { 0x3, 4, 2, 1, POOL_FILL, SPARE_HALF },
        { 0x3, 4, 1, 2, POOL_FILL, SPARE_WHOLE },
        { 0x3, 4, 2, 2, POOL_WAIT, SPARE_NONE },
        { 0x3, 4, 3, 1, POOL_WAIT, SPARE_NONE },
        { 0x1, 32, 3, 0, POOL_FILL, SPARE_HALF }, /* one at least */
        { 0x7fffffff, 32, 0, 3, POOL_FILL, SPARE_WHOLE },
        /* One kind has run out while all places are taken. */
        { 0x3, 4, 4, 0, POOL_GIVE_BACK, SPARE_WHOLE },
        { 0x3, 4, 0, 4, POOL_GIVE_BACK, SPARE_HALF },
        { 0x0, 4, 0, 4, POOL_GIVE_BACK, SPARE_HALF },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pool_facts f = facts_of(cases[i].wholes, cases[i].halves);
        f.wishes = cases[i].wishes;
        f.wish_count = cases[i].count;
        assert_step(&f, NOW_NS, cases[i].action, cases[i].kind);
    }
}

TEST(one_place_is_of_the_kind_that_is_asked_for_more)
{
    pool_facts f = { .wanted = 1, .idle_ns = IDLE_NS, .wishes = 0x3, .wish_count = 3 };
    assert_step(&f, NOW_NS, POOL_FILL, SPARE_HALF);
    f.wishes = 0x1;
    assert_step(&f, NOW_NS, POOL_FILL, SPARE_WHOLE);
}

/* ---- a host's, with a Python that pretends ---- */

static snug_host *open_host(size_t sessions, uint64_t idle_ms)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_host *host = NULL;
    options.pool_sessions = sessions;
    options.pool_idle_ms = idle_ms;
    assert_int_equal(snug_host_open(&host, &options), SNUG_OK);
    return host;
}

static snug_host *open_first_host(size_t sessions, uint64_t idle_ms)
{
    fake_reset();
    return open_host(sessions, idle_ms);
}

/* The filler has nothing left to do. */
static void await_ready(const snug_host *host, size_t ready, size_t halves)
{
    uint64_t end_ns = clock_deadline_ns(clock_now_ns(), FAKE_BOUND_MS);
    for (snug_pool p = pool_of(host);
         (p.ready != ready || p.ready_half != halves) && clock_now_ns() < end_ns; p = pool_of(host))
        sched_yield();
    assert_int_equal(pool_of(host).ready, ready);
    assert_int_equal(pool_of(host).ready_half, halves);
}

static snug_session *open_session(snug_host *host, const snug_session_options *options)
{
    snug_session *session = NULL;
    assert_int_equal(snug_session_open(&session, host, options), SNUG_OK);
    return session;
}

static void assert_runs(snug_session *session)
{
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, "returns", 7, NULL), SNUG_OK);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_OK);
    assert_int_equal(snug_result_execution_count(result), 1);
    snug_result_free(result);
}

static void assert_counts(const snug_host *host, uint64_t hits, uint64_t half_warm, uint64_t misses)
{
    snug_pool p = pool_of(host);
    assert_int_equal(p.hits, hits);
    assert_int_equal(p.half_warm, half_warm);
    assert_int_equal(p.misses, misses);
}

TEST(a_host_without_a_pool_has_none)
{
    snug_host *host = open_first_host(0, 0);
    snug_session_close(open_session(host, NULL));
    snug_pool p = pool_of(host);
    assert_int_equal(p.wanted + p.ready + p.misses, 0);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_int_equal(fake.begun, 1);
}

TEST(an_open_without_wishes_is_a_hit_and_the_place_is_filled_again)
{
    snug_host *host = open_first_host(2, 0);
    await_ready(host, 2, 0);
    snug_session *session = open_session(host, NULL);
    assert_counts(host, 1, 0, 0);
    assert_string_equal(snug_session_name(session), "s1");
    assert_runs(session);
    await_ready(host, 2, 0);
    snug_session_close(session);
    assert_int_equal(pool_of(host).given_back, 0);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_int_equal(fake.begun, 3);
    assert_int_equal(fake.closed, 3);
    assert_int_equal(fake.misuses, 0);
}

TEST(names_and_limits_that_cells_look_at_are_still_a_hit)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    const char *const nothing[] = { NULL };
    snug_host *host = open_first_host(1, 0);
    await_ready(host, 1, 0);
    options.name = "mine";
    options.profile = "core";
    options.allow = nothing;
    const snug_limits limits = { .size = sizeof(snug_limits),
                                 .wall_ms = 1,
                                 .cpu_ms = 2,
                                 .session_cpu_ms = 3,
                                 .memory_bytes = 256 << 20,
                                 .output_bytes = 4,
                                 .disk_bytes = 5,
                                 .disk_files = 6,
                                 .source_bytes = 7,
                                 .value_bytes = 8,
                                 .display_bytes = 9,
                                 .list_bytes = 11,
                                 .tool_calls = 10,
                                 .input_ms = 12 };
    options.limits = &limits;
    snug_session *session = open_session(host, &options);
    assert_counts(host, 1, 0, 0);
    assert_string_equal(snug_session_name(session), "mine");
    assert_memory_equal(&session->limits, &limits, sizeof limits);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(memory_and_threads_are_a_miss)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    snug_host *host = open_first_host(1, 0);
    await_ready(host, 1, 0);
    options.limits = &limits;
    limits.memory_bytes = 64 << 20;
    snug_session_close(open_session(host, &options));
    limits = (snug_limits)SNUG_LIMITS_INIT;
    limits.threads = 1;
    snug_session_close(open_session(host, &options));
    assert_counts(host, 0, 0, 2);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_int_equal(fake.closed, 3);
}

TEST(other_options_take_a_half_warm_one_once_they_were_asked_for)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_host *host = open_first_host(2, 0);
    await_ready(host, 2, 0);
    options.profile = "data";
    snug_session_close(open_session(host, &options));
    assert_counts(host, 0, 0, 1);
    await_ready(host, 2, 1);
    assert_int_equal(pool_of(host).given_back, 1);
    options.workdir = "/tmp";
    snug_session *session = open_session(host, &options);
    assert_counts(host, 0, 1, 1);
    assert_string_equal(snug_session_workdir(session), "/tmp");
    assert_runs(session);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    assert_runs(session);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_int_equal(fake.begun, fake.closed);
    assert_int_equal(fake.misuses, 0);
}

TEST(a_wrong_option_is_the_caller_s_error_with_a_pool_too)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_session *session = NULL;
    snug_host *host = open_first_host(1, 0);
    options.profile = "nothing_of_that_name";
    assert_int_not_equal(snug_session_open(&session, host, &options), SNUG_OK);
    assert_non_null(strstr(snug_error_message(), "nothing_of_that_name"));
    assert_counts(host, 0, 0, 0);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_int_equal(fake.begun, fake.closed);
}

TEST(an_idle_pool_gives_its_spares_back)
{
    fake_reset();
    atomic_store(&fake.holds_opens, 1);
    snug_host *host = open_host(1, 1);
    fake_await(&fake.begun, 1);
    fake_let_open();
    fake_await(&fake.closed, 1);
    assert_int_equal(pool_of(host).given_back, 1);
    assert_int_equal(pool_of(host).ready, 0);
    snug_session *session = open_session(host, NULL);
    assert_counts(host, 0, 0, 1);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_int_equal(fake.begun, fake.closed);
}

TEST(a_host_closes_while_a_spare_is_made)
{
    fake_reset();
    atomic_store(&fake.holds_opens, 1);
    snug_host *host = open_host(3, 0);
    fake_await(&fake.begun, 1);
    fake_let_open();
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_int_equal(fake.begun, fake.closed);
    /* Of the three that are wanted; how many before the close is heard is the machine's. */
    assert_true(atomic_load(&fake.begun) <= 3);
    assert_int_equal(fake.misuses, 0);
}

TEST(spares_are_no_open_sessions)
{
    snug_host *host = open_first_host(2, 0);
    await_ready(host, 2, 0);
    snug_session *session = open_session(host, NULL);
    assert_int_equal(snug_host_close(host), SNUG_EBUSY);
    assert_string_equal(snug_error_message(), "the host has 1 open session");
    assert_non_null(strstr(snug_host_report(host), "pool: 2 spare sessions\n"));
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(more_spares_than_a_pool_may_have_are_refused)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_host *host = NULL;
    fake_reset();
    options.pool_sessions = POOL_MOST + 1;
    assert_int_equal(snug_host_open(&host, &options), SNUG_EINVAL);
    assert_string_equal(snug_error_message(), "pool_sessions is 1025: 1024 at most");
}

/* An argument chooses tests, as "*idle*". */
int main(int count, char **arguments)
{
    if (count > 1)
        cmocka_set_test_filter(arguments[1]);
    return run_all_tests(NULL, NULL);
}
