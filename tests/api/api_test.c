/* The public API as a C program uses it, through libsnug. */
#include "../counters.h"
#include "../unit/test.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>

#include "moment.h"
#include "test_host.h"

#include <snug/snug.h>

static snug_session *open_session(void)
{
    snug_session *session = NULL;
    assert_int_equal(snug_session_open(&session, host, NULL), SNUG_OK);
    return session;
}

static snug_result *run(snug_session *session, const char *source)
{
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), NULL), SNUG_OK);
    return result;
}

static void check_value(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

TEST(names_live_from_cell_to_cell)
{
    snug_session *session = open_session();
    check_value(session, "x = 20; y = 1", "");
    check_value(session, "x * 2 + y + 1", "42");
    snug_session_close(session);
}

TEST(sessions_do_not_see_each_other)
{
    snug_session *a = open_session(), *b = open_session();
    check_value(a, "import math; math.planted = 1; secret = 1", "");
    check_value(b, "'secret' in globals()", "False");
    check_value(b, "import math; hasattr(math, 'planted')", "False");
    snug_session_close(a);
    snug_session_close(b);
}

TEST(source_needs_no_nul_behind_it)
{
    snug_session *session = open_session();
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, "1 + 1garbage", 5, NULL), SNUG_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "2");
    snug_result_free(result);
    snug_session_close(session);
}

TEST(a_second_host_is_refused_while_one_is_open)
{
    snug_host *second = NULL;
    if (is_worker_form()) {
        print_message("of hosts with workers there may be many\n");
        skip();
    }
    assert_int_equal(open_test_host(&second), SNUG_EBUSY);
    assert_null(second);
}

TEST(a_host_with_sessions_does_not_close)
{
    snug_session *session = open_session();
    assert_int_equal(snug_host_close(host), SNUG_EBUSY);
    assert_non_null(strstr(snug_error_message(), "1 open session"));
    snug_session_close(session);
}

TEST(a_closed_host_can_be_opened_again)
{
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_int_equal(open_test_host(&host), SNUG_OK);
    snug_session *session = open_session();
    check_value(session, "6 * 7", "42");
    snug_session_close(session);
}

TEST(a_name_is_a_short_text)
{
    char name[258];
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    memset(name, 'n', sizeof name);
    name[257] = '\0';
    const char *const refused[] = { "", name, "a\xff" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        options.name = refused[i];
        assert_int_equal(snug_session_open(&session, host, &options), SNUG_EINVAL);
        assert_non_null(strstr(snug_error_message(), "a session's name"));
    }
    options.name = name + 1;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    snug_session_close(session);
}

TEST(too_little_memory_is_refused)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.memory_bytes = (16 << 20) - 1;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_EINVAL);
    assert_non_null(strstr(snug_error_message(), "memory_bytes"));
    limits.memory_bytes = 16 << 20;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    check_value(session, "import json; json.dumps([1])", "'[1]'");
    snug_session_close(session);
}

static snug_session *open_threaded(uint64_t threads, uint64_t memory_bytes)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.threads = threads;
    limits.memory_bytes = memory_bytes;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    return session;
}

TEST(a_session_may_have_so_many_threads)
{
    snug_session *session = open_threaded(2, 0);
    check_value(session,
                "from concurrent.futures import ThreadPoolExecutor\n"
                "with ThreadPoolExecutor(2) as pool: found = list(pool.map(abs, [-1, -2]))\n"
                "found",
                "[1, 2]");
    check_value(session,
                "import threading\n"
                "end = threading.Event()\n"
                "threads = [threading.Thread(target=end.wait) for _ in range(3)]\n"
                "try:\n    for t in threads: t.start()\n"
                "except RuntimeError as e: said = str(e)\n"
                "finally: end.set()\n"
                "said",
                "\"can't start new thread: this session may have 2 at once (limit threads)\"");
    snug_session_close(session);
}

TEST(without_the_option_a_session_has_no_threads)
{
    snug_session *session = open_session();
    check_value(session, "try: import threading\nexcept ImportError as e: name = e.name\nname",
                "'threading'");
    snug_session_close(session);
}

