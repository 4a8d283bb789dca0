/* What the host program has set for its floating-point numbers, and what Python computes. */
#include "../unit/test.h"

#include <fenv.h>

#include <snug/snug.h>

#include "running.h"

static snug_host *host;

/* Those that a program may want, and all that there are. */
enum { TRAPS = FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID, ALL_TRAPS = FE_ALL_EXCEPT };

static void be_strange(void)
{
    fesetround(FE_UPWARD);
    feenableexcept(TRAPS);
}

/* One session is awake at a time, and one spare waits. */
static int open_host(void **state)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.awake_sessions = 1;
    options.pool_sessions = 1;
    fesetround(FE_UPWARD);
    feenableexcept(ALL_TRAPS);
    int error = snug_host_open(&host, &options);
    int rounding = fegetround(), traps = fegetexcept();
    fesetenv(FE_DFL_ENV);
    assert_int_equal(rounding, FE_UPWARD);
    assert_int_equal(traps, ALL_TRAPS);
    return error;
}

static int close_host(void **state)
{
    return snug_host_close(host);
}

static snug_session *open_session(int is_here, uint64_t threads)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.on_caller_thread = is_here;
    options.limits = &limits;
    limits.threads = threads;
    snug_session *session = NULL;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static void check(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source, 0);
    if (strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value) != 0)
        fail_msg("%s is %s: %s", source, snug_result_text(result, SNUG_STREAM_VALUE, NULL),
                 snug_result_error_value(result));
    snug_result_free(result);
}

static void check_usual(snug_session *session)
{
    check(session, "one, three, huge = 1.0, 3.0, 1e308\none / three", "0.3333333333333333");
    check(session, "huge * 10", "inf");
    check(session, "float('0.1') + float('0.2')", "0.30000000000000004");
    check(session, "import math; math.sqrt(2.0)", "1.4142135623730951");
}

TEST(a_session_computes_as_python_does)
{
    for (int is_here = 0; is_here < 2; is_here++) {
        be_strange();
        snug_session *session = open_session(is_here, 0);
        check_usual(session);
        assert_int_equal(fegetround(), FE_UPWARD);
        assert_int_equal(fegetexcept(), TRAPS);
        snug_session_close(session);
        assert_int_equal(fegetround(), FE_UPWARD);
        assert_int_equal(fegetexcept(), TRAPS);
        fesetenv(FE_DFL_ENV);
    }
}

TEST(a_worker_computes_as_python_does)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_host *workers = NULL;
    snug_session *session = NULL;
    options.form = SNUG_FORM_WORKER;
    fesetround(FE_UPWARD);
    feenableexcept(ALL_TRAPS);
    if (snug_host_open(&workers, &options) || snug_session_open(&session, workers, NULL))
        fail_msg("%s", snug_error_message());
    check_usual(session);
    snug_session_close(session);
    assert_int_equal(snug_host_close(workers), SNUG_OK);
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetenv(FE_DFL_ENV);
}

TEST(the_callers_flags_stay)
{
    snug_session *session = open_session(1, 0);
    feclearexcept(FE_ALL_EXCEPT);
    check(session, "one, three = 1.0, 3.0\none / three * 1e308 * 1e308", "inf");
    assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
    feraiseexcept(FE_INVALID);
    check(session, "1.5", "1.5");
    assert_int_equal(fetestexcept(FE_ALL_EXCEPT), FE_INVALID);
    feclearexcept(FE_ALL_EXCEPT);
    snug_session_close(session);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
