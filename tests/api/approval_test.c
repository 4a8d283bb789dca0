/* Rules for tools, and calls that wait for an approval, as a C program has them. */
#include "../unit/test.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "test_host.h"

#include <snug/snug.h>
#include <snug/task.h>

/* Who is asked: keeps the calls, and answers them where now is set. */
typedef struct desk_clerk {
    pthread_mutex_t lock;
    pthread_cond_t change;
    snug_call *calls[4];
    size_t asked;
    int answers_now;
    snug_approval now;
    void (*before)(struct desk_clerk *c, snug_call *call); /* that; NULL: nothing */
    snug_session *session;
    char text[100]; /* of the last one */
} desk_clerk;

#define CLERK                                                                               \
    {                                                                                       \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, { NULL }, 0, 0, 0, NULL, NULL, \
        {                                                                                   \
            '\0'                                                                            \
        }                                                                                   \
    }

static void on_approval(void *payload, snug_call *call)
{
    desk_clerk *c = payload;
    pthread_mutex_lock(&c->lock);
    snprintf(c->text, sizeof c->text, "%s %s", snug_call_name(call), snug_call_arguments(call));
    c->calls[c->asked++ % 4] = call;
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->lock);
    if (c->before)
        c->before(c, call);
    if (c->answers_now)
        snug_call_approve(call, c->now, "not today");
}

static void echo(void *payload, snug_call *call, const char *arguments)
{
    if (payload)
        ++*(int *)payload;
    snug_call_return(call, arguments, strlen(arguments));
}

static uint64_t approval_ms, extra_threads; /* of the next session */

static snug_session *open_session(desk_clerk *c, const snug_tool_rule *rules, size_t count)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    const snug_limits limits = { .size = sizeof limits, .threads = extra_threads };
    snug_session *session = NULL;
    options.tool_rules = rules;
    options.tool_rule_count = count;
    options.payload = c;
    options.on_approval = c ? on_approval : NULL;
    options.approval_ms = approval_ms;
    options.limits = &limits;
    if (snug_session_open(&session, host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    if (c)
        c->session = session;
    return session;
}

static void bind_tool(snug_session *session, const char *name, int *calls, int is_read_only)
{
    snug_tool t = SNUG_TOOL_INIT;
    t.name = name;
    t.fn = echo;
    t.payload = calls;
    t.is_read_only = (uint64_t)is_read_only;
    assert_int_equal(snug_session_bind_tool(session, &t), SNUG_OK);
}

static void bind_awaited(snug_session *session, const char *name, uint64_t timeout_ms)
{
    snug_tool t = SNUG_TOOL_INIT;
    t.name = name;
    t.fn = echo;
    t.is_async = 1;
    t.timeout_ms = timeout_ms;
    assert_int_equal(snug_session_bind_tool(session, &t), SNUG_OK);
}

static snug_result *run(snug_session *session, const char *source, uint64_t wall_ms)
{
    snug_result *result = NULL;
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = wall_ms };
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), &limits), SNUG_OK);
    return result;
}

static void check_value(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source, 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "");
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

static void check_refused(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source, 0);
    assert_string_equal(snug_result_error_name(result), "ToolRefused");
    assert_string_equal(snug_result_error_value(result), value);
    assert_string_equal(snug_result_tool_call(result, 0)->status, "refused");
    snug_result_free(result);
}

static const snug_tool_rule ask_all[] = { { "*", 0, SNUG_TOOL_DECISION_ASK } };