/* Also beside the shared libpython, where nothing is torn out of its code. */
TEST(a_time_limit_ends_the_threads_of_a_cell_and_keeps_the_state)
{
    snug_session *session = open_threaded(2, 0);
    snug_result *result = NULL;
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = 100 };
    const char *source = "for _ in range(2): threading.Thread(target=loop).start()\n"
                         "loop()";

    /* Before: on a busy machine the import alone may take as long as the limit. */
    check_value(session,
                "import threading\n"
                "def loop():\n    while True: pass\n"
                "kept = 7\nkept",
                "7");
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), &limits), SNUG_OK);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    check_value(session, "kept, threading.active_count()", "(7, 1)");
    snug_session_close(session);
}

TEST(structs_without_their_size_are_refused)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.size = 0;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_EINVAL);
    snug_scan_options scan = SNUG_SCAN_OPTIONS_INIT;
    snug_scan *report = NULL;
    scan.size = 1;
    assert_int_equal(snug_host_scan(&report, host, "", 0, &scan), SNUG_EINVAL);
    snug_limits limits = { .wall_ms = 1000 };
    options = (snug_session_options)SNUG_SESSION_OPTIONS_INIT;
    options.limits = &limits;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_EINVAL);
    assert_non_null(strstr(snug_error_message(), "snug_limits"));
    snug_pool pool = { 0 };
    assert_int_equal(snug_host_pool(&pool, host), SNUG_EINVAL);
}

TEST(an_unknown_profile_is_named)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.profile = "nonesuch";
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_ENOTFOUND);
    assert_non_null(strstr(snug_error_message(), "nonesuch"));
}

TEST(a_missing_work_directory_is_named)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.workdir = "/nonexistent/folder";
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_ESYSTEM);
    assert_non_null(strstr(snug_error_message(), "/nonexistent/folder"));
}

TEST(a_private_work_directory_goes_with_the_session)
{
    char path[4096];
    struct stat facts;
    snug_session *session = open_session();
    snprintf(path, sizeof path, "%s", snug_session_workdir(session));
    assert_int_equal(stat(path, &facts), 0);
    check_value(session, "open('kept.txt', 'w').write('abc')", "3");
    check_value(session, "open('kept.txt').read()", "'abc'");
    snug_session_close(session);
    assert_int_not_equal(stat(path, &facts), 0);
}

TEST(the_host_keeps_its_working_directory)
{
    char before[4096], after[4096];
    assert_non_null(getcwd(before, sizeof before));
    snug_session *session = open_session();
    check_value(session, "open('here.txt', 'w').write('')", "0");
    assert_non_null(getcwd(after, sizeof after));
    assert_string_equal(before, after);
    snug_session_close(session);
}

TEST(reset_forgets_names_and_counts_from_one)
{
    snug_session *session = open_session();
    check_value(session, "x = 1", "");
    check_value(session, "open('f', 'w').write('a')", "1");
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    snug_result *result = run(session, "'x' in globals(), open('f').read()");
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "(False, 'a')");
    assert_int_equal(snug_result_execution_count(result), 1);
    snug_result_free(result);
    snug_session_close(session);
}

/* ---- limits and interrupts ---- */

TEST(a_run_can_have_a_shorter_limit_than_its_session)
{
    snug_session *session = open_session();
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = 100 };
    const char *source = "x = 1\nwhile True: pass";
    snug_result *result = NULL;
    assert_int_equal(snug_session_run(&result, session, source, strlen(source), &limits), SNUG_OK);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    assert_true(snug_result_wall_ns(result) >= 100 * 1000000ULL);
    snug_result_free(result);
    check_value(session, "x", "1");
    snug_session_close(session);
}

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int is_open;
} gate;

static void gate_open(gate *g)
{
    pthread_mutex_lock(&g->lock);
    g->is_open = 1;
    pthread_cond_signal(&g->moved);
    pthread_mutex_unlock(&g->lock);
}

