/* Workers of one session each that a host of form SNUG_FORM_WORKER has ready before they are asked
 * for. */
#include "../counters.h"
#include "../unit/test.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include <snug/snug.h>

#include "processes.h"

enum { BOUND_S = 600 };

static const char *const preload[] = { "json", NULL };

static snug_host *open_host(size_t spares, uint64_t idle_ms, const char *const *names)
{
    snug_host *host = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = SNUG_FORM_WORKER;
    options.pool_sessions = spares;
    options.pool_idle_ms = idle_ms;
    options.preload = names;
    if (snug_host_open(&host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return host;
}

/* Those of the worker that sessions share are there too. */
static snug_pool await_ready(snug_host *host, size_t ready)
{
    time_t end = time(NULL) + BOUND_S;
    snug_pool p = pool_of(host);
    while (p.ready < ready && time(NULL) < end)
        p = pool_of(host);
    assert_int_equal(p.ready, ready);
    return p;
}

static snug_session *open_full(snug_host *host, const snug_session_options *like)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options = like ? *like : options;
    options.kind = SNUG_KIND_FULL;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static void check(snug_session *session, const char *source, const char *value)
{
    snug_result *result = NULL;
    if (snug_session_run(&result, session, source, strlen(source), NULL) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    if (strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value) != 0)
        fail_msg("%s is %s: %s", source, snug_result_text(result, SNUG_STREAM_VALUE, NULL),
                 snug_result_text(result, SNUG_STREAM_STDERR, NULL));
    snug_result_free(result);
}

TEST(a_full_session_has_a_worker_that_was_ready)
{
    snug_host *host = open_host(2, 0, preload);
    await_ready(host, 4);
    snug_session *session = open_full(host, NULL);
    assert_int_equal(pool_of(host).half_warm, 1);
    assert_int_equal(pool_of(host).misses, 0);
    check(session, "import json; n = 6\njson.dumps(n * 7)", "'42'");
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check(session, "'n' in globals()", "False");
    check(session, "open('f', 'w').write('here')", "4");
    snug_session_close(session);
    await_ready(host, 4);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(two_sessions_of_spares_know_nothing_of_each_other)
{
    snug_host *host = open_host(2, 0, preload);
    await_ready(host, 4);
    snug_session *one = open_full(host, NULL), *two = open_full(host, NULL);
    check(one, "n = 41; n + 1", "42");
    check(two, "'n' in globals()", "False");
    snug_session_close(one);
    check(two, "6 * 7", "42");
    snug_session_close(two);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

static void kill_all_workers(void)
{
    pid_t zygotes[4], workers[16];
    size_t count = children(getpid(), zygotes, 4);
    for (size_t i = 0; i < count; i++) {
        size_t born = children(zygotes[i], workers, 16);
        for (size_t k = 0; k < born; k++)
            kill(workers[k], SIGKILL);
    }
}

TEST(a_spare_that_has_died_is_passed_over)
{
    snug_host *host = open_host(2, 0, preload);
    await_ready(host, 4);
    kill_all_workers();
    snug_session *session = open_full(host, NULL);
    check(session, "6 * 7", "42");
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

static void answer_input(void *payload, snug_call *call, const char *prompt)
{
    snug_call_return_line(call, payload, strlen(payload));
}

TEST(a_spare_gets_what_the_options_say)
{
    char line[] = "here";
    snug_host *host = open_host(1, 0, preload);
    await_ready(host, 2);
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.name = "named";
    options.on_input = answer_input;
    options.payload = line;
    options.limits = &limits;
    limits.value_bytes = 64;
    snug_session *session = open_full(host, &options);
    assert_string_equal(snug_session_name(session), "named");
    check(session, "input()", "'here'");
    assert_int_equal(pool_of(host).half_warm, 1);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(spares_become_what_is_asked_for)
{
    char folder[] = "/tmp/snug-packages-XXXXXX";
    assert_non_null(mkdtemp(folder));
    snug_host *host = open_host(1, 0, preload);
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.packages = folder;
    snug_session_close(open_full(host, &options)); /* the first guess was wrong */
    await_ready(host, 2);
    uint64_t before = pool_of(host).half_warm;
    snug_session *session = open_full(host, &options);
    assert_int_equal(pool_of(host).half_warm, before + 1);
    check(session, "6 * 7", "42");
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    rmdir(folder);
}

TEST(a_host_ends_with_all_its_spares)
{
    pid_t pids[4];
    for (int i = 0; i < 3; i++)
        assert_int_equal(snug_host_close(open_host(2, 0, preload)), SNUG_OK);
    assert_int_equal(children(getpid(), pids, 4), 0);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
