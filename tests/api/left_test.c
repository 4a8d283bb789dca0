/* Callbacks that are left by a longjmp, in the form that SNUG_TEST_FORM names. */
#include "../unit/test.h"

#include <snug/snug.h>
#include <snug/task.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "form.h"
#include "running.h"

/* To the sanitizers: what the frames had that a longjmp has left is lost. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

/* A bound that only a hang reaches. */
enum { SOON_MS = 600000 };

static snug_host *host;
static jmp_buf outside;
static int leaves; /* how often a callback still leaves */

static int open_host(void **state)
{
    return open_test_host(&host);
}

static int close_host(void **state)
{
    return snug_host_close(host);
}

static void leave(void)
{
    if (leaves > 0) {
        leaves--;
        longjmp(outside, 1);
    }
}

static void leave_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    (void)payload, (void)stream, (void)text, (void)len;
    leave();
}

static void leave_tool(void *payload, snug_call *call, const char *arguments_json)
{
    (void)payload, (void)arguments_json;
    leave();
    snug_call_return(call, "7", 1);
}

static void leave_told(void *payload, const snug_tool_call *call)
{
    (void)payload, (void)call;
    leave();
}

static snug_session *open_session(void)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = leave_output;
    options.on_tool_call = leave_told;
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "seven";
    tool.signature = "";
    tool.fn = leave_tool;
    if (snug_session_open(&session, host, &options) != SNUG_OK ||
        snug_session_bind_tool(session, &tool) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

/* What stands where the frames that are gone were. */
__attribute__((noinline)) static int run_deep(snug_session *session, const char *source, int depth)
{
    volatile char room[512];
    snug_result *result = NULL;

    memset((char *)(uintptr_t)room, depth, sizeof room);
    if (depth > 0)
        return run_deep(session, source, depth - 1) + (room[0] & 0);
    int error = snug_session_run(&result, session, source, strlen(source), NULL);
    snug_result_free(result);
    return error;
}

static void run_and_leave(snug_session *session, const char *source)
{
    leaves = 1;
    if (!setjmp(outside)) {
        run_deep(session, source, 4);
        fail_msg("the callback did not leave");
    }
}

static void assert_goes_on(snug_session *session)
{
    snug_result *result = run(session, "print('here')\nx + seven()", 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "49");
    snug_result_free(result);
}

/* ---- tests ---- */

static const char *const ways[] = {
    "print('here', flush=True)\nwhile True: pass", /* on_output, and a cell that goes on */
    "print('here')",                               /* and one that has ended */
    "seven()",                                     /* the tool itself */
};

static void the_next_call_says_so_and_the_session_goes_on(void **state)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snug_session *session = open_session();
        snug_result_free(run(session, "x = 42", 0));
        run_and_leave(session, ways[i]);

        assert_int_equal(run_deep(session, "x", 0), SNUG_ESTOPPED);
        assert_non_null(strstr(snug_error_message(), "a callback of session"));
        assert_goes_on(session);
        assert_int_equal(snug_session_close(session), SNUG_OK);
    }
}

static void it_is_noticed_at_any_depth_of_the_stack(void **state)
{
    for (int depth = 0; depth < 12; depth++) {
        snug_session *session = open_session();
        run_and_leave(session, ways[0]);
        int error = run_deep(session, "1", depth);
        assert_true(error == SNUG_ESTOPPED || error == SNUG_EBUSY); /* nothing stands there yet */
        if (error == SNUG_EBUSY)
            assert_int_equal(run_deep(session, "1", 0), SNUG_ESTOPPED);
        assert_int_equal(run_deep(session, "1", depth), SNUG_OK);
        assert_int_equal(snug_session_close(session), SNUG_OK);
    }
}