TEST(the_first_rule_that_fits_decides)
{
    static const snug_tool_rule rules[] = {
        { "github_*", 1, SNUG_TOOL_DECISION_ALLOW },
        { "github_*", 0, SNUG_TOOL_DECISION_DENY },
        { "mail", 0, SNUG_TOOL_DECISION_ASK },
    };
    int calls = 0;
    snug_session *session = open_session(NULL, rules, 3);
    bind_tool(session, "github_read", &calls, 1);
    bind_tool(session, "github_write", &calls, 0);
    bind_tool(session, "mail", &calls, 0);
    bind_tool(session, "other", &calls, 0);
    check_value(session, "github_read(a=1), other()", "({'a': 1}, {})");
    for (int i = 0; i < 2; i++) {
        check_refused(session, "github_write()",
                      "github_write() is not allowed: a rule of the session denies it");
        check_refused(
            session, "mail()",
            "mail() is not allowed: the session asks about its calls, and nobody answers");
        assert_int_equal(snug_session_reset(session), SNUG_OK);
    }
    assert_int_equal(calls, 2);
    snug_session_close(session);
}

TEST(bad_rules_are_refused)
{
    static const snug_tool_rule bad[] = { { NULL, 0, SNUG_TOOL_DECISION_DENY } };
    static const snug_tool_rule odd[] = { { "x", 0, (snug_tool_decision)7 } };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_session *session = NULL;
    options.tool_rule_count = 1;
    options.tool_rules = bad;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_EINVAL);
    assert_string_equal(snug_error_message(), "tool rule 1: the pattern is NULL");
    options.tool_rules = odd;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_EINVAL);
    assert_string_equal(snug_error_message(), "tool rule 1 (x): there is no decision 7");
}

TEST(an_approval_is_for_one_call_or_for_all)
{
    int calls = 0;
    desk_clerk c = CLERK;
    snug_session *session = open_session(&c, ask_all, 1);
    bind_tool(session, "f", &calls, 0);
    c.answers_now = 1;
    c.now = SNUG_APPROVAL_ONCE;
    check_value(session, "f(x=1), f(x=2)", "({'x': 1}, {'x': 2})");
    assert_string_equal(c.text, "f {\"x\": 2}");
    assert_int_equal(c.asked, 2);
    c.now = SNUG_APPROVAL_ALWAYS;
    check_value(session, "f(x=3), f(x=4)", "({'x': 3}, {'x': 4})");
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check_value(session, "f(x=5)", "{'x': 5}");
    assert_int_equal(c.asked, 3);
    assert_int_equal(calls, 5);
    snug_session_close(session);
}

TEST(a_refusal_is_an_exception_that_a_cell_can_catch)
{
    int calls = 0;
    desk_clerk c = CLERK;
    snug_session *session = open_session(&c, ask_all, 1);
    bind_tool(session, "f", &calls, 0);
    c.answers_now = 1;
    c.now = SNUG_APPROVAL_REFUSE;
    check_refused(session, "f()", "not today");
    check_value(session, "try:\n    f()\nexcept ToolRefused as e:\n    r = str(e)\nr",
                "'not today'");
    check_value(session, "issubclass(ToolRefused, ToolError)", "True");
    c.now = (snug_approval)9;
    check_refused(session, "f()", "f() was refused");
    assert_int_equal(calls, 0);
    snug_session_close(session);
}

