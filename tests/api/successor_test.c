/* A session that is lost is reset at once, in the form that SNUG_TEST_FORM names, while the thread
 * of its last cell goes on in C where nothing but the end of its work ends it. */
#include "../unit/test.h"

#include <snug/snug.h>
#include <snug/task.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "form.h"
#include "moment.h"
#include "running.h"

/* A bound that only a hang reaches. */
enum { SOON_MS = 600000 };

/* About a second of processor time in libcrypto, without the GIL; what that takes is found out
 * before, without a limit. */
#define MEASURES                                              \
    "import hashlib, time\n"                                  \
    "def turn(rounds):\n"                                     \
    "    begin = time.thread_time()\n"                        \
    "    hashlib.pbkdf2_hmac('sha256', b'a', b'b', rounds)\n" \
    "    return time.thread_time() - begin\n"                 \
    "long_enough = int(2_000 / min(turn(2_000) for _ in range(5)))\n"
#define HANGS "turn(long_enough)"
static const char *const measures = MEASURES;
static const char *const hangs = HANGS;

/* To the sanitizers: an interpreter that is lost keeps its memory. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

static snug_host *host;

static int open_host(void **state)
{
    return open_test_host(&host);
}

static uint64_t hung_threads(void)
{
    snug_health health = SNUG_HEALTH_INIT;
    snug_host_health(&health, host);
    return health.hung_threads;
}

static int close_host(void **state)
{
    while (hung_threads() > 0)
        wait_a_moment();
    return snug_host_close(host);
}

static snug_session *open_session(const snug_session_options *options)
{
    snug_session *session = NULL;
    if (snug_session_open(&session, host, options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static void lose(snug_session *session)
{
    snug_result_free(run(session, measures, 0));
    snug_result *result = run(session, hangs, 100);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    snug_result_free(result);
    assert_int_equal(snug_session_activity(session), SNUG_ACTIVITY_LOST);
}

static void reset(snug_session *session)
{
    if (snug_session_reset(session) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    assert_int_equal(snug_session_activity(session), SNUG_ACTIVITY_IDLE);
}

static void assert_value(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source, 0);
    assert_string_equal(snug_result_error_value(result), "");
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

/* ---- tests ---- */

TEST(a_lost_session_is_reset_while_its_thread_goes_on)
{
    snug_session *session = open_session(NULL);
    snug_result_free(run(session, "x = 1", 0));
    lose(session);
    reset(session);

    assert_true(is_worker_form() || hung_threads() > 0);
    assert_int_equal(snug_session_execution_count(session), 0);
    assert_value(session, "'x' in globals()", "False");
    assert_int_equal(snug_session_execution_count(session), 1);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

static void double_it(void *payload, snug_call *call, const char *arguments_json)
{
    int n = 0;
    char answer[32];

    sscanf(arguments_json, "{\"n\":%d", &n);
    snprintf(answer, sizeof answer, "%d", 2 * n);
    snug_call_return(call, answer, strlen(answer));
}

static void count_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    (void)stream, (void)text;
    *(size_t *)payload += len;
}

TEST(what_its_options_gave_it_is_there_again)
{
    size_t printed = 0;
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.output_bytes = 77777;
    const char *const allow[] = { "queue", NULL };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.name = "kept";
    options.limits = &limits;
    options.allow = allow;
    options.on_output = count_output;
    options.payload = &printed;
    snug_session *session = open_session(&options);
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "double";
    tool.signature = "n";
    tool.fn = double_it;
    if (snug_session_bind_tool(session, &tool) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    assert_int_equal(snug_session_put_file(session, "a.txt", "abc", 3), SNUG_OK);
    char *folder = strdup(snug_session_workdir(session));

    lose(session);
    reset(session);
    assert_string_equal(snug_session_name(session), "kept");
    assert_string_equal(snug_session_workdir(session), folder);
    assert_value(session, "import queue\nprint('hello')\nopen('a.txt').read(), double(21)",
                 "('abc', 42)");
    assert_int_equal(printed, strlen("hello\n"));

    assert_int_equal(snug_session_close(session), SNUG_OK);
    assert_int_not_equal(access(folder, F_OK), 0);
    free(folder);
}

TEST(a_saved_state_is_restored_into_a_lost_one)
{
    char folder[] = "/tmp/successor-XXXXXX", path[64];
    snug_saved *saved = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/saved", folder);
    snug_session *session = open_session(NULL);
    snug_result_free(run(session, "x = 42", 0));
    assert_int_equal(snug_session_save(&saved, session, path), SNUG_OK);
    snug_saved_free(saved);

    lose(session);
    if (snug_session_restore(&saved, session, path) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    snug_saved_free(saved);
    assert_value(session, "x", "42");
    assert_int_equal(snug_session_close(session), SNUG_OK);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

TEST(tasks_lose_it_and_reset_it)
{
    snug_limits limits = SNUG_LIMITS_INIT;
    limits.wall_ms = 100;
    snug_task *task;
    snug_result *result;
    snug_session *session = open_session(NULL);

    snug_result_free(run(session, measures, 0));
    assert_int_equal(snug_session_start(NULL, session, hangs, strlen(hangs), &limits, NULL, NULL),
                     SNUG_OK);
    assert_int_equal(snug_session_wait(&result, session, SOON_MS), SNUG_OK);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    snug_result_free(result);

    assert_int_equal(snug_session_start_reset(&task, session, NULL, NULL), SNUG_OK);
    assert_int_equal(snug_task_wait(task, SOON_MS), SNUG_OK);
    assert_int_equal(snug_task_error(task), SNUG_OK);
    snug_task_free(task);

    assert_int_equal(snug_session_start(NULL, session, "3", 1, NULL, NULL, NULL), SNUG_OK);
    assert_int_equal(snug_session_wait(&result, session, SOON_MS), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "3");
    snug_result_free(result);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
