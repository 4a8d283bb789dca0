/* A host program with little address space: an open that fails says why, and ends nobody. */
#include "../unit/test.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <snug/snug.h>

enum { FIRST_MIB = 800, LAST_MIB = 2500, STEP_MIB = 100, MOST_SESSIONS = 40, AT_A_TIME = 4 };

enum { FINE, NO_REASON, NO_CELL, NO_HOST, OPENED, NO_HOOK };

/* With the handlers a fault of CPython's for want of memory is not the process's. Without them
 * enough has to be there before. */
static unsigned host_flags = SNUG_HOST_SIGNALS;

static int open_host(snug_host **out)
{
    snug_host_options options = SNUG_HOST_OPTIONS_INIT;
    options.flags = host_flags;
    return snug_host_open(out, &options);
}

static int has_reason(void)
{
    const char *text = snug_error_message();
    size_t len = strlen(text);
    return len > 0 && text[len - 1] != ' ' && text[len - 1] != ':';
}

/* Where there is nothing left it may lack memory, and says so. */
static int can_run_or_lacks_memory(snug_session *session)
{
    snug_result *result = NULL;
    int error = snug_session_run(&result, session, "sum(range(1000))", 16, NULL);
    int answer = error ? has_reason()
                       : snug_result_status(result) == SNUG_STATUS_OK ||
                             snug_result_status(result) == SNUG_STATUS_MEMORY;
    snug_result_free(result);
    return answer;
}

static int can_run(snug_session *session)
{
    snug_result *result = NULL;
    int error = snug_session_run(&result, session, "sum(range(1000))", 16, NULL);
    int answer = error ? has_reason() : snug_result_status(result) == SNUG_STATUS_OK;
    snug_result_free(result);
    return answer;
}

/* Opens until that fails, and closes all. */
static int use_up(snug_host *host)
{
    snug_session *sessions[MOST_SESSIONS];
    int count = 0, answer = FINE;
    while (count < MOST_SESSIONS && !answer) {
        if (snug_session_open(&sessions[count], host, NULL) != SNUG_OK) {
            answer = has_reason() ? FINE : NO_REASON;
            break;
        }
        answer = can_run_or_lacks_memory(sessions[count++]) ? FINE : NO_CELL;
    }
    while (count > 0)
        snug_session_close(sessions[--count]);
    return answer;
}

static void *use_up_beside(void *host)
{
    return use_up(host) ? host : NULL;
}

static int live_within(int mib)
{
    const struct rlimit limit = { (rlim_t)mib << 20, (rlim_t)mib << 20 };
    snug_host *host = NULL;
    pthread_t others[AT_A_TIME];
    int started = 0, answer = FINE;
    setrlimit(RLIMIT_AS, &limit);
    if (open_host(&host) != SNUG_OK)
        return has_reason() ? FINE : NO_REASON;
    answer = use_up(host);
    while (started < AT_A_TIME && pthread_create(&others[started], NULL, use_up_beside, host) == 0)
        started++;
    for (int i = 0; i < started; i++) {
        void *failed = NULL;
        pthread_join(others[i], &failed);
        answer = failed ? NO_CELL : answer;
    }
    snug_host_close(host);
    return answer;
}

/* cmocka's handlers leave by a jump to its own stack. On a session's thread the end of the process
 * would be refused then, and that would be all that is seen of a fault. */
static void take_faults_as_they_are(void)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
}

/* What fn answers in a process of its own, or 256 and the signal that has ended it. */
static int outcome(int (*fn)(int), int argument)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(600);
        take_faults_as_they_are();
        _exit(fn(argument));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Of so many sizes one is tried, as tests/share.py says: of two, here the ones and there the
 * others. */
static int shares(void)
{
    const char *given = getenv("SNUG_SHARE");
    return given && !getenv("SNUG_WHOLE") ? atoi(given) : 1;
}

static void check_each_size(int number)
{
    int first_mib = FIRST_MIB + number % shares() * STEP_MIB;
    for (int mib = first_mib; mib <= LAST_MIB; mib += STEP_MIB * shares()) {
        int answer = outcome(live_within, mib);
        if (answer != FINE)
            fail_msg("at %d MiB: %s %d", mib, answer > 256 ? "signal" : "answer", answer & 255);
    }
}

TEST(an_open_that_finds_no_memory_fails_with_a_reason)
{
    check_each_size(0);
}