static void gate_wait(gate *g)
{
    pthread_mutex_lock(&g->lock);
    while (!g->is_open)
        pthread_cond_wait(&g->moved, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

typedef struct interrupter {
    gate started;
    snug_session *session;
} interrupter;

static void *interrupt_when_started(void *arg)
{
    interrupter *i = arg;
    gate_wait(&i->started);
    snug_session_interrupt(i->session);
    return NULL;
}

static void on_first_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    gate_open(&((interrupter *)payload)->started);
}

TEST(an_interrupt_ends_the_running_cell_and_not_the_next)
{
    interrupter i = { .started = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 } };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = on_first_output;
    options.payload = &i;
    assert_int_equal(snug_session_open(&i.session, host, &options), SNUG_OK);
    pthread_t thread;
    pthread_create(&thread, NULL, interrupt_when_started, &i);
    snug_result *result = run(i.session, "x = 5\n"
                                         "print('started')\n"
                                         "while True:\n"
                                         "    try:\n"
                                         "        while True: pass\n"
                                         "    except BaseException: pass\n");
    assert_int_equal(snug_result_status(result), SNUG_STATUS_INTERRUPTED);
    assert_string_equal(snug_result_error_name(result), "KeyboardInterrupt");
    snug_result_free(result);
    pthread_join(thread, NULL);
    check_value(i.session, "x + 1", "6");
    snug_session_close(i.session);
}

/* A loop that begins its try block is not in it, by a bug of Python 3.11. */
TEST(an_interrupt_is_handled_to_the_end)
{
    interrupter i = { .started = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 } };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = on_first_output;
    options.payload = &i;
    assert_int_equal(snug_session_open(&i.session, host, &options), SNUG_OK);
    pthread_t thread;
    pthread_create(&thread, NULL, interrupt_when_started, &i);
    snug_result *result = run(i.session, "import time\n"
                                         "try:\n"
                                         "    print('started')\n"
                                         "    for best in range(10**12): pass\n"
                                         "except KeyboardInterrupt:\n"
                                         "    for part in 'abc':\n"
                                         "        time.sleep(0.1)\n"
                                         "        print(part)\n"
                                         "'saved'");
    assert_int_equal(snug_result_status(result), SNUG_STATUS_OK);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_STDOUT, NULL), "started\na\nb\nc\n");
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "'saved'");
    snug_result_free(result);
    pthread_join(thread, NULL);
    snug_session_close(i.session);
}

TEST(an_interrupt_of_an_idle_session_is_lost)
{
    snug_session *session = open_session();
    snug_session_interrupt(session);
    check_value(session, "sum(range(1000))", "499500");
    snug_session_close(session);
}

static void *interrupt_often(void *arg)
{
    interrupter *i = arg;
    for (int n = 0; n < 20000; n++)
        snug_session_interrupt(i->session);
    gate_open(&i->started);
    return NULL;
}

TEST(interrupts_at_any_moment_leave_a_working_session)
{
    interrupter i = { .started = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 },
                      .session = open_session() };
    pthread_t thread;
    pthread_create(&thread, NULL, interrupt_often, &i);
    for (int n = 0; n < 300; n++) {
        snug_result *result = run(i.session, "y = sorted(range(100))\n[v * v for v in y][-1]");
        snug_status status = snug_result_status(result);
        assert_true(status == SNUG_STATUS_OK || status == SNUG_STATUS_INTERRUPTED);
        snug_result_free(result);
    }
    gate_wait(&i.started);
    pthread_join(thread, NULL);
    check_value(i.session, "1 + 1", "2");
    snug_session_close(i.session);
}

typedef struct busy_check {
    snug_session *session;
    int answer;
} busy_check;

static void run_inside(void *payload, snug_stream stream, const char *text, size_t len)
{
    busy_check *check = payload;
    snug_result *result = NULL;
    check->answer = snug_session_run(&result, check->session, "1", 1, NULL);
}

TEST(a_session_that_runs_a_cell_answers_busy)
{
    busy_check check = { 0 };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = run_inside;
    options.payload = &check;
    assert_int_equal(snug_session_open(&check.session, host, &options), SNUG_OK);
    snug_result_free(run(check.session, "print(1)"));
    assert_int_equal(check.answer, SNUG_EBUSY);
    snug_session_close(check.session);
}

TEST(the_message_outlives_the_close_of_the_session)
{
    snug_session *session = NULL;
    assert_int_equal(snug_session_open(&session, host, NULL), SNUG_OK);
    assert_int_equal(snug_session_bind_tool(session, NULL), SNUG_EINVAL);
    snug_session_close(session);
    assert_string_equal(snug_error_message(), "snug_session_bind_tool: tool is NULL");
}

/* The body of class A, whose finalizer does not end, and who keeps one. On 3.11 a thread that went
 * on would have the GIL beside its neighbours. */
