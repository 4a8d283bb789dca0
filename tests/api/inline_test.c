/* Sessions whose cells run on the thread that opened them. */
#include "../unit/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include <snug/snug.h>

#include "interrupter.h"
#include "running.h"

static snug_host *host;

static int open_host(void **state)
{
    return snug_host_open(&host, NULL);
}

static int close_host(void **state)
{
    return snug_host_close(host);
}

static snug_session_options wish(void)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_caller_thread = 1;
    return options;
}

static snug_session *open_session(const snug_session_options *options)
{
    snug_session *session = NULL;
    const snug_session_options usual = wish();
    if (snug_session_open(&session, host, options ? options : &usual) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static void check(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source, 0);
    if (strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value) != 0)
        fail_msg("%s is %s: %s: %s", source, snug_result_text(result, SNUG_STREAM_VALUE, NULL),
                 snug_result_error_name(result), snug_result_error_value(result));
    snug_result_free(result);
}

static void check_error(snug_session *session, const char *source, const char *name)
{
    snug_result *result = run(session, source, 0);
    assert_string_equal(snug_result_error_name(result), name);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
}

TEST(a_namespace_lives_on)
{
    snug_session *session = open_session(NULL);
    check(session, "def double(n): return n * 2\ndouble(21)", "42");
    check(session, "double(4)", "8");
    check(session, "import json; json.dumps([1])", "'[1]'");
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check(session, "'double' in globals()", "False");
    snug_session_close(session);
}

TEST(what_a_cell_does_wrong_is_told_and_kept)
{
    snug_session *session = open_session(NULL);
    check(session, "n = 41; n", "41");
    check_error(session, "1 / 0", "ZeroDivisionError");
    check_error(session, "def f(): f()\nf()", "RecursionError");
    check_error(session, "import socket", "ImportDenied");
    check_error(session, "open('/etc/passwd')", "PolicyError");
    check(session, "n + 1", "42");
    snug_session_close(session);
}

TEST(limits_end_cells)
{
    snug_session_options options = wish();
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.memory_bytes = 64 << 20;
    snug_session *session = open_session(&options);
    check(session, "n = 41; n", "41");
    snug_result *result = run(session, "while True: pass", 100);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    result = run(session, "'x' * (200 << 20)", 0);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_MEMORY);
    snug_result_free(result);
    check(session, "n + 1", "42");
    snug_session_close(session);
}

TEST(another_thread_can_interrupt)
{
    interrupter i;
    snug_session *session = open_session(NULL);
    interrupter_start(&i, session);
    snug_result *result = run(session, "while True: pass", 60000);
    interrupter_end(&i);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_INTERRUPTED);
    snug_result_free(result);
    check(session, "6 * 7", "42");
    snug_session_close(session);
}

static void *use(void *session)
{
    snug_result *result = NULL;
    static int error;
    error = snug_session_run(&result, session, "1", 1, NULL);
    return &error;
}

TEST(another_thread_can_not_use_it)
{
    void *answer;
    pthread_t thread;
    snug_session *session = open_session(NULL);
    assert_int_equal(pthread_create(&thread, NULL, use, session), 0);
    pthread_join(thread, &answer);
    assert_int_equal(*(int *)answer, SNUG_EINVAL);
    check(session, "6 * 7", "42");
    snug_session_close(session);
}

static void *open_and_close(void *ignored)
{
    for (int i = 0; i < 5; i++) {
        snug_session *session = open_session(NULL);
        check(session, "n = 6 * 7; n", "42");
        snug_session_close(session);
    }
    return NULL;
}

TEST(threads_have_sessions_of_their_own)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

TEST(files_are_in_the_work_directory)
{
    char here[4096], then[4096];
    assert_non_null(getcwd(here, sizeof here));
    snug_session *session = open_session(NULL);
    check(session, "open('f', 'w').write('four')", "4");
    snug_file *file = NULL;
    assert_int_equal(snug_session_get_file(&file, session, "f", 100), SNUG_OK);
    snug_file_free(file);
    snug_session_close(session);
    assert_non_null(getcwd(then, sizeof then));
    assert_string_equal(here, then);
}

TEST(the_thread_is_what_it_was)
{
    sigset_t before, after;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    snug_session *session = open_session(NULL);
    check(session, "6 * 7", "42");
    snug_session_close(session);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    for (int number = 1; number < NSIG; number++)
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
    int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    close(fd);
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 7);
}

static void never(void *payload, snug_call *call, const char *arguments)
{
    (void)payload, (void)arguments;
    snug_call_fail(call, "never");
}

static void on_input(void *payload, snug_call *call, const char *prompt)
{
    never(payload, call, prompt);
}

TEST(what_needs_a_second_thread_is_refused)
{
    snug_session *session = NULL;
    snug_session_options options = wish();
    snug_limits limits = SNUG_LIMITS_INIT;
    options.on_input = on_input;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_EINVAL);
    options = wish();
    options.limits = &limits;
    limits.threads = 1;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_EINVAL);
    options = wish();
    options.kind = SNUG_KIND_FULL;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_EINVAL);
    session = open_session(NULL);
    snug_tool tool = { sizeof tool, "never" };
    tool.fn = never;
    assert_int_equal(snug_session_bind_tool(session, &tool), SNUG_EINVAL);
    snug_session_close(session);
}

TEST(prompts_saves_and_scans_work)
{
    char path[] = "/tmp/snug-inline-XXXXXX";
    snug_completion *names = NULL;
    int fd = mkstemp(path);
    snug_session *session = open_session(NULL);
    check(session, "a_long_name = [1, 2]; a_long_name", "[1, 2]");
    assert_int_equal(snug_session_complete(&names, session, "a_lo", 4, 4), SNUG_OK);
    assert_string_equal(snug_completion_match(names, 0), "a_long_name");
    snug_completion_free(names);
    snug_saved *saved = NULL;
    assert_int_equal(snug_session_save(&saved, session, path), SNUG_OK);
    snug_saved_free(saved);
    saved = NULL;
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    assert_int_equal(snug_session_restore(&saved, session, path), SNUG_OK);
    snug_saved_free(saved);
    check(session, "a_long_name", "[1, 2]");
    snug_session_close(session);
    close(fd);
    unlink(path);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
