/* Idle sessions without a thread: nobody can tell but by the count of threads. */
#include "../counters.h"
#include "../unit/test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#include <snug/snug.h>

#include "running.h"

enum { BOUND_S = 600 };

/* ---- threads that cannot be had ---- */

static atomic_int has_no_threads;
static snug_session *_Atomic to_interrupt; /* as soon as a thread is made for it */

__attribute__((visibility("default"))) int
pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*fn)(void *), void *arg)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    snug_session_interrupt(atomic_exchange(&to_interrupt, NULL));
    return atomic_load(&has_no_threads) ? EAGAIN : real(id, attributes, fn, arg);
}

/* ---- help ---- */

static snug_host *open_host(uint64_t awake)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    snug_host *host = NULL;
    options.flags = SNUG_HOST_SIGNALS;
    options.awake_sessions = awake;
    assert_int_equal(snug_host_open(&host, &options), SNUG_OK);
    return host;
}

static snug_session *open_session(snug_host *host)
{
    static const char *const allow[] = { "threading", NULL };
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_session *session = NULL;
    options.profile = "data";
    options.allow = allow;
    if (snug_session_open(&session, host, &options))
        fail_msg("%s", snug_error_message());
    return session;
}

static void assert_value(snug_session *session, const char *source, const char *value)
{
    snug_result *result = run(session, source, 0);
    if (snug_result_status(result) != SNUG_STATUS_OK)
        fail_msg("%s", snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL));
    assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), value);
    snug_result_free(result);
}

static void do_cell(snug_session *session, const char *source)
{
    assert_value(session, source, "");
}

static void assert_status(snug_session *session, const char *source, uint64_t wall_ms,
                          snug_status status)
{
    snug_result *result = run(session, source, wall_ms);
    assert_int_equal(snug_result_status(result), status);
    assert_int_equal(snug_result_state(result), SNUG_STATE_KEPT);
    snug_result_free(result);
}

static void assert_parking(const snug_host *host, uint64_t awake, uint64_t parked)
{
    snug_parking facts = parking_of(host);
    assert_int_equal(facts.awake, awake);
    assert_int_equal(facts.parked, parked);
}

/* Both have threads after that, and each other session has none. */
static void wake(snug_session *a, snug_session *b)
{
    do_cell(a, "pass");
    do_cell(b, "pass");
}

/* ---- what sessions are ---- */