static void check_close_of(const char *keeper)
{
    snug_health before = SNUG_HEALTH_INIT, after = SNUG_HEALTH_INIT;
    snug_session *session = open_session(), *neighbour = open_session();
    char source[400];

    snprintf(source, sizeof source,
             "class A:\n"
             "    def __del__(self):\n"
             "        while True: pass\n"
             "%s\n",
             keeper);
    snug_result_free(run(session, source));
    snug_host_health(&before, host);
    assert_int_equal(snug_session_close_within(session, 250), SNUG_OK);
    snug_host_health(&after, host);
    assert_int_equal(after.hung_threads, before.hung_threads);
    check_value(neighbour, "6 * 7", "42");
    snug_session_close(neighbour);
}

TEST(a_finalizer_without_end_of_a_value_ends_at_the_close)
{
    check_close_of("A()"); /* Out and _ keep it */
}

TEST(a_guest_that_loops_at_exit_does_not_hold_up_the_close)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.wall_ms = 200;
    options.profile = NULL;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    snug_result_free(run(session, "class Loop:\n"
                                  "    def __del__(self):\n"
                                  "        while True:\n"
                                  "            try:\n"
                                  "                while True: pass\n"
                                  "            except BaseException: pass\n"
                                  "kept = Loop()"));
    snug_session_close(session);
}

/* ---- output ---- */

typedef struct heard {
    pthread_t thread;
    char text[256]; /* "!" where stderr begins, "." where stdout does */
    snug_stream last;
    int other_thread;
} heard;

static void hear(void *payload, snug_stream stream, const char *text, size_t len)
{
    heard *h = payload;
    size_t at = strlen(h->text);
    const char *mark = stream == h->last ? "" : stream == SNUG_STREAM_STDERR ? "!" : ".";
    snprintf(h->text + at, sizeof h->text - at, "%s%.*s", mark, (int)len, text);
    h->last = stream;
    h->other_thread |= !pthread_equal(h->thread, pthread_self());
}

TEST(output_arrives_in_order_on_the_callers_thread)
{
    heard h = { .thread = pthread_self() };
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = hear;
    options.payload = &h;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    snug_result *result = run(session, "import sys\nprint('a')\nprint('b', file=sys.stderr)\n"
                                       "print('\xc3\xa9')");
    assert_string_equal(h.text, ".a\n!b\n.\xc3\xa9\n");
    assert_false(h.other_thread);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_STDOUT, NULL), "a\n\xc3\xa9\n");
    assert_string_equal(snug_result_text(result, SNUG_STREAM_STDERR, NULL), "b\n");
    snug_result_free(result);
    snug_session_close(session);
}

TEST(output_past_the_limit_is_counted_but_not_kept)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.output_bytes = 1000;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    snug_result *result = run(session, "print('x' * 5000)");
    size_t len;
    snug_result_text(result, SNUG_STREAM_STDOUT, &len);
    assert_int_equal(snug_result_total_bytes(result, SNUG_STREAM_STDOUT), 5001);
    assert_true(len < 1100);
    snug_result_free(result);
    snug_session_close(session);
}

/* ---- files of cut output ---- */

static snug_session *open_with_output(uint64_t output_bytes, const char *workdir)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_limits limits = SNUG_LIMITS_INIT;
    options.limits = &limits;
    limits.output_bytes = output_bytes;
    options.workdir = workdir;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    return session;
}

static void check_spill(snug_session *session, const char *source, snug_stream stream,
                        const char *name)
{
    snug_result *result = run(session, source);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_OK);
    if (name)
        assert_string_equal(snug_result_spill(result, stream), name);
    else
        assert_null(snug_result_spill(result, stream));
    snug_result_free(result);
}

