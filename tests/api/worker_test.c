/* What only a host of form SNUG_FORM_WORKER can do: lose its worker, and have another. */
#include "../counters.h"
#include "../descriptors.h"
#include "../unit/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include <snug/snug.h>

#include "processes.h"
#include "running.h"

static snug_host *open_host(const char *command)
{
    snug_host *host = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = SNUG_FORM_WORKER;
    options.worker_command = command;
    if (snug_host_open(&host, &options) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return host;
}

static snug_session *open_session(snug_host *host)
{
    snug_session *session = NULL;
    if (snug_session_open(&session, host, NULL) != SNUG_OK)
        fail_msg("%s", snug_error_message());
    return session;
}

static void check_value(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source, 0);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

static void refuse_command(const char *command, const char *says)
{
    snug_host *host = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = SNUG_FORM_WORKER;
    options.worker_command = command;
    assert_int_equal(snug_host_open(&host, &options), SNUG_ESYSTEM);
    if (!strstr(snug_error_message(), says))
        fail_msg("\"%s\" is not in: %s", says, snug_error_message());
}

/* The zygote's. */
static pid_t only_worker(void)
{
    pid_t pids[4];
    assert_int_equal(children(getpid(), pids, 4), 1);
    assert_int_equal(await_children(pids[0], pids, 4, 1), 1);
    return pids[0];
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- workers that are killed ---- */

/* As soon as the cell has printed. */
static void kill_worker(void *payload, snug_stream stream, const char *text, size_t len)
{
    (void)stream, (void)text, (void)len;
    kill(only_worker(), *(int *)payload);
}

static snug_session *open_with_signal(snug_host *host, int *signal_number)
{
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = kill_worker;
    options.payload = signal_number;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    return session;
}

TEST(a_worker_that_is_killed_costs_its_sessions_and_not_the_host)
{
    static int number = SIGKILL;
    snug_host *host = open_host(NULL);
    snug_session *session = open_with_signal(host, &number), *other = open_session(host);
    assert_int_equal(snug_host_form(host), SNUG_FORM_WORKER);
    check_value(other, "x = 1", "");
    snug_result *result =
        run(session, "print('now', flush=True)\nimport time\ntime.sleep(1000)", 100000);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_CRASHED);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    assert_non_null(strstr(snug_result_error_value(result), "was killed by signal 9 (Killed)"));
    assert_non_null(strstr(snug_result_json(result, NULL), "\"state\":\"lost\""));
    snug_result_free(result);
    snug_result *none = NULL;
    assert_int_equal(snug_session_run(&none, session, "1", 1, NULL), SNUG_EDEAD);
    assert_int_equal(snug_session_run(&none, other, "x", 1, NULL), SNUG_OK);
    assert_int_equal(snug_result_state(none), SNUG_STATE_LOST);
    snug_result_free(none);
    /* Another worker. */
    assert_int_equal(snug_session_reset(other), SNUG_OK);
    check_value(other, "'x' in globals()", "False");
    check_value(other, "6 * 7", "42");
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check_value(session, "6 * 7", "42");
    snug_session_close(session);
    snug_session_close(other);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(a_worker_that_stands_still_is_given_up_in_time)
{
    static int number = SIGSTOP;
    snug_host *host = open_host(NULL);
    snug_session *session = open_with_signal(host, &number);
    double begin = seconds();
    snug_result *result = run(session, "print('now', flush=True)\nwhile True: pass", 500);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    assert_int_equal(snug_result_rung(result), 4);
    assert_true(seconds() - begin < 20);
    snug_result_free(result);
    pid_t pids[2];
    assert_int_equal(children(getpid(), pids, 2), 1);
    assert_int_equal(await_children(pids[0], pids, 2, 0), 0);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(a_zygote_that_is_killed_is_replaced_and_costs_nothing)
{
    pid_t pids[2], worker;
    snug_host *host = open_host(NULL);
    snug_session *session = open_session(host);
    check_value(session, "x = 5", "");
    worker = only_worker();
    assert_int_equal(children(getpid(), pids, 2), 1);
    kill(pids[0], SIGKILL);
    check_value(session, "x", "5");
    kill(worker, SIGKILL);
    snug_result *result = run(session, "x", 0);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    snug_result_free(result);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check_value(session, "6 * 7", "42");
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    assert_int_equal(children(getpid(), pids, 2), 0);
}

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
    alarms++;
}

TEST(signals_of_the_caller_do_not_disturb_the_start_of_a_worker)
{
    const struct itimerval often = { { 0, 5000 }, { 0, 5000 } }, never = { { 0, 0 }, { 0, 0 } };
    const struct sigaction counted = { .sa_handler = count_alarm };
    assert_int_equal(sigaction(SIGALRM, &counted, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    snug_host *host = open_host(NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_DFL);
    assert_true(alarms > 0);
    only_worker();
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* A host whose zygote starts for as long as the test lets it. */
typedef struct slow_host {
    char program[64], began[72]; /* what it has as snug-worker; the file that has its number */
    int error;
    _Atomic int is_over, is_stopped;
} slow_host;

static void write_slow_program(slow_host *slow)
{
    strcpy(slow->program, "/tmp/snug-slow-worker-XXXXXX");
    int fd = mkstemp(slow->program);
    assert_true(fd >= 0);
    snprintf(slow->began, sizeof slow->began, "%s.began", slow->program);
    assert_true(dprintf(fd, "#!/bin/sh\necho $$ >%s\nexec sleep 60\n", slow->began) > 0);
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd);
}

static int slow_is_stopped(void *payload)
{
    return atomic_load(&((slow_host *)payload)->is_stopped);
}

static void *open_slow_host(void *payload)
{
    slow_host *slow = payload;
    snug_host *host = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = SNUG_FORM_WORKER;
    options.worker_path = slow->program;
    options.is_stopped = slow_is_stopped;
    options.payload = slow;
    slow->error = snug_host_open(&host, &options);
    atomic_store(&slow->is_over, 1);
    return NULL;
}

static pid_t await_slow_zygote(const slow_host *slow)
{
    int pid = 0;
    while (pid == 0 && !atomic_load(&slow->is_over)) {
        FILE *file = fopen(slow->began, "re");
        if (file && fscanf(file, "%d\n", &pid) != 1)
            pid = 0;
        if (file)
            fclose(file);
        sched_yield();
    }
    return pid;
}

TEST(who_waits_for_a_zygote_can_be_stopped)
{
    static slow_host first, second; /* the one starts it, the other one waits for that */
    pthread_t threads[2];
    write_slow_program(&first);
    strcpy(second.program, first.program);
    assert_int_equal(pthread_create(&threads[0], NULL, open_slow_host, &first), 0);
    pid_t zygote = await_slow_zygote(&first);
    assert_true(zygote > 0);
    assert_int_equal(pthread_create(&threads[1], NULL, open_slow_host, &second), 0);
    atomic_store(&second.is_stopped, 1);
    pthread_join(threads[1], NULL);
    assert_int_equal(second.error, SNUG_ESTOPPED);
    assert_false(atomic_load(&first.is_over));
    atomic_store(&first.is_stopped, 1);
    pthread_join(threads[0], NULL);
    assert_int_equal(first.error, SNUG_ESTOPPED);
    assert_int_equal(kill(zygote, 0), -1);
    unlink(first.began);
    unlink(first.program);
}

static void answer_seven(void *payload, snug_call *call, const char *arguments)
{
    (void)payload, (void)arguments;
    snug_call_return(call, "7", 1);
}

TEST(files_outlive_the_worker_and_so_do_tools)
{
    snug_host *host = open_host(NULL);
    snug_session *session = open_session(host);
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "seven";
    tool.fn = answer_seven;
    assert_int_equal(snug_session_bind_tool(session, &tool), SNUG_OK);
    check_value(session, "open('kept.txt', 'w').write('kept')", "4");
    kill(only_worker(), SIGKILL);
    snug_result *result = run(session, "1", 0);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    snug_result_free(result);
    snug_file *file = NULL;
    assert_int_equal(snug_session_get_file(&file, session, "kept.txt", 0), SNUG_OK);
    assert_string_equal(snug_file_data(file, NULL), "kept");
    snug_file_free(file);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check_value(session, "open('kept.txt').read() + str(seven())", "'kept7'");
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(killed_workers_leave_nothing)
{
    snug_host *host = open_host(NULL);
    snug_session *session = open_session(host);
    size_t before = count_descriptors();
    for (int i = 0; i < 30; i++) {
        kill(only_worker(), SIGKILL);
        snug_result *result = run(session, "1", 0);
        assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
        snug_result_free(result);
        assert_int_equal(snug_session_reset(session), SNUG_OK);
    }
    assert_int_equal(count_descriptors(), before);
    only_worker();
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    pid_t pids[2];
    assert_int_equal(children(getpid(), pids, 2), 0);
}

TEST(a_lost_cell_has_its_number_and_its_calls)
{
    static int number = SIGKILL;
    snug_host *host = open_host(NULL);
    snug_session *session = open_with_signal(host, &number);
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "seven";
    tool.fn = answer_seven;
    assert_int_equal(snug_session_bind_tool(session, &tool), SNUG_OK);
    check_value(session, "1", "1");
    snug_result *result =
        run(session, "seven()\nprint('now', flush=True)\nwhile True: pass", 100000);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    assert_int_equal(snug_result_execution_count(result), 2);
    assert_int_equal(snug_session_execution_count(session), 2);
    assert_int_equal(snug_result_tool_call_count(result), 1);
    assert_string_equal(snug_result_tool_call(result, 0)->name, "seven");
    assert_string_equal(snug_result_tool_call(result, 0)->status, "ok");
    snug_result_free(result);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check_value(session, "2", "2");
    static const char aside[] = "print('now', flush=True)\nwhile True: pass";
    assert_int_equal(snug_session_run_aside(&result, session, aside, sizeof aside - 1, NULL),
                     SNUG_OK);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    assert_int_equal(snug_result_execution_count(result), 0);
    snug_result_free(result);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* ---- what the caller has ---- */

enum { LIMIT_MS = 300, SLOW_MS = 3000 };

static void take_long(void *payload, snug_call *call, const char *arguments)
{
    const struct timespec t = { SLOW_MS / 1000, 0 };
    (void)payload, (void)arguments;
    nanosleep(&t, NULL); /* a caller that is slow, longer than any worker is waited for */
    snug_call_return(call, "7", 1);
}

TEST(a_slow_caller_costs_the_cell_and_not_the_worker)
{
    snug_host *host = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = SNUG_FORM_WORKER;
    options.worker_grace_ms = SLOW_MS / 2;
    assert_int_equal(snug_host_open(&host, &options), SNUG_OK);
    snug_session *session = open_session(host);
    snug_tool tool = SNUG_TOOL_INIT;
    tool.name = "slow";
    tool.fn = take_long;
    assert_int_equal(snug_session_bind_tool(session, &tool), SNUG_OK);
    check_value(session, "x = 5", "");
    snug_result *result = run(session, "slow()", LIMIT_MS);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    check_value(session, "x", "5");
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(a_worker_has_no_descriptors_of_the_caller)
{
    char path[64];
    int fd = fcntl(0, F_DUPFD, 60); /* without O_CLOEXEC */
    assert_true(fd >= 60);
    snug_host *host = open_host(NULL);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", only_worker(), fd);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(snug_host_close(host), SNUG_OK);
    close(fd);
}

static size_t entries(const char *path)
{
    size_t count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void use_worker_by_command(const char *folder)
{
    char command[4200], program[4096];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(len > 0);
    program[len] = '\0';
    for (int levels = 0; levels < 2; levels++) /* of BUILD/tests/PROGRAM */
        *strrchr(program, '/') = '\0';
    snprintf(command, sizeof command, "TMPDIR=%s exec %s/src/snug-worker", folder, program);
    snug_host *host = open_host(command);
    snug_session *session = open_session(host);
    check_value(session, "open('a', 'w').write('b')", "1");
    assert_int_equal(entries(folder), 3);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* A process that is held by Landlock may not remove the folder that its work directories were in:
 * it is empty, and the next one removes it. */
TEST(a_worker_by_command_removes_its_work_directories)
{
    char folder[] = "/tmp/snug-worker-XXXXXX", path[600];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++)
        use_worker_by_command(folder);
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            assert_int_equal(rmdir(path), 0);
    }
    closedir(dir);
    assert_int_equal(rmdir(folder), 0);
}

TEST(a_caller_that_reaps_all_children_loses_nothing_by_it)
{
    static int number = SIGKILL;
    snug_host *host = open_host(NULL);
    snug_session *session = open_with_signal(host, &number);
    signal(SIGCHLD, SIG_IGN);
    snug_result *result = run(session, "print('now', flush=True)\nwhile True: pass", 100000);
    signal(SIGCHLD, SIG_DFL);
    assert_int_equal(snug_result_state(result), SNUG_STATE_LOST);
    snug_result_free(result);
    assert_int_equal(snug_session_reset(session), SNUG_OK);
    check_value(session, "6 * 7", "42");
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* ---- what a worker does itself ---- */

#ifndef __SANITIZE_ADDRESS__ /* where the ladder has no jump */
TEST(a_loop_in_c_costs_its_session_and_not_the_worker)
{
    snug_host *host = open_host(NULL);
    snug_session *session = open_session(host), *other = open_session(host);
    check_value(other, "x = 5", "");
    snug_result *result = run(session,
                              "t = (1,)\n"
                              "for _ in range(80): t = slice(t, t) if slice.__hash__ else (t, t)\n"
                              "hash(t)",
                              300);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_in_range(snug_result_rung(result), 1, 3);
    snug_result_free(result);
    check_value(other, "x", "5");
    snug_session_close(session);
    snug_session_close(other);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}
#endif

TEST(a_limit_of_processor_time_is_kept_in_a_worker)
{
    snug_host *host = open_host(NULL);
    snug_session *session = open_session(host);
    snug_result *result = NULL;
    const snug_limits limits = { .size = sizeof(snug_limits), .wall_ms = 20000, .cpu_ms = 200 };
    assert_int_equal(snug_session_run(&result, session, "while True: pass", 16, &limits), SNUG_OK);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_TIMEOUT);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    assert_true(snug_result_wall_ns(result) < UINT64_C(15000000000));
    snug_result_free(result);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* ---- workers that are none ---- */

TEST(a_command_that_is_no_worker_is_told_by_its_own_words)
{
    refuse_command("echo no such machine >&2; exit 3", "ended with status 3: no such machine");
    refuse_command("true", "ended with status 0");
    refuse_command("/nonexistent/worker", "not found");
    refuse_command("cat", "sent something that is not an answer");
    refuse_command("head -c 100 /dev/zero", "sent something that is not an answer");
    pid_t pids[2];
    assert_int_equal(children(getpid(), pids, 2), 0);
}

TEST(a_path_without_a_worker_is_told)
{
    snug_host *host = NULL;
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.form = SNUG_FORM_WORKER;
    options.worker_path = "/nonexistent/worker";
    assert_int_equal(snug_host_open(&host, &options), SNUG_ESYSTEM);
    assert_non_null(strstr(snug_error_message(), "/nonexistent/worker"));
}

/* ---- many at once ---- */

enum { THREADS = 8, TURNS = 40 };

static void *turns(void *arg)
{
    snug_host *host = arg;
    snug_session *session = open_session(host);
    for (int i = 0; i < TURNS; i++) {
        char source[64], value[32];
        snprintf(source, sizeof source, "n = %d\nn + 1", i);
        snprintf(value, sizeof value, "%d", i + 1);
        check_value(session, source, value);
    }
    snug_session_close(session);
    return NULL;
}

TEST(sessions_of_one_worker_run_side_by_side)
{
    pthread_t threads[THREADS];
    snug_host *host = open_host(NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, turns, host), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(hosts_are_as_many_as_wanted)
{
    snug_host *a = open_host(NULL), *b = open_host(NULL);
    snug_session *one = open_session(a), *two = open_session(b);
    check_value(one, "x = 1", "");
    check_value(two, "'x' in globals()", "False");
    snug_session_close(one);
    snug_session_close(two);
    assert_int_equal(snug_host_close(a), SNUG_OK);
    assert_int_equal(snug_host_close(b), SNUG_OK);
}

static void *interrupt_soon(void *arg)
{
    snug_session_interrupt(arg);
    return NULL;
}

static void interrupt_when_it_prints(void *payload, snug_stream stream, const char *text,
                                     size_t len)
{
    (void)stream, (void)text, (void)len;
    pthread_t thread;
    pthread_create(&thread, NULL, interrupt_soon, *(snug_session **)payload);
    pthread_detach(thread);
}

TEST(an_interrupt_reaches_the_cell_and_keeps_its_names)
{
    snug_host *host = open_host(NULL);
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = interrupt_when_it_prints;
    options.payload = &session;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    snug_result *result = run(session, "x = 5\nprint('now', flush=True)\nwhile True: pass", 100000);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_INTERRUPTED);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    check_value(session, "x", "5");
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* For longer than the grace: the worker says that it stops the cell. */
TEST(a_cell_that_is_being_stopped_is_waited_for)
{
    snug_host *host = NULL;
    snug_session *session = NULL;
    snug_host_options host_options = SNUG_HOST_OPTIONS_INIT;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    host_options.form = SNUG_FORM_WORKER;
    host_options.worker_grace_ms = 200;
    options.on_output = interrupt_when_it_prints;
    options.payload = &session;
    assert_int_equal(snug_host_open(&host, &host_options), SNUG_OK);
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    snug_result *result = run(session,
                              "import time\n"
                              "try:\n"
                              "    print('now', flush=True)\n"
                              "    for x in range(10**12): pass\n"
                              "except KeyboardInterrupt: time.sleep(0.5)\n"
                              "x = 5",
                              100000);
    assert_int_equal(snug_result_status(result), SNUG_STATUS_OK);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
    check_value(session, "x", "5");
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

static void count_bytes(void *payload, snug_stream stream, const char *text, size_t len)
{
    (void)stream, (void)text;
    *(size_t *)payload += len;
}

TEST(output_without_end_reaches_the_host_whole)
{
    size_t bytes = 0;
    snug_host *host = open_host(NULL);
    snug_session *session = NULL;
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    options.on_output = count_bytes;
    options.payload = &bytes;
    assert_int_equal(snug_session_open(&session, host, &options), SNUG_OK);
    snug_result *result = run(session, "for i in range(20000): print('x' * 999)", 60000);
    assert_string_equal(snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL), "");
    snug_result_free(result);
    assert_int_equal(bytes, 20000000);
    snug_session_close(session);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