static void a_report_of_a_tool_may_be_left_too(void **state)
{
    snug_session *session = open_session();
    snug_result_free(run(session, "x = 42", 0));
    run_and_leave(session, "y = [seven() for _ in range(3)]"); /* the tool's first call */
    assert_int_equal(run_deep(session, "1", 0), SNUG_ESTOPPED);
    assert_goes_on(session);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

static void it_is_closed_at_once(void **state)
{
    snug_session *session = open_session();
    run_and_leave(session, ways[0]);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

static void it_is_reset_after_the_error(void **state)
{
    snug_session *session = open_session();
    run_and_leave(session, ways[0]);
    assert_int_equal(snug_session_reset(session), SNUG_ESTOPPED);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    assert_int_equal(run_deep(session, "1", 0), SNUG_OK);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

/* A call of the session by its own callback is none that has left it. */
static snug_session *busy;
static int busy_error;
static void call_again(void *payload, snug_stream stream, const char *text, size_t len)
{
    (void)payload, (void)stream, (void)text, (void)len;
    busy_error = run_deep(busy, "1", 0);
    if (busy_error == SNUG_EBUSY)
        busy_error = run_deep(busy, "1", 12);
}

static void a_callback_that_calls_its_session_finds_it_busy(void **state)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = call_again;
    assert_int_equal(snug_session_open(&busy, host, &options), SNUG_OK);
    snug_result_free(run(busy, "print('here')", 0));
    assert_int_equal(busy_error, SNUG_EBUSY);
    assert_int_equal(snug_session_close(busy), SNUG_OK);
}

static void *run_elsewhere(void *session)
{
    return (void *)(intptr_t)run_deep(session, "1", 0);
}

static void another_thread_finds_it_busy(void **state)
{
    pthread_t thread;
    void *error;
    snug_session *session = open_session();
    run_and_leave(session, ways[0]);
    assert_int_equal(pthread_create(&thread, NULL, run_elsewhere, session), 0);
    assert_int_equal(pthread_join(thread, &error), 0);
    assert_int_equal((intptr_t)error, SNUG_EBUSY);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

static void a_task_is_ended_when_it_is_waited_for(void **state)
{
    snug_result *result;
    snug_session *session = open_session();
    snug_result_free(run(session, "x = 42", 0));
    assert_int_equal(snug_session_start(NULL, session, ways[0], strlen(ways[0]), NULL, NULL, NULL),
                     SNUG_OK);
    leaves = 1;
    if (!setjmp(outside)) {
        snug_session_wait(&result, session, SOON_MS);
        fail_msg("the callback did not leave");
    }

    assert_int_equal(snug_session_wait(&result, session, SOON_MS), SNUG_OK);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_INTERRUPTED);
    snug_result_free(result);
    assert_goes_on(session);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

static void a_task_is_ended_when_it_is_dispatched(void **state)
{
    snug_result *result;
    snug_session *session = open_session();
    assert_int_equal(snug_session_start(NULL, session, ways[0], strlen(ways[0]), NULL, NULL, NULL),
                     SNUG_OK);
    leaves = 1;
    if (!setjmp(outside))
        for (;;)
            snug_host_dispatch(host, SOON_MS);

    snug_session_interrupt(session);
    while (snug_host_dispatch(host, SOON_MS) == 0)
        ;
    assert_int_equal(snug_session_wait(&result, session, 0), SNUG_OK);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_INTERRUPTED);
    snug_result_free(result);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

static void leave_done(void *payload, snug_task *task)
{
    (void)payload, (void)task;
    leave();
}

static void start_quickly(snug_session *session, snug_task_done *on_done)
{
    assert_int_equal(snug_session_start(NULL, session, "1", 1, NULL, on_done, NULL), SNUG_OK);
}

static void a_host_is_closed_although_on_done_was_left(void **state)
{
    snug_result *result = NULL;
    snug_session *session = open_session();
    for (volatile int i = 0; i < 2; i++) {
        start_quickly(session, leave_done);
        leaves = 1;
        if (!setjmp(outside)) {
            if (i == 0)
                snug_session_wait(&result, session, SOON_MS);
            while (i == 1)
                snug_host_dispatch(host, SOON_MS);
            fail_msg("on_done did not leave");
        }
        assert_int_equal(snug_session_wait(&result, session, SOON_MS), SNUG_OK);
        snug_result_free(result);
    }

    assert_int_equal(run_deep(session, "1", 0), SNUG_OK);
    assert_int_equal(snug_session_close(session), SNUG_OK);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_int_equal(open_test_host(&host), SNUG_OK);
}

/* One that has not left it is still there. */
static int close_error;
static void close_host_there(void *payload, snug_task *task)
{
    (void)payload, (void)task;
    close_error = snug_host_close(host);
}

static void a_host_is_not_closed_by_its_own_on_done(void **state)
{
    snug_task *task;
    snug_session *session = open_session();
    assert_int_equal(snug_session_start_close(&task, session, SOON_MS, close_host_there, NULL),
                     SNUG_OK);
    assert_int_equal(snug_task_wait(task, SOON_MS), SNUG_OK);
    snug_task_free(task);
    assert_int_equal(close_error, SNUG_EBUSY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_call_says_so_and_the_session_goes_on),
        cmocka_unit_test(it_is_noticed_at_any_depth_of_the_stack),
        cmocka_unit_test(a_report_of_a_tool_may_be_left_too),
        cmocka_unit_test(it_is_closed_at_once),
        cmocka_unit_test(it_is_reset_after_the_error),
        cmocka_unit_test(a_callback_that_calls_its_session_finds_it_busy),
        cmocka_unit_test(another_thread_finds_it_busy),
        cmocka_unit_test(a_task_is_ended_when_it_is_waited_for),
        cmocka_unit_test(a_task_is_ended_when_it_is_dispatched),
        cmocka_unit_test(a_host_is_closed_although_on_done_was_left),
        cmocka_unit_test(a_host_is_not_closed_by_its_own_on_done),
    };
    return cmocka_run_group_tests(tests, open_host, close_host);
}