TEST(so_does_one_without_handlers_for_faults)
{
    host_flags = 0;
    check_each_size(1);
    host_flags = SNUG_HOST_SIGNALS;
}

static int count_within(int mib)
{
    const struct rlimit limit = { (rlim_t)mib << 20, (rlim_t)mib << 20 };
    snug_host *host = NULL;
    snug_session *session = NULL;
    int count = 0;

    setrlimit(RLIMIT_AS, &limit);
    if (open_host(&host) != SNUG_OK)
        return 0;
    while (count < MOST_SESSIONS && snug_session_open(&session, host, NULL) == SNUG_OK)
        count++;
    return count;
}

/* With stacks as large as they may be it is two. */
TEST(the_first_sessions_leave_address_space_for_others)
{
    assert_in_range(outcome(count_within, 800), 4, MOST_SESSIONS);
}

/* ---- threads ---- */

/* Nobody's on a Debian system. Root's threads have no limit. */
enum { USER = 54323, MOST_THREADS = 12 };

static int live_with_threads(int count)
{
    const struct rlimit limit = { (rlim_t)count, (rlim_t)count };
    snug_host *host = NULL;
    if ((geteuid() == 0 && setresuid(USER, USER, USER) != 0) || setrlimit(RLIMIT_NPROC, &limit))
        return NO_HOOK;
    if (open_host(&host) != SNUG_OK)
        return has_reason() ? FINE : NO_REASON;
    int answer = use_up(host);
    return snug_host_close(host) == SNUG_OK ? answer : NO_HOST;
}

TEST(what_finds_no_thread_fails_with_a_reason)
{
    for (int flags = 0; flags < 2; flags++) {
        host_flags = flags ? SNUG_HOST_SIGNALS : 0;
        for (int count = 1; count <= MOST_THREADS; count++) {
            int answer = outcome(live_with_threads, count);
            if (answer == NO_HOOK)
                skip();
            if (answer != FINE)
                fail_msg("with %d threads: %s %d", count, answer > 256 ? "signal" : "answer",
                         answer & 255);
        }
    }
    host_flags = SNUG_HOST_SIGNALS;
}

/* ---- the guard ---- */

/* The signal stack of a guard (limits/guard.h), and the page below. */
static uint32_t guard_bytes(void)
{
    return (uint32_t)sysconf(_SC_PAGESIZE) + 64 * 1024;
}

/* For the threads that are started from now on too. */
static int deny_guards(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, guard_bytes(), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof rules / sizeof *rules, rules };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static int open_without_guard(int unused)
{
    snug_host *host = NULL;
    snug_session *session = NULL;
    if (open_host(&host) != SNUG_OK || deny_guards())
        return NO_HOST;
    if (snug_session_open(&session, host, NULL) == SNUG_OK)
        return OPENED;
    return strstr(snug_error_message(), "signal stack") ? FINE : NO_REASON;
}

/* Its faults would be the process's. */
TEST(a_session_is_not_opened_without_its_guard)
{
    assert_int_equal(outcome(open_without_guard, 0), FINE);
}

/* ---- CPython's memory ---- */

/* As in CPython's headers, which a program of snug's need not have. */
typedef struct allocator {
    void *ctx;
    void *(*malloc)(void *ctx, size_t size);
    void *(*calloc)(void *ctx, size_t count, size_t size);
    void *(*realloc)(void *ctx, void *block, size_t size);
    void (*free)(void *ctx, void *block);
} allocator;
typedef void allocator_call(int domain, allocator *a);

enum { RAW, MEM, OBJ, DOMAINS };
/* An open takes some ten thousand. Where no memory at all is left in its later part, CPython 3.13
 * goes round and round in importlib. */
enum { MOST_ALLOCATIONS = 3000, ALLOCATIONS_STEP = 500 };
static allocator before[DOMAINS];
static _Atomic long left = -1; /* allocations until there is no more; below 0: no end */
static int is_faulty;          /* the first one that is refused faults instead */

static int is_there_more(void)
{
    long now = atomic_load(&left);
    while (now > 0 && !atomic_compare_exchange_weak(&left, &now, now - 1))
        ;
    if (now == 0 && is_faulty) {
        is_faulty = 0;
        raise(SIGSEGV);
    }
    return now != 0;
}

