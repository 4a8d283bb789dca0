/* Calls that do not hold a thread of the caller's, in the form that SNUG_TEST_FORM names. */
#include "../pace.h"
#include "../unit/test.h"

#include <snug/snug.h>
#include <snug/task.h>

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "running.h"
#include "test_host.h"

/* A bound that only a hang reaches. */
enum { SOON_MS = 600000 };

static snug_session *open_session(void)
{
    snug_session *session = NULL;
    if (snug_session_open(&session, host, NULL) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- what is told ---- */

/* What on_done was told of a task. */
typedef struct told {
    int count;
    int error;
    snug_status status;
    snug_result *result;
    char value[64];
    pthread_t thread;
} told;

static void take_told(void *payload, snug_task *task)
{
    told *t = payload;

    t->count++;
    t->error = snug_task_error(task);
    t->thread = pthread_self();
    t->result = snug_task_take_result(task);
    if (!t->result)
        return;
    t->status = snug_result_status(t->result);
    snprintf(t->value, sizeof t->value, "%s", snug_result_text(t->result, SNUG_STREAM_VALUE, NULL));
    snug_result_free(t->result);
}

/* One thread's loop: polls the host's descriptor alone. */
static void loop_until(const int *count, int wanted)
{
    struct pollfd fd = { .fd = snug_host_fd(host), .events = POLLIN };
    uint64_t end_ms = now_ms() + SOON_MS;

    assert_true(fd.fd >= 0);
    while (*count < wanted && now_ms() < end_ms) {
        assert_true(poll(&fd, 1, 1000) >= 0);
        assert_true(snug_host_dispatch(host, 0) >= 0);
    }
    assert_int_equal(*count, wanted);
}

static void start(snug_session *session, const char *source, told *t)
{
    if (snug_session_start(NULL, session, source, strlen(source), NULL, take_told, t) != SNUG_OK)
        fail_msg("%s", snug_error_message());
}

/* ---- cells ---- */

TEST(a_cell_is_told_to_the_loop_that_polls_the_descriptor)
{
    snug_session *session = open_session();
    told t = { 0 };
    start(session, "6 * 7", &t);
    loop_until(&t.count, 1);
    assert_int_equal(t.error, SNUG_OK);
    assert_string_equal(t.value, "42");
    assert_true(pthread_equal(t.thread, pthread_self()));

    start(session, "_ + 1", &t);
    loop_until(&t.count, 2);
    assert_string_equal(t.value, "43");
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

TEST(the_descriptor_is_quiet_when_all_is_told)
{
    snug_session *session = open_session();
    told t = { 0 };
    start(session, "1", &t);
    loop_until(&t.count, 1);
    assert_int_equal(snug_session_close(session), SNUG_OK);
    while (snug_host_dispatch(host, 0) > 0)
        ;
    struct pollfd fd = { .fd = snug_host_fd(host), .events = POLLIN };
    assert_int_equal(poll(&fd, 1, 50), 0);
}

TEST(a_session_waits_for_its_cell)
{
    snug_session *session = open_session();
    snug_result *result = NULL;
    assert_int_equal(snug_session_wait(&result, session, 0), SNUG_ENOTFOUND);
    const char *cell = "import time\ntime.sleep(0.3)\n'late'";
    assert_int_equal(snug_session_start(NULL, session, cell, strlen(cell), NULL, NULL, NULL),
                     SNUG_OK);
    assert_int_equal(snug_session_wait(&result, session, 0), SNUG_EAGAIN);
    assert_int_equal(snug_session_activity(session), SNUG_ACTIVITY_CALLED);
    assert_int_equal(snug_session_wait(&result, session, SOON_MS), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "'late'");
    assert_int_equal(snug_session_activity(session), SNUG_ACTIVITY_IDLE);
    snug_result_free(result);
    assert_int_equal(snug_session_wait(&result, session, 0), SNUG_ENOTFOUND);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

TEST(a_session_that_has_a_task_is_busy)
{
    snug_session *session = open_session();
    snug_result *result = NULL;
    snug_task *task = NULL;
    const char *cell = "import time\ntime.sleep(60)";
    assert_int_equal(snug_session_start(&task, session, cell, strlen(cell), NULL, NULL, NULL),
                     SNUG_OK);
    assert_int_equal(snug_session_run(&result, session, "1", 1, NULL), SNUG_EBUSY);
    assert_int_equal(snug_session_start(NULL, session, "1", 1, NULL, NULL, NULL), SNUG_EBUSY);
    assert_int_equal(snug_session_close(session), SNUG_EBUSY);
    assert_int_equal(snug_task_error(task), SNUG_EAGAIN);
    assert_int_equal(snug_task_wait(task, 10), SNUG_EAGAIN);

    snug_task_cancel(task);
    assert_int_equal(snug_task_wait(task, SOON_MS), SNUG_OK);
    result = snug_task_take_result(task);
    assert_non_null(result);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_INTERRUPTED);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    snug_task_free(task);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

/* A cell in on_done of the one before, without an end of its own but the tenth. */
typedef struct chain {
    snug_session *session;
    int count;
    uint64_t sum;
} chain;

static void go_on(void *payload, snug_task *task)
{
    chain *c = payload;
    snug_result *result = snug_task_take_result(task);
    c->sum += snug_result_execution_count(result);
    snug_result_free(result);
    if (++c->count < 10)
        assert_int_equal(snug_session_start(NULL, c->session, "1", 1, NULL, go_on, c), SNUG_OK);
}

TEST(on_done_may_start_the_next_cell)
{
    chain c = { .session = open_session() };
    assert_int_equal(snug_session_start(NULL, c.session, "1", 1, NULL, go_on, &c), SNUG_OK);
    loop_until(&c.count, 10);
    assert_int_equal(c.sum, 55);
    assert_int_equal(snug_session_close(c.session), SNUG_OK);
}

enum { MANY = 40, ROUNDS = 5 };

TEST(many_sessions_share_one_loop)
{
    snug_session *sessions[MANY];
    told t = { 0 };
    for (int i = 0; i < MANY; i++)
        sessions[i] = open_session();
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < MANY; i++)
            start(sessions[i], "sum(range(1000))", &t);
        loop_until(&t.count, round * MANY);
        assert_string_equal(t.value, "499500");
    }
    for (int i = 0; i < MANY; i++)
        assert_int_equal(snug_session_close(sessions[i]), SNUG_OK);
}

TEST(a_cell_that_is_cancelled_reaches_no_later_one)
{
    snug_session *session = open_session();
    for (int i = 0; i < 50; i++) {
        snug_task *task = NULL;
        told t = { 0 };
        assert_int_equal(snug_session_start(&task, session, "1", 1, NULL, NULL, NULL), SNUG_OK);
        if (i % 2)
            snug_task_cancel(task);
        assert_int_equal(snug_task_wait(task, SOON_MS), SNUG_OK);
        start(session, "2", &t);
        snug_task_cancel(task); /* which is over */
        loop_until(&t.count, 1);
        assert_int_equal(t.status, SNUG_STATUS_OK);
        assert_string_equal(t.value, "2");
        snug_task_free(task);
    }
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

/* ---- callbacks ---- */

typedef struct heard {
    char text[256];
    pthread_t thread;
    int calls;
} heard;

static void hear(void *payload, snug_stream stream, const char *text, size_t len)
{
    heard *h = payload;
    h->thread = pthread_self();
    snprintf(h->text + strlen(h->text), sizeof h->text - strlen(h->text), "%.*s", (int)len, text);
}

static void answer_double(void *payload, snug_call *call, const char *arguments)
{
    heard *h = payload;
    char answer[32];
    int number = 0;
    h->calls++;
    sscanf(arguments, "{\"n\": %d", &number);
    sscanf(arguments, "{\"n\":%d", &number);
    snprintf(answer, sizeof answer, "%d", number * 2);
    snug_call_return(call, answer, strlen(answer));
}

TEST(callbacks_are_made_by_who_dispatches)
{
    heard h = { .calls = 0 };
    told t = { 0 };
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_tool tool = SNUG_TOOL_INIT;
    options.on_output = hear;
    options.payload = &h;
    tool.name = "double";
    tool.signature = "n: int";
    tool.fn = answer_double;
    tool.payload = &h;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    assert_int_equal(snug_session_bind_tool(session, &tool), SNUG_OK);
    start(session, "print('a')\nx = double(21)\nprint('b')\nx", &t);
    loop_until(&t.count, 1);
    assert_string_equal(t.value, "42");
    assert_string_equal(h.text, "a\nb\n");
    assert_int_equal(h.calls, 1);
    assert_true(pthread_equal(h.thread, pthread_self()));
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

/* Answers from another thread, when it likes. */
static void *answer_later(void *call)
{
    const struct timespec pause = { 0, 50000000 };
    nanosleep(&pause, NULL);
    snug_call_return(call, "7", 1);
    return NULL;
}

static pthread_t answerer;

static void pass_on(void *payload, snug_call *call, const char *arguments)
{
    assert_int_equal(pthread_create(&answerer, NULL, answer_later, call), 0);
}

TEST(a_tool_is_answered_later_from_another_thread)
{
    told t = { 0 };
    snug_session *session = open_session();
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "ask";
    tool.signature = "";
    tool.fn = pass_on;
    assert_int_equal(snug_session_bind_tool(session, &tool), SNUG_OK);
    start(session, "ask()", &t);
    loop_until(&t.count, 1);
    pthread_join(answerer, NULL);
    assert_string_equal(t.value, "7");
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

/* ---- other calls ---- */

typedef struct opened {
    int count, errors;
    snug_session *sessions[MANY];
} opened;

static void take_opened(void *payload, snug_task *task)
{
    opened *o = payload;
    snug_session *session = snug_task_take_session(task);
    o->errors += session == NULL;
    o->sessions[o->count++] = session;
}

static void count_done(void *payload, snug_task *task)
{
    *(int *)payload += 1;
    assert_int_equal(snug_task_error(task), SNUG_OK);
}

TEST(sessions_are_opened_and_closed_by_the_loop)
{
    opened o = { 0 };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    char name[16];
    enum { SOME = 12 };
    for (int i = 0; i < SOME; i++) {
        snprintf(name, sizeof name, "loop %d", i);
        options.name = name;
        assert_int_equal(snug_session_start_open(NULL, host, &options, take_opened, &o), SNUG_OK);
    }
    memset(name, '?', sizeof name - 1);
    loop_until(&o.count, SOME);
    assert_int_equal(o.errors, 0);

    told t = { 0 };
    int closed = 0;
    for (int i = 0; i < SOME; i++) {
        assert_memory_equal(snug_session_name(o.sessions[i]), "loop ", 5);
        start(o.sessions[i], "x = 1", &t);
    }
    loop_until(&t.count, SOME);
    for (int i = 0; i < SOME; i++)
        assert_int_equal(
            snug_session_start_close(NULL, o.sessions[i], SNUG_UNLIMITED, count_done, &closed),
            SNUG_OK);
    loop_until(&closed, SOME);
}

TEST(an_open_that_fails_says_why)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_task *task = NULL;
    options.profile = "nowhere";
    assert_int_equal(snug_session_start_open(&task, host, &options, NULL, NULL), SNUG_OK);
    assert_int_equal(snug_task_wait(task, SOON_MS), SNUG_OK);
    assert_int_equal(snug_task_error(task), SNUG_ENOTFOUND);
    assert_non_null(strstr(snug_task_message(task), "nowhere"));
    assert_null(snug_task_take_session(task));
    snug_task_free(task);
}

TEST(an_open_that_is_cancelled_leaves_nothing)
{
    snug_task *tasks[MANY];
    for (int i = 0; i < MANY; i++)
        assert_int_equal(snug_session_start_open(&tasks[i], host, NULL, NULL, NULL), SNUG_OK);
    for (int i = 0; i < MANY; i++)
        snug_task_cancel(tasks[i]);
    int stopped = 0;
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(snug_task_wait(tasks[i], SOON_MS), SNUG_OK);
        stopped += snug_task_error(tasks[i]) == SNUG_ESTOPPED;
        snug_task_free(tasks[i]);
    }
    assert_true(stopped > MANY / 2);
}

static void wait_for(snug_task *task)
{
    assert_int_equal(snug_task_wait(task, SOON_MS), SNUG_OK);
    if (snug_task_error(task) != SNUG_OK)
        fail_msg("%s", snug_task_message(task));
}

TEST(a_session_is_saved_reset_and_restored)
{
    snug_session *session = open_session();
    snug_task *task = NULL;
    char path[] = "/tmp/snug-task-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snug_result_free(run(session, "x = 41", 0));
    assert_int_equal(snug_session_start_save(&task, session, path, NULL, NULL), SNUG_OK);
    wait_for(task);
    snug_saved *saved = snug_task_take_saved(task);
    assert_non_null(saved);
    assert_int_equal(snug_saved_binding_count(saved), 1);
    snug_saved_free(saved);
    snug_task_free(task);

    assert_int_equal(snug_session_start_reset(&task, session, NULL, NULL), SNUG_OK);
    wait_for(task);
    snug_task_free(task);
    snug_result *result = run(session, "x", 0);
    assert_string_equal(snug_result_error_name(result), "NameError");
    snug_result_free(result);

    assert_int_equal(snug_session_start_restore(&task, session, path, NULL, NULL), SNUG_OK);
    wait_for(task);
    snug_task_free(task);
    result = run(session, "x + 1", 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "42");
    snug_result_free(result);
    unlink(path);
    assert_int_equal(snug_session_close(session), SNUG_OK);
}

TEST(a_host_with_a_task_is_busy)
{
    snug_task *task = NULL;
    assert_int_equal(snug_session_start_open(&task, host, NULL, NULL, NULL), SNUG_OK);
    assert_int_equal(snug_host_close(host), SNUG_EBUSY);
    wait_for(task);
    assert_int_equal(snug_session_close(snug_task_take_session(task)), SNUG_OK);
    snug_task_free(task);
}

/* ---- closing ---- */

static void *run_long(void *session)
{
    snug_result *result = NULL;
    const char *cell = "import time\ntime.sleep(100)";
    if (snug_session_run(&result, session, cell, strlen(cell), NULL) == SNUG_OK)
        snug_result_free(result);
    return NULL;
}

TEST(a_session_in_use_is_closed_by_force_only)
{
    snug_session *session = open_session();
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_long, session), 0);
    while (snug_session_activity(session) == SNUG_ACTIVITY_IDLE)
        sched_yield();
    assert_int_equal(snug_session_close(session), SNUG_EBUSY);
    assert_int_equal(snug_session_close_within(session, 1000), SNUG_EBUSY);
    assert_int_equal(snug_session_close_within(session, 0), SNUG_OK);
    pthread_join(thread, NULL);
}

static void close_in_tool(void *payload, snug_call *call, const char *arguments)
{
    snprintf((char *)payload + sizeof(void *), 8, "%d",
             snug_session_close(*(snug_session **)payload));
    snug_call_return(call, "1", 1);
}

TEST(a_session_is_not_closed_by_a_tool_of_its_own)
{
    struct {
        snug_session *session;
        char answer[8];
    } own = { open_session(), "" };
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "leave";
    tool.signature = "";
    tool.fn = close_in_tool;
    tool.payload = &own;
    assert_int_equal(snug_session_bind_tool(own.session, &tool), SNUG_OK);
    snug_result *result = run(own.session, "leave()", 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "1");
    snug_result_free(result);
    assert_int_equal(atoi(own.answer), SNUG_EBUSY);
    assert_int_equal(snug_session_close(own.session), SNUG_OK);
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
