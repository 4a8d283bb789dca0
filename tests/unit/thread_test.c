#include "test.h"

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

static const size_t MIB = 1024 * 1024;

/* What a thread found out about itself. */
typedef struct finding {
    thread t;
    _Atomic uint32_t may_end;
    sigset_t blocked;
    const char *local; /* an address in the stack */
    size_t stack_bytes;
} finding;

static void *look(void *arg)
{
    finding *found = arg;
    char local = 0;
    pthread_sigmask(SIG_SETMASK, NULL, &found->blocked);
    found->local = &local;
    found->stack_bytes = found->t.stack_bytes;
    while (!atomic_load(&found->may_end))
        futex_wait(&found->may_end, 0, UINT64_MAX);
    return NULL;
}

static void finish(finding *found)
{
    atomic_store(&found->may_end, 1);
    futex_wake_all(&found->may_end);
    thread_join(&found->t);
}

TEST(a_thread_runs_on_the_stack_that_was_mapped_for_it)
{
    finding found = { .may_end = 1 };
    assert_int_equal(thread_start(&found.t, "test", 64 * MIB + 1, look, &found), SNUG_OK);
    uintptr_t stack = (uintptr_t)found.t.stack;
    size_t stack_bytes = found.t.stack_bytes;
    assert_in_range(stack_bytes, 64 * MIB + 1, 65 * MIB);
    finish(&found);
    assert_int_equal(found.stack_bytes, stack_bytes);
    assert_null(found.t.stack);
    assert_int_equal(stack % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
#if !defined(__SANITIZE_ADDRESS__) /* which keeps locals elsewhere */
    assert_in_range((uintptr_t)found.local, stack, stack + stack_bytes);
#endif
}

static void *use_stack(void *arg)
{
    volatile char room[3 * 1024 * 1024];
    for (size_t i = 0; i < sizeof room; i += 4096)
        room[i] = 1;
    *(int *)arg = room[4096];
    return NULL;
}

TEST(the_whole_stack_can_be_used)
{
    thread t;
    int used = 0;
    assert_int_equal(thread_start(&t, "test", 4 * MIB, use_stack, &used), SNUG_OK);
    thread_join(&t);
    assert_int_equal(used, 1);
}

/* Whether the kernel can read the byte. By syscall, because ThreadSanitizer takes
 * write for an access to the other thread's stack. */
static int is_readable(const char *byte)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    long written = syscall(SYS_write, ends[1], byte, 1);
    assert_true(written == 1 || errno == EFAULT);
    close(ends[0]);
    close(ends[1]);
    return written == 1;
}

TEST(the_page_below_the_stack_is_guarded)
{
    finding found = { 0 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(thread_start(&found.t, "test", 2 * MIB, look, &found), SNUG_OK);
    const char *stack = found.t.stack;
    assert_false(is_readable(stack));
    assert_false(is_readable(stack + page - 1));
    assert_true(is_readable(stack + page));
    finish(&found);
}

TEST(a_thread_has_its_name)
{
    finding found = { 0 };
    char name[16] = "";
    assert_int_equal(thread_start(&found.t, "snug-fifteen-by", 2 * MIB, look, &found), SNUG_OK);
    pthread_getname_np(found.t.id, name, sizeof name);
    assert_string_equal(name, "snug-fifteen-by");
    finish(&found);
}

TEST(the_hosts_signals_do_not_reach_a_thread)
{
    static const int blocked[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGCHLD, SIGUSR1, SIGPIPE };
    static const int open[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };
    finding found = { .may_end = 1 };
    sigset_t original, before, after;
    sigemptyset(&before);
    sigaddset(&before, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &before, &original);
    assert_int_equal(thread_start(&found.t, "test", 2 * MIB, look, &found), SNUG_OK);
    pthread_sigmask(SIG_SETMASK, &original, &after);
    finish(&found);
    for (size_t i = 0; i < sizeof blocked / sizeof *blocked; i++)
        assert_true(sigismember(&found.blocked, blocked[i]));
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        assert_false(sigismember(&found.blocked, open[i]));
    for (int number = 1; number < 32; number++)
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
}

TEST(waiting_for_another_value_returns_at_once)
{
    _Atomic uint32_t word = 1;
    futex_wait(&word, 0, UINT64_MAX);
    assert_int_equal(word, 1);
}

TEST(waiting_ends_at_the_deadline)
{
    _Atomic uint32_t word = 0;
    uint64_t deadline_ns = clock_deadline_ns(clock_now_ns(), 2);
    while (clock_now_ns() < deadline_ns)
        futex_wait(&word, 0, deadline_ns);
    futex_wait(&word, 0, deadline_ns); /* one that is past */
    assert_true(clock_now_ns() < deadline_ns + 600 * NS_PER_S);
}

/* Two threads hand a number to each other. */
static void *count_up(void *arg)
{
    _Atomic uint32_t *word = arg;
    for (uint32_t turn = 1; turn < 2000; turn += 2) {
        uint32_t value;
        while ((value = atomic_load(word)) != turn)
            futex_wait(word, value, UINT64_MAX);
        atomic_store(word, turn + 1);
        futex_wake_all(word);
    }
    return NULL;
}

TEST(a_wake_is_never_missed)
{
    thread t;
    _Atomic uint32_t word = 0;
    assert_int_equal(thread_start(&t, "test", 2 * MIB, count_up, &word), SNUG_OK);
    for (uint32_t turn = 0; turn < 2000; turn += 2) {
        uint32_t value;
        while ((value = atomic_load(&word)) != turn)
            futex_wait(&word, value, UINT64_MAX);
        atomic_store(&word, turn + 1);
        futex_wake_all(&word);
    }
    thread_join(&t);
    assert_int_equal(word, 2000);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