static int count_descriptors(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

TEST(output_past_the_limit_is_in_a_file_whole)
{
    snug_session *session = open_with_output(1000, NULL);
    int before = count_descriptors();
    check_spill(session, "print('x' * 999)", SNUG_STREAM_STDOUT, NULL);
    char path[4096];
    snprintf(path, sizeof path, "%s/out-1.txt", snug_session_workdir(session));
    assert_int_not_equal(access(path, F_OK), 0);
    check_spill(session, "for i in range(3000): print(i)", SNUG_STREAM_STDOUT, "out-2.txt");
    check_spill(session, "import sys\nprint('y' * 5000, file=sys.stderr)", SNUG_STREAM_STDERR,
                "err-3.txt");
    check_value(session, "open('out-2.txt').read() == ''.join(f'{i}\\n' for i in range(3000))",
                "True");
    check_value(session, "open('err-3.txt').read() == 'y' * 5000 + '\\n'", "True");
    assert_int_equal(count_descriptors(), before);
    snug_session_close(session);
}

TEST(a_reset_session_takes_another_name)
{
    snug_session *session = open_with_output(1000, NULL);
    check_spill(session, "print('x' * 5000)", SNUG_STREAM_STDOUT, "out-1.txt");
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check_spill(session, "print('x' * 5000)", SNUG_STREAM_STDOUT, "out-1-2.txt");
    snug_session_close(session);
}

/* ---- many ---- */

static void *converse(void *arg)
{
    snug_session *session = arg;
    for (int i = 0; i < 50; i++) {
        char source[128], wanted[32];
        snprintf(source, sizeof source, "n = globals().get('n', 0) + %d\nn", i);
        snprintf(wanted, sizeof wanted, "%d", i * (i + 1) / 2);
        check_value(session, source, wanted);
    }
    return NULL;
}

TEST(many_sessions_run_at_the_same_time)
{
    enum { COUNT = 16 };
    snug_session *sessions[COUNT];
    pthread_t threads[COUNT];
    for (int i = 0; i < COUNT; i++)
        sessions[i] = open_session();
    for (int i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, converse, sessions[i]);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < COUNT; i++)
        snug_session_close(sessions[i]);
}

static void *loop_until_interrupted(void *arg)
{
    snug_result *result = run(arg, "print('on')\nwhile True: pass");
    snug_status status = snug_result_status(result);
    snug_result_free(result);
    return status == SNUG_STATUS_INTERRUPTED ? arg : NULL;
}

/* On 3.11 all sessions share a GIL that no waiting one can ask for. */
TEST(a_loop_in_one_session_does_not_stop_the_others)
{
    interrupter i = { .started = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 } };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = on_first_output;
    options.payload = &i;
    assert_int_equal(snug_session_open(&i.session, host, &options), SNUG_OK);
    snug_session *other = open_session();
    pthread_t thread;
    void *interrupted = NULL;
    pthread_create(&thread, NULL, loop_until_interrupted, i.session);
    gate_wait(&i.started);
    snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = 20000 };
    for (int n = 0; n < 20; n++) {
        snug_result *result = NULL;
        assert_int_equal(snug_session_run(&result, other, "1 + 1", 5, &limits), SNUG_OK);
        assert_int_equal(snug_result_status(result), SNUG_STATUS_OK);
        snug_result_free(result);
    }
    snug_session_interrupt(i.session);
    pthread_join(thread, &interrupted);
    assert_non_null(interrupted);
    snug_session_close(i.session);
    snug_session_close(other);
}

#ifndef __SANITIZE_ADDRESS__
#endif

/* What a cell answers that reads, writes and looks through a mount. */
static void check_mounts(snug_session *session, const char *folder)
{
    char source[600];
    snprintf(source, sizeof source,
             "import random; os = random._os; open('in/a').read(), os.stat('in/a').st_size, "
             "os.listdir('in'), open('%s/a').read()",
             folder);
    check_value(session, source, "('1', 1, ['a'], '1')");
    check_value(session, "open('out/b', 'w').write('22')", "2");
    const char *const refused[] = { "open('in/a', 'w')",         "os.remove('in/a')",
                                    "os.mkdir('in/x')",          "os.stat('in/../x')",
                                    "os.stat('out/../../etc')",  "open('in/../../etc/passwd')",
                                    "os.rename('out/b', 'in/b')" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(
            source, sizeof source,
            "try:\n    %s\nexcept PermissionError: answer = 'no'\nelse: answer = 'yes'\nanswer",
            refused[i]);
        check_value(session, source, "'no'");
    }
}