static void wait_for_asked(desk_clerk *c, size_t count)
{
    pthread_mutex_lock(&c->lock);
    while (c->asked < count)
        pthread_cond_wait(&c->change, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

/* Longer than the cell and the tool may take. */
static void *approve_late(void *payload)
{
    desk_clerk *c = payload;
    wait_for_asked(c, 2);
    const struct timespec held = { 0, 700 * 1000 * 1000 };
    nanosleep(&held, NULL);
    assert_int_equal(snug_call_is_wanted(c->calls[0]), 1);
    assert_int_equal(snug_call_approve(c->calls[1], SNUG_APPROVAL_ONCE, NULL), SNUG_OK);
    assert_int_equal(snug_call_approve(c->calls[0], SNUG_APPROVAL_ONCE, NULL), SNUG_OK);
    return NULL;
}

TEST(a_held_call_takes_no_time_of_its_own_or_of_its_cell)
{
    pthread_t thread;
    desk_clerk c = CLERK;
    snug_session *session = open_session(&c, ask_all, 1);
    bind_awaited(session, "f", 300);
    check_value(session, "import asyncio", "");
    pthread_create(&thread, NULL, approve_late, &c);
    snug_result *result = run(session, "await asyncio.gather(f(n=1), f(n=2))", 400);
    pthread_join(thread, NULL);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "[{'n': 1}, {'n': 2}]");
    assert_true(snug_result_wall_ns(result) > UINT64_C(600000000));
    assert_true(snug_result_cpu_ns(result) < UINT64_C(300000000));
    snug_result_free(result);
    snug_session_close(session);
}

static void *interrupt_when_asked(void *payload)
{
    desk_clerk *c = payload;
    wait_for_asked(c, 1);
    snug_session_interrupt(c->session);
    return NULL;
}

TEST(an_interrupt_ends_the_wait_and_a_late_answer_is_told)
{
    int calls = 0;
    pthread_t thread;
    desk_clerk c = CLERK;
    snug_session *session = open_session(&c, ask_all, 1);
    bind_tool(session, "f", &calls, 0);
    pthread_create(&thread, NULL, interrupt_when_asked, &c);
    snug_result *result = run(session, "f()", 0);
    pthread_join(thread, NULL);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_INTERRUPTED);
    assert_string_equal(snug_result_tool_call(result, 0)->status, "cancelled");
    snug_result_free(result);
    assert_int_equal(snug_call_is_wanted(c.calls[0]), 0);
    snug_session_close(session);
    assert_int_equal(snug_call_approve(c.calls[0], SNUG_APPROVAL_ALWAYS, NULL), SNUG_ENOTFOUND);
    assert_int_equal(calls, 0);
}

/* ---- who is asked keeps the thread ---- */

static void sleep_ms(long ms)
{
    const struct timespec time = { ms / 1000, ms % 1000 * 1000 * 1000 };
    nanosleep(&time, NULL);
}

static void think(desk_clerk *c, snug_call *call)
{
    sleep_ms(1200);
}

TEST(who_is_asked_may_take_more_time_than_the_cell_has)
{
    int calls = 0;
    desk_clerk c = CLERK;
    c.answers_now = 1;
    c.now = SNUG_APPROVAL_ONCE;
    c.before = think;
    snug_session *session = open_session(&c, ask_all, 1);
    bind_tool(session, "f", &calls, 0);
    snug_result *result = run(session, "f(n=1)", 400);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "");
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "{'n': 1}");
    assert_int_equal(calls, 1);
    snug_result_free(result);
    snug_session_close(session);
}

static void interrupt_and_look(desk_clerk *c, snug_call *call)
{
    snug_session_interrupt(c->session);
    for (int i = 0; i < 1000 && snug_call_is_wanted(call); i++)
        sleep_ms(10);
    c->answers_now = !snug_call_is_wanted(call);
}

TEST(who_is_asked_learns_of_an_interrupt_and_calls_nothing_then)
{
    int calls = 0;
    desk_clerk c = CLERK;
    c.now = SNUG_APPROVAL_ALWAYS;
    c.before = interrupt_and_look;
    snug_session *session = open_session(&c, ask_all, 1);
    bind_tool(session, "f", &calls, 0);
    snug_result *result = run(session, "f()", 60000);
    assert_int_equal(c.answers_now, 1);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_INTERRUPTED);
    assert_string_equal(snug_result_tool_call(result, 0)->status, "cancelled");
    snug_result_free(result);
    assert_int_equal(calls, 0);
    c.before = NULL;
    c.now = SNUG_APPROVAL_ONCE;
    check_value(session, "f(n=2)", "{'n': 2}");
    assert_int_equal(c.asked, 2);
    snug_session_close(session);
}

static void think_long(desk_clerk *c, snug_call *call)
{
    sleep_ms(3000);
}

