/* What ends a full session, or its process: each in a child of its own. */
#include "full.h"

#include <signal.h>
#include <sys/wait.h>

/* In a child, whose exit status or 256 and signal is the answer. */
static int in_child(void (*fn)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka has a handler */
        if (full_allow() != SNUG_OK)
            _exit(100);
        open_host();
        fn();
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

#define CHECK(number, is_so) \
    do {                     \
        if (!(is_so))        \
            _exit(number);   \
    } while (0)

/* The import and the numbers are stopped cleanly, on a slow machine: they come before. */
static const char matrix[] = "import numpy as np\nm = np.random.rand(3000, 3000)";
static const char hang[] = "np.linalg.eigvals(m)";

static void hang_in_c(void)
{
    snug_session_options options = full_options(numerics);
    snug_session *session = open_session(&options), *other;
    snug_result_free(run_within(session, matrix, 60000));
    snug_result *result = run_within(session, hang, 500);
    CHECK(1, snug_result_status(result) == SNUG_STATUS_TIMEOUT);
    CHECK(2, snug_result_state(result) == SNUG_STATE_LOST);
    CHECK(3, snug_result_rung(result) == 4);
    CHECK(4, snug_result_wall_ns(result) < UINT64_C(5000000000));
    CHECK(5, snug_session_open(&other, host, &options) == SNUG_EDEAD);
    CHECK(6, strstr(snug_error_message(), "this worker's interpreter is lost"));
    CHECK(7, snug_session_reset(session) == SNUG_EDEAD);
    snug_session_close(session);
    CHECK(8, snug_session_open(&other, host, &options) == SNUG_EDEAD);
}

TEST(what_does_not_come_back_loses_the_interpreter_for_good)
{
    assert_int_equal(in_child(hang_in_c), 0);
}

static uint64_t import_ms;

static void import_late(void)
{
    snug_session *session = open_numeric();
    snug_result *result =
        run_within(session, "import pandas\nfrom matplotlib import pyplot", import_ms);
    CHECK(1, snug_result_state(result) == SNUG_STATE_KEPT);
    expect(session, "import numpy; numpy.ones(3).sum().item()", "3.0");
    expect(session, "import pandas; pandas.Series([1, 2]).sum().item()", "3");
    expect(session, "import matplotlib.pyplot as plt; plt.get_fignums()", "[]");
}

/* numpy's extensions cannot be loaded twice, and matplotlib would find classes of both. */
TEST(an_import_that_is_stopped_can_be_made_again)
{
    static const uint64_t times[] = { 10, 20, 40, 160, 320, 480, 560 };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        import_ms = times[i];
        assert_int_equal(in_child(import_late), 0);
    }
}

static void fault(void)
{
    snug_session *session = open_numeric();
    snug_result_free(run_within(session, "import numpy.ctypeslib as c; c.ctypes.string_at(8)", 0));
}

TEST(a_fault_ends_the_process)
{
    assert_int_equal(in_child(fault), 256 + SIGSEGV);
}

static void leave(void)
{
    snug_session *session = open_numeric();
    snug_result_free(run_within(session, "import os; os._exit(7)", 0));
}

TEST(an_exit_ends_the_process)
{
    assert_int_equal(in_child(leave), 7);
}

static void recurse(void)
{
    snug_session *session = open_numeric();
    snug_result *result = expect_status(session, "def f(): return f()\nf()", SNUG_STATUS_ERROR);
    CHECK(1, strcmp(snug_result_error_name(result), "RecursionError") == 0);
    expect(session, "1", "1");
}

TEST(recursion_is_an_error_of_the_cell)
{
    assert_int_equal(in_child(recurse), 0);
}

static void open_elsewhere(void)
{
    snug_session *session;
    snug_session_options options = full_options(NULL);
    CHECK(1, snug_session_open(&session, host, &options) == SNUG_EINVAL);
    CHECK(2, strstr(snug_error_message(), "full sessions live in a worker"));
    CHECK(3, full_allow() == SNUG_EPYTHON);
}

TEST(a_process_that_was_not_told_has_none)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        open_host();
        open_elsewhere();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

TEST(a_full_process_keeps_no_spares)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        snug_host_options options = SNUG_HOST_OPTIONS_INIT;
        options.pool_sessions = 2;
        CHECK(1, full_allow() == SNUG_OK && snug_host_open(&host, &options) == SNUG_OK);
        CHECK(2, strstr(snug_host_report(host), "pool: none"));
        expect(open_numeric(), "6 * 7", "42");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    return has_packages() ? run_all_tests(NULL, NULL) : SKIPPED;
}