TEST(mounts_are_in_the_work_directory)
{
    char folder[] = "/tmp/snug-mount-XXXXXX", in[64], out[64], path[80];
    assert_non_null(mkdtemp(folder));
    snprintf(in, sizeof in, "%s/in", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    assert_int_equal(mkdir(in, 0700) | mkdir(out, 0700), 0);
    snprintf(path, sizeof path, "%s/a", in);
    FILE *file = fopen(path, "w");
    assert_int_equal(fputs("1", file) < 0 || fclose(file), 0);
    const snug_mount mounts[] = { { in, "in", 0 }, { out, "out", 1 } };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.mounts = mounts;
    options.mount_count = 2;
    snug_session *session = NULL;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    check_mounts(session, in);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check_mounts(session, in);
    snug_session_close(session);
    snprintf(path, sizeof path, "%s/b", out);
    assert_int_equal(access(path, F_OK), 0); /* and the host's folders stay */
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/a", in);
    assert_int_equal(unlink(path) | rmdir(in) | rmdir(out) | rmdir(folder), 0);
}

TEST(a_mount_that_can_not_be_is_named)
{
    static const struct {
        snug_mount mount;
        const char *says;
    } rows[] = {
        { { "/nowhere/at/all", "x", 0 }, "/nowhere/at/all" },
        { { "/tmp", "a/b", 0 }, "a/b" },
        { { "/tmp", "..", 0 }, ".." },
        { { NULL, "x", 0 }, "a path" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
        options.mounts = &rows[i].mount;
        options.mount_count = 1;
        snug_session *session = NULL;
        assert_int_not_equal(snug_session_open(&session, host, &options), SNUG_OK);
        assert_non_null(strstr(snug_error_message(), rows[i].says));
    }
}

/* ---- the rest ---- */

TEST(a_result_tells_value_type_and_json)
{
    snug_session *session = open_session();
    snug_result *result = run(session, "{'a': [1, 2.5, None, True]}");
    assert_string_equal(snug_result_value_type(result), "dict");
    assert_string_equal(snug_result_value_json(result), "{\"a\": [1, 2.5, null, true]}");
    snug_result_free(result);
    result = run(session, "(1,)");
    assert_null(snug_result_value_json(result));
    snug_result_free(result);
    snug_session_close(session);
}

TEST(a_finding_names_its_place)
{
    snug_scan *report = NULL;
    const char *source = "import os\nos.system('ls')\n";
    assert_int_equal(snug_host_scan(&report, host, source, strlen(source), NULL), SNUG_OK);
    assert_int_equal(snug_scan_finding_count(report), 2);
    assert_string_equal(snug_scan_finding(report, 0)->rule, "import");
    assert_string_equal(snug_scan_finding(report, 1)->subject, "os.system");
    assert_int_equal(snug_scan_finding(report, 1)->line, 2);
    assert_null(snug_scan_finding(report, 2));
    assert_non_null(strstr(snug_scan_json(report, NULL), "\"schema\":\"snug.scan/1\""));
    snug_scan_free(report);
}

TEST(completion_knows_the_namespace)
{
    snug_session *session = open_session();
    snug_result_free(run(session, "average_price = 3"));
    snug_completion *completion = NULL;
    assert_int_equal(snug_session_complete(&completion, session, "1 + average_p", 13, 13), SNUG_OK);
    assert_int_equal(snug_completion_match_count(completion), 1);
    assert_string_equal(snug_completion_match(completion, 0), "average_price");
    assert_int_equal(snug_completion_start(completion), 4);
    assert_string_equal(snug_completion_type(completion, 0), "instance");
    assert_null(snug_completion_type(completion, 1));
    snug_completion_free(completion);
    snug_session_close(session);
}

TEST(a_call_is_completed_by_its_parameters)
{
    static const struct {
        const char *source, *first, *second; /* NULL: another one, or none */
    } places[] = {
        { "f(al", "alpha=", NULL },
        { "f(1, ", "alpha=", "beta=" },
        { "f(g(1, [2]), alpha=3,\n  be", "beta=", NULL },
        { "box.fill(wa", "water=", NULL },
        { "Box(si", "size=", NULL },
        { "Pair(le", "left=", NULL },
        { "sorted([], ke", "key=", NULL },
        { "sorted(it", NULL, NULL },
        { "print('a', se", "sep=", NULL },
        { "f([al", NULL, NULL },
        { "f(x + alp", NULL, NULL },
        { "f(beta=alp", NULL, NULL },
        { "f(on", NULL, NULL },
        { "(alp", NULL, NULL },
        { "nothing(alp", NULL, NULL },
        { "odd(alp", NULL, NULL },
    };

    snug_session *session = open_session();
    snug_result_free(run(session,
                         "from collections import namedtuple\n"
                         "def f(only, /, alpha, *rest, beta=2, **more): local = 1\n"
                         "def g(x): pass\n"
                         "class Box:\n"
                         "    def __init__(self, size): pass\n"
                         "    def fill(self, water): pass\n"
                         "class Odd:\n"
                         "    __text_signature__ = '(alpha='\n"
                         "    def __call__(self): pass\n"
                         "box, odd, Pair = Box(1), Odd(), namedtuple('Pair', 'left right')"));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *expected[] = { places[i].first, places[i].second };
        const size_t len = strlen(places[i].source);
        snug_completion *found = NULL;
        assert_int_equal(snug_session_complete(&found, session, places[i].source, len, len),
                         SNUG_OK);
        for (size_t k = 0; k < 2; k++) {
            const char *type = snug_completion_type(found, k);
            const int is_parameter = type && strcmp(type, "param") == 0;
            if (is_parameter != (expected[k] != NULL) ||
                (is_parameter && strcmp(snug_completion_match(found, k), expected[k]) != 0))
                fail_msg("%s: %s", places[i].source, snug_completion_match(found, k));
        }
        snug_completion_free(found);
    }
    snug_session_close(session);
}

TEST(completion_tells_what_a_name_is_of)
{
    static const struct {
        const char *source, *match, *type;
    } rows[] = {
        { "def qa(): pass\nqa", "qa", "function" },
        { "class qb: pass\nqb", "qb", "class" },
        { "import json as qc\nqc", "qc", "module" },
        { "impor", "import", "keyword" },
        { "import jso", "json", "module" },
        { "[].appen", "append", "" },
        { "qd = []\nqd.appen", "append", "function" },
    };
    snug_session *session = open_session();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *last = strrchr(rows[i].source, '\n');
        if (last)
            snug_result_free(run(session, rows[i].source));
        last = last ? last + 1 : rows[i].source;
        snug_completion *completion = NULL;
        assert_int_equal(
            snug_session_complete(&completion, session, last, strlen(last), strlen(last)), SNUG_OK);
        if (*rows[i].type) {
            assert_string_equal(snug_completion_match(completion, 0), rows[i].match);
            assert_string_equal(snug_completion_type(completion, 0), rows[i].type);
        }
        snug_completion_free(completion);
    }
    snug_session_close(session);
}