TEST(what_is_approved_when_the_cell_is_over_is_not_called)
{
    static const char source[] = "import threading\n"
                                 "def burn():\n"
                                 "    while True: pass\n"
                                 "threading.Thread(target=burn).start()\n"
                                 "f()";
    int calls = 0;
    desk_clerk c = CLERK;
    c.answers_now = 1;
    c.now = SNUG_APPROVAL_ONCE;
    c.before = think_long;
    extra_threads = 1;
    snug_session *session = open_session(&c, ask_all, 1);
    extra_threads = 0;
    bind_tool(session, "f", &calls, 0);
    snug_limits limits = { .size = sizeof(snug_limits), .cpu_ms = 50 };
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), &limits), SNUG_OK);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    snug_result_free(result);
    assert_int_equal(calls, 0);
    snug_session_close(session);
}

static void end_worker(desk_clerk *c, snug_call *call)
{
    if (!is_worker_form())
        return;
    kill((pid_t)snug_session_process(c->session), SIGKILL);
    sleep_ms(500);
}

TEST(what_is_approved_when_the_worker_is_gone_is_not_called)
{
    int calls = 0;
    desk_clerk c = CLERK;
    c.answers_now = 1;
    c.now = SNUG_APPROVAL_ONCE;
    c.before = end_worker;
    snug_session *session = open_session(&c, ask_all, 1);
    bind_tool(session, "f", &calls, 0);
    snug_result *result = run(session, "print('x' * 1000)\nf()\nprint('y')", 0);
    assert_int_equal(calls, is_worker_form() ? 0 : 1);
    snug_result_free(result);
    snug_session_close(session);
}

/* ---- the limit of the wait, and a session that is lost ---- */

static const char nobody[] = "f() was refused: nobody has answered for 0.2 s";

static void check_late(desk_clerk *c, size_t asked)
{
    assert_int_equal(c->asked, asked);
    assert_int_equal(snug_call_is_wanted(c->calls[asked - 1]), 0);
    assert_int_equal(snug_call_approve(c->calls[asked - 1], SNUG_APPROVAL_ALWAYS, NULL),
                     SNUG_ENOTFOUND);
}

TEST(a_call_that_nobody_answers_is_refused_after_its_time)
{
    int calls = 0;
    desk_clerk c = CLERK;
    approval_ms = 200;
    snug_session *session = open_session(&c, ask_all, 1);
    approval_ms = 0;
    bind_tool(session, "f", &calls, 0);
    check_refused(session, "f()", nobody);
    check_late(&c, 1);
    check_value(session, "try:\n    f()\nexcept ToolRefused as e:\n    r = str(e)\nr",
                "'f() was refused: nobody has answered for 0.2 s'");
    check_late(&c, 2);

    assert_int_equal(snug_session_reset(session), SNUG_OK); /* which keeps the limit */
    bind_awaited(session, "f", 100);
    check_value(session, "import asyncio", "");
    check_refused(session, "await f()", nobody);
    check_late(&c, 3);
    assert_int_equal(calls, 0);
    snug_session_close(session);
}

TEST(so_it_is_where_nobody_waits_for_the_cell)
{
    desk_clerk c = CLERK;
    snug_task *task = NULL;
    snug_result *result = NULL;
    approval_ms = 200;
    snug_session *session = open_session(&c, ask_all, 1);
    approval_ms = 0;
    bind_tool(session, "f", NULL, 0);
    assert_int_equal(snug_session_start(&task, session, "f()", 3, NULL, NULL, NULL), SNUG_OK);
    while (snug_task_error(task) == SNUG_EAGAIN)
        assert_true(snug_host_dispatch(host, 10000) >= 0);
    snug_task_free(task);
    assert_int_equal(snug_session_wait(&result, session, 0), SNUG_OK);
    assert_string_equal(snug_result_error_value(result), nobody);
    snug_result_free(result);
    check_late(&c, 1);
    snug_session_close(session);
}

/* The cell begins anew: the one before it has ended with its interpreter. */
static void *end_session_when_asked(void *payload)
{
    desk_clerk *c = payload;
    wait_for_asked(c, 1);
    const int64_t process = snug_session_process(c->session);
    if (is_worker_form())
        kill((pid_t)process, SIGKILL);
    else
        snug_session_close_within(c->session, 0);
    return NULL;
}