static void *give(void *ctx, size_t size)
{
    allocator *a = ctx;
    return is_there_more() ? a->malloc(a->ctx, size) : NULL;
}

static void *give_zeros(void *ctx, size_t count, size_t size)
{
    allocator *a = ctx;
    return is_there_more() ? a->calloc(a->ctx, count, size) : NULL;
}

static void *give_more(void *ctx, void *block, size_t size)
{
    allocator *a = ctx;
    return is_there_more() ? a->realloc(a->ctx, block, size) : NULL;
}

static void take_back(void *ctx, void *block)
{
    allocator *a = ctx;
    a->free(a->ctx, block);
}

static int count_python(void)
{
    allocator_call *get, *set;
    *(void **)&get = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    *(void **)&set = dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    for (int i = 0; get && set && i < DOMAINS; i++) {
        allocator counted = { &before[i], give, give_zeros, give_more, take_back };
        get(i, &before[i]);
        set(i, &counted);
    }
    return get && set;
}

/* Python has no memory from the count-th allocation of an open on, and then has some again. */
static int open_with_few(int count)
{
    snug_host *host = NULL;
    snug_session *session = NULL;
    if (!count_python())
        return NO_HOOK;
    if (open_host(&host) != SNUG_OK)
        return NO_HOST;
    atomic_store(&left, count);
    int answer = snug_session_open(&session, host, NULL) == SNUG_OK ? OPENED
                 : has_reason()                                     ? FINE
                                                                    : NO_REASON;
    atomic_store(&left, -1);
    if (answer != FINE)
        return answer;
    if (snug_session_open(&session, host, NULL) != SNUG_OK || !can_run(session))
        return NO_CELL;
    snug_session_close(session);
    return FINE;
}

/* As before, but of what its close takes. */
static int close_with_few(int count)
{
    snug_host *host = NULL;
    snug_session *session = NULL;
    if (!count_python())
        return NO_HOOK;
    if (open_host(&host) != SNUG_OK || snug_session_open(&session, host, NULL) != SNUG_OK)
        return NO_HOST;
    atomic_store(&left, count);
    snug_session_close(session);
    atomic_store(&left, -1);
    if (snug_session_open(&session, host, NULL) != SNUG_OK || !can_run(session))
        return NO_CELL;
    snug_session_close(session);
    return snug_host_close(host) == SNUG_OK ? FINE : NO_HOST;
}

static int is_python_311(void)
{
    const char *(*version)(void);
    *(void **)&version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
    return version && strncmp(version(), "3.11.", 5) == 0;
}

TEST(an_interpreter_that_finds_no_memory_is_not_made_and_that_is_all)
{
    int is_whole_open = is_python_311(), answer = FINE, count = 0;
    for (; answer == FINE && (is_whole_open || count < MOST_ALLOCATIONS); count += ALLOCATIONS_STEP)
        answer = outcome(open_with_few, count);
    if (answer == NO_HOOK)
        skip();
    if (is_whole_open && answer == OPENED && count > MOST_ALLOCATIONS)
        answer = FINE;
    if (answer != FINE)
        fail_msg("with %d allocations: %s %d", count - ALLOCATIONS_STEP,
                 answer > 256 ? "signal" : "answer", answer & 255);
}

/* Of these the close of an interpreter needs the first ones itself; the rest is what it runs. */
TEST(a_close_that_finds_no_memory_harms_nobody)
{
    enum { MOST_OWN = 20, STEP = 50, MOST = 500 };

    for (int count = 0; count < MOST; count += count < MOST_OWN ? 1 : STEP) {
        int answer = outcome(close_with_few, count);
        if (answer == NO_HOOK)
            skip();
        if (answer != FINE)
            fail_msg("with %d allocations: %s %d", count, answer > 256 ? "signal" : "answer",
                     answer & 255);
    }
}

static int open_with_fault(int count)
{
    is_faulty = 1;
    return open_with_few(count);
}

/* As CPython itself has it where it goes on with a table that is half made. */
TEST(a_fault_while_an_interpreter_is_made_fails_the_open)
{
    for (int count = 500; count < MOST_ALLOCATIONS; count += ALLOCATIONS_STEP) {
        int answer = outcome(open_with_fault, count);
        if (answer == NO_HOOK)
            skip();
        if (answer != FINE)
            fail_msg("at allocation %d: %s %d", count, answer > 256 ? "signal" : "answer",
                     answer & 255);
    }
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
