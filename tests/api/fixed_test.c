/* Clocks, seeds and zones: what hosts and sessions refuse, and what they keep to, in both forms. */
#include "../unit/test.h"

#include "form.h"
#include "running.h"

static snug_host *host;

static snug_host_options host_options(void)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = is_worker_form() ? SNUG_FORM_WORKER : SNUG_FORM_LOCAL;
    options.zone = "Asia/Tokyo";
    options.hash_seed = 42;
    options.pool_sessions = 2;
    return options;
}

static int open_host(void **state)
{
    setenv("TZ", "Asia/Tokyo", 1);
    const snug_host_options options = host_options();
    if (snug_host_open(&host, &options) == SNUG_OK)
        return 0;
    fprintf(stderr, "%s\n", snug_error_message());
    return -1;
}

static int close_host(void **state)
{
    return snug_host_close(host);
}

static snug_session *open_fixed(uint64_t seed)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.clock_ms = UINT64_C(1772357400123);
    options.has_seed = 1;
    options.seed = seed;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static void assert_value(snug_session *session, const char *source, const char *text)
{
    snug_result *result = run(session, source, 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "");
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), text);
    snug_result_free(result);
}

static const char draw[] =
    "import random, uuid, time\n(random.random(), uuid.uuid4(), time.time_ns())";

static char *drawn(snug_session *session)
{
    snug_result *result = run(session, draw, 0);
    char *text = strdup(snug_result_text(result, SNUG_STREAM_VALUE, NULL));
    snug_result_free(result);
    return text;
}

TEST(sessions_of_one_seed_draw_the_same_side_by_side)
{
    snug_session *one = open_fixed(1), *same = open_fixed(1), *other = open_fixed(2);
    char *a = drawn(one), *b = drawn(same), *c = drawn(other);
    assert_string_equal(a, b);
    assert_string_not_equal(a, c);
    free(a);
    free(b);
    free(c);
    snug_session_close(one);
    snug_session_close(same);
    snug_session_close(other);
}

TEST(a_neighbour_without_them_has_the_machines)
{
    snug_session *fixed = open_fixed(1), *plain = NULL;
    assert_int_equal(snug_session_open(&plain, host, NULL), SNUG_OK);
    assert_value(fixed, "import time, datetime; (time.time(), str(datetime.datetime.now()))",
                 "(1772357400.123, '2026-03-01 18:30:00.123001')");
    assert_value(plain,
                 "import time, datetime; (time.time() - 1772357400 > 1e6, "
                 "datetime.datetime.now().timestamp() - 1772357400 > 1e6)",
                 "(True, True)");
    snug_session_close(fixed);
    snug_session_close(plain);
}

TEST(a_result_says_what_is_fixed)
{
    snug_session *session = open_fixed(1);
    snug_result *result = run(session, draw, 0);
    const char *json = snug_result_json(result, NULL);
    assert_non_null(strstr(json, "\"fixed\":{\"clock\":\"2026-03-01T09:30:00.123Z\",\"seed\":1,"
                                 "\"hash_seed\":42,\"zone\":\"Asia/Tokyo\"}"));
    snug_result_free(result);
    snug_session_close(session);
}

TEST(a_session_refuses_a_clock_past_its_end)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.clock_ms = UINT64_C(9214646400000);
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_EINVAL);
    assert_string_equal(snug_error_message(), "clock_ms is 9214646400000, past the year 2261");
}

TEST(a_host_refuses_what_cannot_be)
{
    snug_host *other = NULL;
    snug_host_options options = host_options();
    options.hash_seed = UINT64_C(4294967296);
    assert_int_equal(snug_host_open(&other, &options), SNUG_EINVAL);

    options = host_options();
    options.zone = "Tokyo\nX";
    assert_int_equal(snug_host_open(&other, &options), SNUG_EINVAL);
    options.zone = "Europe/Madrid";
    int error = snug_host_open(&other, &options);
    assert_int_equal(error, is_worker_form() ? SNUG_OK : SNUG_EINVAL);
    snug_host_close(other);
}

TEST(a_process_keeps_the_seed_of_its_hashes)
{
    if (is_worker_form())
        return;
    assert_int_equal(snug_host_close(host), SNUG_OK);
    snug_host_options options = host_options();
    options.hash_seed = 43;
    assert_int_equal(snug_host_open(&host, &options), SNUG_EPYTHON);
    options.hash_seed = 0;
    assert_int_equal(snug_host_open(&host, &options), SNUG_OK);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