TEST(the_one_used_least_lately_has_no_thread)
{
    snug_host *host = open_host(2);
    snug_session *a = open_session(host), *b = open_session(host);
    assert_parking(host, 2, 0);
    do_cell(a, "x = 'a'");
    do_cell(b, "x = 'b'");
    snug_session *c = open_session(host);
    assert_parking(host, 2, 1);
    assert_value(b, "x", "'b'"); /* has one still */
    assert_int_equal(parking_of(host).wakes, 0);
    assert_value(a, "x", "'a'");
    assert_int_equal(parking_of(host).wakes, 1);
    assert_int_equal(parking_of(host).parks, 2);
    assert_parking(host, 2, 1);
    snug_session_close(c);
    assert_parking(host, 2, 0);
    snug_session_close(a);
    snug_session_close(b);
    assert_parking(host, 0, 0);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(cells_can_not_tell_that_their_thread_is_another)
{
    snug_host *host = open_host(2);
    snug_session *a = open_session(host), *b = open_session(host), *c = open_session(host);
    do_cell(a, "import threading, contextvars, decimal, asyncio\n"
               "ident, me = threading.get_ident(), threading.current_thread()\n"
               "lock = threading.RLock(); lock.acquire()\n"
               "var = contextvars.ContextVar('var'); var.set(7)\n"
               "local = threading.local(); local.x = 8\n"
               "decimal.getcontext().prec = 5\n"
               "async def number(): return 9\n"
               "def numbers():\n"
               "    yield 1\n"
               "    yield 2\n"
               "g = numbers(); next(g)\n"
               "open('here.txt', 'w').write('x');");
    for (int i = 0; i < 3; i++) {
        wake(b, c);
        assert_value(a, "threading.get_ident() == ident", "True");
        assert_value(a, "threading.current_thread() is me", "True");
        assert_value(a, "(lock._is_owned(), var.get(), local.x)", "(True, 7, 8)");
        assert_value(a, "decimal.Decimal(1) / 3", "Decimal('0.33333')");
        assert_value(a, "await number()", "9");
        assert_value(a, "open('here.txt').read()", "'x'");
    }
    wake(b, c);
    assert_value(a, "next(g)", "2");
    assert_true(parking_of(host).wakes >= 4);
    snug_session_close(a);
    snug_session_close(b);
    snug_session_close(c);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(limits_hold_after_waking)
{
    snug_host *host = open_host(1);
    snug_session *a = open_session(host), *b = open_session(host);
    do_cell(a, "kept = 1");
    do_cell(b, "pass");
    assert_status(a, "while True: pass", 200, SNUG_STATUS_TIMEOUT);
    do_cell(b, "pass");
    assert_status(a, "x = []\nwhile True: x.append(bytes(1 << 20))", 30000, SNUG_STATUS_MEMORY);
    do_cell(b, "pass");
    assert_status(a, "def f(): return f()\nf()", 30000, SNUG_STATUS_ERROR);
    do_cell(b, "pass");
    assert_status(a, "open('/etc/passwd')", 0, SNUG_STATUS_DENIED);
    do_cell(b, "pass");
    assert_value(a, "kept", "1");
    snug_session_close(a);
    snug_session_close(b);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* How many threads of sessions there are, and how many of them the kernel filters. */
static void count_threads(int *all, int *filtered)
{
    char path[300], line[256];
    DIR *dir = opendir("/proc/self/task");
    *all = *filtered = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(path, "r") : NULL;
        int is_session = 0;
        while (file && fgets(line, sizeof line, file)) {
            is_session |= strcmp(line, "Name:\tsnug session\n") == 0;
            *filtered += is_session && strcmp(line, "Seccomp:\t2\n") == 0;
        }
        *all += is_session;
        if (file)
            fclose(file);
    }
    if (dir)
        closedir(dir);
}

/* The kernel may show one for a moment that has been joined. Answers how many are filtered. */
static int await_threads(int wanted)
{
    int all, filtered;
    time_t end = time(NULL) + BOUND_S;
    do {
        sched_yield();
        count_threads(&all, &filtered);
    } while (all != wanted && time(NULL) < end);
    assert_int_equal(all, wanted);
    return filtered;
}

TEST(the_new_thread_has_the_filters_of_the_kernel)
{
    snug_host *host = open_host(1);
    snug_session *a = open_session(host);
    const int has_filters = await_threads(1);
    snug_session *b = open_session(host);
    do_cell(a, "pass");
    assert_int_equal(await_threads(1), has_filters);
    snug_session_close(a);
    snug_session_close(b);
    await_threads(0);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

static int has_private_descriptors(const snug_host *host)
{
    const char *line = strstr(snug_host_report(host), "\nkernel:");
    const char *found = line ? strstr(line, "private descriptors") : NULL;
    const char *missing = line ? strstr(line, "missing") : NULL;
    return found && (!missing || found < missing);
}

TEST(a_session_with_an_open_file_keeps_its_thread)
{
    snug_host *host = open_host(1);
    const uint64_t parked = has_private_descriptors(host) ? 0 : 1;
    snug_session *a = open_session(host), *b;
    do_cell(a, "f = open('numbers.txt', 'w+'); f.write('one')\nf.flush()");
    b = open_session(host);
    assert_parking(host, 2 - parked, parked);
    do_cell(a, "f.write(' two')\nf.seek(0);");
    assert_value(a, "f.read()", "'one two'");
    do_cell(a, "f.close()");
    snug_session *c = open_session(host);
    assert_parking(host, 1, 2);
    assert_value(a, "open('numbers.txt').read()", "'one two'");
    snug_session_close(a);
    snug_session_close(b);
    snug_session_close(c);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

static void write_key(const char *folder)
{
    char path[128];
    snprintf(path, sizeof path, "%s/key", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("key", file);
    fclose(file);
}

/* In its place is another one, or nothing: as before, nothing of that can be had. */
TEST(a_folder_that_was_replaced_stays_out_of_reach)
{
    char folder[] = "/tmp/park_test-XXXXXX", work[64], moved[64], secret[64], key[96];
    snug_host *host = open_host(1);
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    snug_session *a = NULL;
    const int has_landlock = strstr(snug_host_report(host), "landlock ABI") != NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(work, sizeof work, "%s/work", folder);
    snprintf(moved, sizeof moved, "%s/moved", folder);
    snprintf(secret, sizeof secret, "%s/secret", folder);
    assert_int_equal(mkdir(work, 0700) | mkdir(secret, 0700), 0);
    write_key(secret);
    options.workdir = work;
    assert_int_equal(snug_session_open(&a, host, &options), SNUG_OK);
    do_cell(a, "x = 1");
    snug_session *b = open_session(host);
    assert_int_equal(rename(work, moved), 0);
    assert_value(a, "x", "1"); /* the folder is gone */
    do_cell(b, "pass");
    assert_int_equal(symlink(secret, work), 0);
    assert_value(a, "x", "1");
    if (has_landlock) {
        snug_result *result = run(a, "open('key').read()", 0);
        assert_int_not_equal(snug_result_status(result), SNUG_STATUS_OK);
        assert_string_equal(snug_result_text(result, SNUG_STREAM_VALUE, NULL), "");
        snug_result_free(result);
    }
    snug_session_close(a);
    snug_session_close(b);
    unlink(work);
    snprintf(key, sizeof key, "%s/key", secret);
    unlink(key);
    rmdir(secret);
    rmdir(moved);
    rmdir(folder);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* ---- what else is done with one ---- */

TEST(a_parked_session_can_be_reset_saved_asked_interrupted_and_closed)
{
    char path[] = "/tmp/park_test-XXXXXX";
    snug_saved *saved = NULL;
    snug_completion *completion = NULL;
    snug_host *host = open_host(1);
    snug_session *a = open_session(host), *b = open_session(host);
    close(mkstemp(path));
    do_cell(a, "number = 5");
    do_cell(b, "pass");
    snug_session_interrupt(a); /* nothing runs there */
    assert_int_equal(snug_session_save(&saved, a, path), SNUG_OK);
    snug_saved_free(saved);
    do_cell(b, "pass");
    assert_int_equal(snug_session_complete(&completion, a, "numb", 4, 4), SNUG_OK);
    snug_completion_free(completion);
    do_cell(b, "pass");
    assert_int_equal(snug_session_set_variable(a, "text", "\"t\"", 3), SNUG_OK);
    do_cell(b, "pass");
    assert_value(a, "(number, text)", "(5, 't')");
    do_cell(b, "pass");
    assert_int_equal(snug_session_reset(a), SNUG_OK);
    assert_value(a, "'number' in globals()", "False");
    do_cell(b, "pass");
    assert_int_equal(snug_session_restore(&saved, a, path), SNUG_OK);
    snug_saved_free(saved);
    do_cell(b, "pass");
    assert_value(a, "number", "5");
    do_cell(b, "pass");
    assert_parking(host, 1, 1);
    snug_session_close(a);
    assert_parking(host, 1, 0);
    snug_session_close(b);
    unlink(path);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

TEST(an_interrupt_that_comes_while_it_is_woken_ends_the_cell)
{
    snug_host *host = open_host(1);
    snug_session *a = open_session(host), *b = open_session(host);
    do_cell(a, "x = 1");
    do_cell(b, "pass");
    atomic_store(&to_interrupt, a);
    assert_status(a, "while True: pass", 30000, SNUG_STATUS_INTERRUPTED);
    assert_value(a, "x", "1");
    snug_session_close(a);
    snug_session_close(b);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

/* The interpreter is lost to the process, which a sanitizer tells at the end; the call returns. */
TEST(closing_one_without_a_thread_returns)
{
#ifdef __SANITIZE_ADDRESS__
    print_message("a sanitizer would tell of what is lost\n");
    skip();
#endif
    snug_host *host = open_host(1);
    snug_session *a = open_session(host), *b = open_session(host);
    atomic_store(&has_no_threads, 1);
    snug_session_close(a);
    atomic_store(&has_no_threads, 0);
    assert_parking(host, 1, 0);
    snug_session_close(b);
    assert_int_equal(snug_host_close(host), SNUG_OK);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
