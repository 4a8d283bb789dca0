/* A host program with little address space: an open that fails says why, and ends nobody. */
#include "../unit/test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

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

int main(void)
{
    return run_all_tests(NULL, NULL);
}
