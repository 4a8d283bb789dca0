/* What a forked child may do with what its parent has opened: in both forms, and in a program with
 * the whole ladder. */
#include "../unit/test.h"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <snug/snug.h>

#include "form.h"
#include "running.h"

static snug_host *host;
static snug_session *session;

static int open_both(void **state)
{
    if (open_test_host(&host) == SNUG_OK && snug_session_open(&session, host, NULL) == SNUG_OK)
        return 0;
    fprintf(stderr, "%s\n", snug_error_message());
    return -1;
}

static int close_both(void **state)
{
    snug_session_close(session);
    return snug_host_close(host);
}

/* ---- children ---- */

/* What hangs for ever in a child ends it. */
enum { BOUND_CHILD_S = 600, FAILED = 1 };

/* The first thing that is not as it should be is told, and ends the child. */
#define EXPECT(fact)                                                                              \
    do {                                                                                          \
        if (!(fact)) {                                                                            \
            dprintf(2, "in the child, line %d: %s: %s\n", __LINE__, #fact, snug_error_message()); \
            _exit(FAILED);                                                                        \
        }                                                                                         \
    } while (0)

static int is_refused(int error)
{
    return error == SNUG_EINVAL && strstr(snug_error_message(), "was forked") != NULL;
}

static void in_child(void (*fn)(void))
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(BOUND_CHILD_S);
        fn();
        _exit(0);
    }

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* The session is as it was: with its names, its files and its limits. */
static void expect_untouched(void)
{
    struct stat facts;
    snug_result *result = run(session, "kept + 1", 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "42");
    snug_result_free(result);

    result = run(session, "open('made.txt').read()", 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "'here'");
    snug_result_free(result);
    assert_int_equal(stat(snug_session_workdir(session), &facts), 0);

    result = run(session, "while True: pass", 300);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
}

static void leave_something(void)
{
    snug_result *result =
        run(session, "kept = 41\nwith open('made.txt', 'w') as f: f.write('here')", 0);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_OK);
    snug_result_free(result);
}

/* ---- tests ---- */

static void answer_in_a_child(void *payload, snug_call *call, const char *arguments)
{
    pid_t *child = payload;

    *child = fork();
    if (*child == 0) {
        alarm(BOUND_CHILD_S);
        EXPECT(!snug_call_is_wanted(call));
        EXPECT(is_refused(snug_call_return(call, "1", 1)));
        EXPECT(is_refused(snug_call_fail(call, "no")));
        _exit(0);
    }

    snug_call_return(call, "7", 1);
}

TEST(a_call_of_a_tool_is_answered_by_the_parent_only)
{
    pid_t child = -1;
    int status;
    snug_tool tool = SNUG_TOOL_INIT;

    tool.name = "ask";
    tool.fn = answer_in_a_child;
    tool.payload = &child;
    assert_int_equal(snug_session_bind_tool(session, &tool), SNUG_OK);
    snug_result *result = run(session, "ask()", 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "7");
    snug_result_free(result);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void call_everything(void)
{
    snug_result *result = NULL;
    snug_session *opened = NULL;
    snug_scan *scan = NULL;
    snug_file *file = NULL;
    snug_description *names = NULL;
    snug_health health = SNUG_HEALTH_INIT;
    snug_pool pool = SNUG_POOL_INIT;
    snug_parking parking = SNUG_PARKING_INIT;

    EXPECT(is_refused(snug_session_run(&result, session, "1", 1, NULL)));
    EXPECT(is_refused(snug_session_set_variable(session, "x", "1", 1)));
    EXPECT(is_refused(snug_session_reset(session)));
    EXPECT(is_refused(snug_session_is_complete(session, "1", 1)));
    EXPECT(is_refused(snug_session_list_variables(&names, session)));
    EXPECT(is_refused(snug_session_put_file(session, "made.txt", "gone", 4)));
    EXPECT(is_refused(snug_session_get_file(&file, session, "made.txt", 0)));
    EXPECT(is_refused(snug_session_remove_file(session, "made.txt")));
    EXPECT(is_refused(snug_session_open(&opened, host, NULL)));
    EXPECT(is_refused(snug_host_scan(&scan, host, "1", 1, NULL)));
    EXPECT(is_refused(snug_host_health(&health, host)));
    EXPECT(is_refused(snug_host_pool(&pool, host)));
    EXPECT(is_refused(snug_host_parking(&parking, host)));
    EXPECT(strcmp(snug_session_name(session), "s1") == 0);
    EXPECT(snug_host_report(host) != NULL);
    EXPECT(snug_session_process(session) == 0);
}

TEST(every_call_in_a_child_is_refused)
{
    leave_something();
    in_child(call_everything);
    expect_untouched();
}

static snug_result *held;

static void read_result(void)
{
    EXPECT(strcmp(snug_result_text(held, SNUG_STREAM_VALUE, NULL), "42") == 0);
    EXPECT(strstr(snug_result_json(held, NULL), "snug.result/1") != NULL);
    snug_result_free(held);
}

TEST(a_child_reads_the_results_that_it_has)
{
    held = run(session, "6 * 7", 0);
    in_child(read_result);
    snug_result_free(held);
}

static void use_own_worker(void)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_host *own = NULL;
    snug_session *other = NULL;
    snug_result *result = NULL;
    const snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = 300 };
    static const char cell[] = "while True: pass";

    options.form = SNUG_FORM_WORKER;
#ifdef WORKER /* which is not beside a program of the tests */
    options.worker_path = WORKER;
#endif
    EXPECT(snug_host_open(&own, &options) == SNUG_OK);
    EXPECT(snug_session_open(&other, own, NULL) == SNUG_OK);
    EXPECT(snug_session_run(&result, other, cell, strlen(cell), &limits) == SNUG_OK);
    EXPECT(snug_result_status(result) == SNUG_STATUS_TIMEOUT);
    snug_result_free(result);

    /* What it has inherited is refused still. */
    EXPECT(is_refused(snug_session_run(&result, session, "1", 1, NULL)));
    snug_session_close(other);
    EXPECT(snug_host_close(own) == SNUG_OK);
}

TEST(a_child_opens_a_worker_of_its_own)
{
    leave_something();
    in_child(use_own_worker);
    expect_untouched();
}

static void open_local(void)
{
    snug_host *own = NULL;
    EXPECT(snug_host_open(&own, NULL) == SNUG_EPYTHON);
    EXPECT(strstr(snug_error_message(), "SNUG_FORM_WORKER") != NULL);
}

TEST(a_child_opens_no_local_host_where_python_ran_before)
{
    if (is_worker_form())
        skip();
    in_child(open_local);
}

extern char **environ;

TEST(a_program_that_is_spawned_changes_nothing)
{
    char *const words[] = { (char *)(uintptr_t) "true", NULL };
    int status;
    pid_t pid;

    leave_something();
    assert_int_equal(posix_spawnp(&pid, "true", NULL, NULL, words, environ), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    expect_untouched();
}

int main(void)
{
    return run_all_tests(open_both, close_both);
}