TEST(a_source_is_whole_open_or_none)
{
    snug_session *session = open_session();
    assert_int_equal(snug_session_completeness(session, "if 1:", 5), SNUG_COMPLETENESS_INCOMPLETE);
    assert_int_equal(snug_session_completeness(session, "x = 1", 5), SNUG_COMPLETENESS_COMPLETE);
    assert_int_equal(snug_session_completeness(session, "x = )", 5), SNUG_COMPLETENESS_INVALID);
    assert_int_equal(snug_session_completeness(session, "%time 1", 7), SNUG_COMPLETENESS_COMPLETE);
    assert_int_equal(snug_session_completeness(session, "x?", 2), SNUG_COMPLETENESS_COMPLETE);
    assert_int_equal(snug_session_completeness(session, "\xff", 1), SNUG_COMPLETENESS_INVALID);
    snug_session_close(session);
}

TEST(null_is_closed_and_freed_without_harm)
{
    snug_session_close(NULL);
    snug_session_interrupt(NULL);
    snug_result_free(NULL);
    snug_scan_free(NULL);
    snug_completion_free(NULL);
    assert_int_equal(snug_host_close(NULL), SNUG_OK);
}

TEST(missing_arguments_are_named)
{
    snug_session *session = NULL;
    snug_result *result = NULL;
    assert_int_equal(snug_session_open(&session, NULL, NULL), SNUG_EINVAL);
    assert_non_null(strstr(snug_error_message(), "host is NULL"));
    assert_int_equal(snug_session_run(&result, NULL, "1", 1, NULL), SNUG_EINVAL);
    assert_non_null(strstr(snug_error_message(), "session is NULL"));
}

int main(void)
{
    return run_all_tests(open_host, close_host);
}