TEST(the_loss_of_the_session_ends_the_wait)
{
    int calls = 0;
    pthread_t thread;
    desk_clerk c = CLERK;
    snug_result *result = NULL;
    snug_session *session = open_session(&c, ask_all, 1);
    bind_tool(session, "f", &calls, 0);
    pthread_create(&thread, NULL, end_session_when_asked, &c);
    int error = snug_session_run(&result, session, "f()", 3, NULL);
    pthread_join(thread, NULL);
    if (is_worker_form()) {
        assert_int_equal(error, SNUG_OK);
        assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
        assert_int_equal(snug_session_reset(session), SNUG_OK);
        snug_session_close(session);
    }
    snug_result_free(result);
    check_late(&c, 1);
    assert_int_equal(calls, 0);
}

/* ---- many at once ---- */

enum { MANY = 100 };

typedef struct crowd {
    snug_call *calls[MANY];
    size_t asked; /* by one thread, which dispatches */
} crowd;

static void keep_asked(void *payload, snug_call *call)
{
    crowd *c = payload;
    c->calls[c->asked++] = call;
}

static size_t count_threads(void)
{
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* One that tasks share may start; and in this process each session has had its own before. */
TEST(a_hundred_cells_wait_without_a_thread_of_the_host)
{
    static snug_session *sessions[MANY];
    crowd c = { .asked = 0 };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.tool_rules = ask_all;
    options.tool_rule_count = 1;
    options.payload = &c;
    options.on_approval = keep_asked;
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(snug_session_open(&sessions[i], host, &options), SNUG_OK);
        bind_tool(sessions[i], "f", NULL, 0);
    }

    const size_t before = count_threads();
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(snug_session_start(NULL, sessions[i], "f(n=7)", 6, NULL, NULL, NULL),
                         SNUG_OK);
    while (c.asked < MANY)
        assert_true(snug_host_dispatch(host, 1000) >= 0);
    const size_t held = count_threads();
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(snug_call_approve(c.calls[i], SNUG_APPROVAL_ONCE, NULL), SNUG_OK);
    for (size_t i = 0; i < MANY; i++) {
        snug_result *result = NULL;
        assert_int_equal(snug_session_wait(&result, sessions[i], 60000), SNUG_OK);
        assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "");
        assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "{'n': 7}");
        snug_result_free(result);
        snug_session_close(sessions[i]);
    }
    if (held > before + 1)
        fail_msg("%zu threads with idle sessions, %zu with waiting ones", before, held);
}

/* ---- a long wait, in real time: --held ---- */

enum { HELD_S = 610 };

static void *approve_after_ten_minutes(void *payload)
{
    desk_clerk *c = payload;
    const struct timespec held = { HELD_S, 0 };
    wait_for_asked(c, 1);
    nanosleep(&held, NULL);
    assert_int_equal(snug_call_approve(c->calls[0], SNUG_APPROVAL_ONCE, NULL), SNUG_OK);
    return NULL;
}

static void a_call_is_held_for_more_than_ten_minutes(void **state)
{
    pthread_t thread;
    desk_clerk c = CLERK;
    snug_session *session = open_session(&c, ask_all, 1);
    bind_tool(session, "f", NULL, 0);
    pthread_create(&thread, NULL, approve_after_ten_minutes, &c);
    snug_result *result = run(session, "f(n=1)", 2000);
    pthread_join(thread, NULL);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "{'n': 1}");
    assert_true(snug_result_wall_ns(result) >= HELD_S * UINT64_C(1000000000));
    assert_true(snug_result_cpu_ns(result) < UINT64_C(1000000000));
    snug_result_free(result);
    check_value(session, "6 * 7", "42");
    snug_session_close(session);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest held[] = { cmocka_unit_test(a_call_is_held_for_more_than_ten_minutes) };
    if (argc > 1 && !strcmp(argv[1], "--held"))
        return cmocka_run_group_tests(held, open_host, close_host);

    return run_all_tests(open_host, close_host);
}
