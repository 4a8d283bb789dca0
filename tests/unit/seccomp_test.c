/* The table of system calls, as the kernel judges by it: each row is tried in a child
 * process, behind the filter and without it. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>

#include "policy/seccomp.h"

/* ---- trying ---- */

typedef struct call {
    const char *name;
    long number;
    long arguments[6];
} call;

#define CALL(name, ...)    \
    {                      \
#name, SYS_##name, \
        {                  \
            __VA_ARGS__    \
        }                  \
    }
#define PROCESS_CLOCK(pid) (-((long)(pid) + 1) * 8 + 2) /* of its processor time */
#define BAD                (-1L) /* a descriptor that is not open, an address that is none */

/* Answers an errno, 0 for none. */
static int try(const call *c)
{
    const long *a = c->arguments;
    errno = 0;
    return syscall(c->number, a[0], a[1], a[2], a[3], a[4], a[5]) == -1 ? errno : 0;
}

/* Without cmocka's handlers. */
static void seal(seccomp_kind kind)
{
    signal(SIGSYS, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    seccomp_program program = { 0 };
    if (seccomp_program_make(&program, kind))
        _exit(200);
    struct sock_fprog code = { program.count, program.code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &code))
        _exit(201);
}

/* _exit is refused as well: the thread ends, and with it the child, whose only one it is. */
static void leave(int status)
{
    syscall(SYS_exit, status);
}

enum { BARE, SEALED, WITH_THREADS, OF_FULL }; /* then as seccomp_kind */

/* The child's errno, or 256 and the signal that ended it. */
static int outcome(const call *c, int is_sealed)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (is_sealed)
            seal((seccomp_kind)(is_sealed - SEALED));
        leave(try(c));
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- tables ---- */

TEST(calls_of_the_table_pass)
{
    static struct sigaction action;
    static struct rlimit limit;
    static char path[] = "/";
    const long address = (long)path;
    const call rows[] = {
        CALL(openat, AT_FDCWD, address, O_RDONLY),
        CALL(openat, AT_FDCWD, BAD, O_RDWR | O_CREAT, 0777),
        CALL(mkdirat, AT_FDCWD, BAD, 0777),
        CALL(close_range, 9000, 9000, 0),
        CALL(openat2, AT_FDCWD, BAD, BAD, 24),
        CALL(fchmod, BAD, 0644),
        CALL(utimensat, BAD, 0, 0, 0),
        CALL(fcntl, 0, F_GETFD),
        CALL(fcntl, 0, F_DUPFD_CLOEXEC, 3),
        CALL(fcntl, BAD, F_SETLK, BAD),
        CALL(ioctl, BAD, TCGETS, BAD),
        CALL(ioctl, BAD, FIONREAD, BAD),
        CALL(mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, BAD, 0),
        CALL(mprotect, 0, 4096, PROT_READ),
        CALL(madvise, 0, 0, MADV_DONTNEED),
        CALL(futex, address, 129 /* FUTEX_WAKE_PRIVATE */, 1),
        CALL(getrandom, BAD, 0, 0),
        CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, BAD),
        CALL(clock_gettime, CLOCK_THREAD_CPUTIME_ID, BAD),
        CALL(clock_getres, CLOCK_PROCESS_CPUTIME_ID, 0),
        CALL(prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit),
        CALL(rt_sigaction, SIGINT, 0, (long)&action, 8),
        CALL(rt_sigprocmask, SIG_BLOCK, 0, 0, 8),
        CALL(sched_getaffinity, 0, 0, 0),
        CALL(renameat2, AT_FDCWD, BAD, AT_FDCWD, BAD, 1),
        CALL(getpid, 0),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (outcome(&rows[i], 1) == EPERM)
            fail_msg("%s, row %zu, is denied", rows[i].name, i);
}

/* Harmless without the filter, where they answer something else. */
TEST(others_are_denied)
{
    static struct rlimit limit;
    static struct sigaction action;
    getrlimit(RLIMIT_CORE, &limit);
    sigaction(SIGINT, NULL, &action);
    const call rows[] = {
        CALL(socket, AF_UNIX, SOCK_STREAM, 0),
        CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, BAD),
        CALL(connect, BAD, BAD, 0),
        CALL(bind, BAD, BAD, 0),
        CALL(kill, getpid(), 0),
        CALL(tkill, 0, 0),
        CALL(tgkill, getpid(), BAD, SIGABRT), /* its child has another id */
        CALL(rt_sigqueueinfo, 0, 0, BAD),
        CALL(ptrace, BAD),
        CALL(process_vm_readv, 0, BAD, 1, BAD, 1, 0),
        CALL(process_vm_writev, 0, BAD, 1, BAD, 1, 0),
        CALL(execve, BAD, 0, 0),
        CALL(execveat, BAD, BAD, 0, 0, 0),
        CALL(unshare, BAD),
        CALL(setns, BAD, 0),
        CALL(mount, BAD, BAD, BAD, 0, 0),
        CALL(umount2, BAD, 0),
        CALL(setfsuid, 1),
        CALL(capset, BAD, BAD),
        CALL(prctl, PR_SET_DUMPABLE, 1),
        CALL(prlimit64, 0, RLIMIT_CORE, (long)&limit, 0),
        CALL(setrlimit, RLIMIT_CORE, (long)&limit),
        CALL(sched_setaffinity, 0, 0, 0),
        CALL(clock_gettime, PROCESS_CLOCK(1), BAD),
        CALL(clock_gettime, (unsigned)PROCESS_CLOCK(1), BAD), /* as the C library may pass it */
        CALL(clock_getres, PROCESS_CLOCK(1), BAD),
        CALL(clock_nanosleep, PROCESS_CLOCK(1), 0, BAD),
        CALL(sched_setscheduler, 0, BAD, BAD),
        CALL(setpriority, 99, 0, 0),
        CALL(ioprio_set, 0, 0, 0),
        CALL(truncate, BAD, 0),
        CALL(fchmod, BAD, S_ISUID | 0700),
        CALL(openat, AT_FDCWD, BAD, O_RDWR | O_CREAT, S_ISUID | 0755),
        CALL(openat, AT_FDCWD, BAD, O_RDWR | O_TMPFILE, S_ISGID | 0755),
        CALL(mkdirat, AT_FDCWD, BAD, S_ISVTX | 0777),
        CALL(fchmodat, BAD, BAD, 0),
        CALL(fchown, BAD, 0, 0),
        CALL(fchownat, BAD, BAD, 0, 0, 0),
        CALL(utimensat, AT_FDCWD, BAD, 0, 0),
        CALL(setxattr, BAD, BAD, BAD, 0, 0),
        CALL(getxattr, BAD, BAD, BAD, 0),
        CALL(mknodat, BAD, BAD, 0, 0),
        CALL(linkat, BAD, BAD, BAD, BAD, 0),
        CALL(symlinkat, BAD, BAD, BAD),
        CALL(renameat2, AT_FDCWD, BAD, AT_FDCWD, BAD, 4),
        CALL(statfs, BAD, BAD),
        CALL(chdir, BAD),
        CALL(fchdir, BAD),
        CALL(chroot, BAD),
        CALL(umask, 022),
        CALL(fcntl, 0, F_SETOWN, 0),
        CALL(fcntl, 0, F_DUPFD, 3),
        CALL(fcntl, 0, F_SETSIG, 0),
        CALL(ioctl, BAD, TIOCSTI, BAD),
        CALL(ioctl, BAD, 0x5441 /* TIOCGPTPEER */, 0),
        CALL(mmap, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, BAD, 0),
        CALL(mmap, 0, 4096, PROT_READ, MAP_SHARED, BAD, 0),
        CALL(mmap, 0, 4096, PROT_READ, MAP_SHARED_VALIDATE, BAD, 0),
        CALL(mprotect, 0, 0, PROT_READ | PROT_EXEC),
        CALL(pkey_mprotect, 0, 0, PROT_READ, BAD),
        CALL(madvise, 0, 0, 102),
        CALL(memfd_create, BAD, 0),
        CALL(pidfd_open, BAD, 0),
        CALL(pidfd_getfd, BAD, 0, 0),
        CALL(pidfd_send_signal, BAD, 0, 0, 0),
        CALL(io_uring_setup, 0, BAD),
        CALL(bpf, BAD, 0, 0),
        CALL(perf_event_open, BAD, 0, BAD, BAD, 0),
        CALL(keyctl, BAD),
        CALL(userfaultfd, BAD),
        CALL(inotify_init1, 0),
        CALL(fanotify_init, 0, 0),
        CALL(signalfd4, BAD, 0, 8, 0),
        CALL(eventfd2, 0, 0),
        CALL(timerfd_create, 0, 0),
        CALL(epoll_create1, 0),
        CALL(pipe2, BAD, 0),
        CALL(splice, BAD, 0, BAD, 0, 0, 0),
        CALL(setitimer, ITIMER_REAL, 0, BAD),
        CALL(timer_create, 0, 0, BAD),
        CALL(rt_sigaction, SIGINT, (long)&action, 0, 8),
        CALL(seccomp, BAD, 0, 0),
        CALL(landlock_create_ruleset, BAD, 24, 0),
        CALL(close_range, 9000, 9000, CLOSE_RANGE_UNSHARE),
        CALL(shmget, 0, 0, 0),
        CALL(personality, BAD),
        CALL(syslog, BAD, 0, 0),
        CALL(acct, BAD),
        CALL(name_to_handle_at, BAD, BAD, BAD, BAD, 0),
        CALL(open_by_handle_at, BAD, BAD, 0),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (outcome(&rows[i], 1) != EPERM)
            fail_msg("%s, row %zu, is not denied", rows[i].name, i);
        if (geteuid() == 0 && outcome(&rows[i], 0) == EPERM)
            print_message("%s, row %zu, is denied by this machine too\n", rows[i].name, i);
    }
}

TEST(a_process_can_not_be_made_and_clone3_is_unknown)
{
    const call fork_by_clone = CALL(clone, SIGCHLD), clone3 = CALL(clone3, BAD, 0);
    const call sibling = CALL(clone, 0x3d0f00 & ~0x10000 /* without CLONE_THREAD */);
    for (int sealed = SEALED; sealed <= WITH_THREADS; sealed++) {
        assert_int_equal(outcome(&fork_by_clone, sealed), EPERM);
        assert_int_equal(outcome(&sibling, sealed), EPERM);
        assert_int_equal(outcome(&clone3, sealed), ENOSYS);
    }
}

TEST(extended_attributes_are_not_supported)
{
    const call listxattr = CALL(listxattr, BAD, BAD, 0);
    assert_int_equal(outcome(&listxattr, 1), ENOTSUP);
}

TEST(the_end_of_the_process_is_a_signal_that_can_be_handled)
{
    const call exit_group = CALL(exit_group, 7);
    assert_int_equal(outcome(&exit_group, 0), 7);
    assert_int_equal(outcome(&exit_group, 1), 256 + SIGSYS);
}

/* ---- what the C library makes of it ---- */

static void *answer(void *word)
{
    *(int *)word = 42;
    return NULL;
}

static int exit_status(seccomp_kind kind, void (*fn)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        seal(kind);
        fn();
        leave(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Of no thread of its own, which the kernel says only where the filter does not speak first. */
static void signal_the_process(void)
{
    if (syscall(SYS_tgkill, getpid(), BAD, SIGABRT) != -1 || errno != EINVAL)
        leave(1);
}

TEST(a_program_is_of_the_process_that_has_it_and_not_of_who_made_the_first)
{
    const seccomp_kind kinds[] = { SECCOMP_ALONE, SECCOMP_THREADS, SECCOMP_FULL, SECCOMP_PROCESS };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        seccomp_program program = { 0 };
        assert_int_equal(seccomp_program_make(&program, kinds[i]), 0);
        seccomp_program_free(&program);
        assert_int_equal(exit_status(kinds[i], signal_the_process), 0);
    }
}

static void make_a_memory_file(void)
{
    if (syscall(SYS_memfd_create, "m", 0) != -1 || errno != EPERM)
        leave(1);
}

/* Machine code of a full session can have them make any call. */
TEST(threads_of_the_host_make_no_memory_that_nobody_counts)
{
    assert_int_equal(exit_status(SECCOMP_PROCESS, make_a_memory_file), 0);
    assert_int_equal(exit_status(SECCOMP_FULL, make_a_memory_file), 0);
}

static void start_a_thread(void)
{
    pthread_t thread;
    int word = 0;
    if (pthread_create(&thread, NULL, answer, &word) || pthread_join(thread, NULL) || word != 42)
        leave(1);
}

static void raise_a_signal(void)
{
    leave(raise(SIGTERM) == 0 ? 1 : errno);
}

/* The filter judges the mode of every open: the C library must make 0 of one that nobody asks
 * for. */
static void open_with_a_mode_that_makes_nothing(void)
{
    const char *volatile path = "/";
    if (open(path, O_RDONLY, 07777) < 0 || openat(AT_FDCWD, path, O_RDONLY, 07777) < 0)
        leave(1);
}

/* The C library aborts where a thread is answered otherwise than the others. */
TEST(the_kernel_answers_changes_of_the_user_beside_a_host_s_threads)
{
    const call rows[] = {
        CALL(setuid, BAD),
        CALL(setgid, BAD),
        CALL(setreuid, BAD, 0x7fffffff),
        CALL(setregid, BAD, 0x7fffffff),
        CALL(setresuid, BAD, BAD, BAD),
        CALL(setresgid, BAD, BAD, BAD),
        CALL(setgroups, BAD, 0),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int bare = outcome(&rows[i], BARE);
        for (int how = SEALED; how <= WITH_THREADS; how++)
            if (outcome(&rows[i], how) != bare)
                fail_msg("%s is answered otherwise than without a filter", rows[i].name);
        if (outcome(&rows[i], OF_FULL) != EPERM)
            fail_msg("%s is not denied", rows[i].name);
    }
}

/* pthread_getattr_np goes on then. */
TEST(other_threads_have_no_affinity_to_tell)
{
    const call of_another = CALL(sched_getaffinity, 1, 0, 0);
    assert_int_equal(outcome(&of_another, SEALED), ENOSYS);
    assert_int_equal(outcome(&of_another, WITH_THREADS), ENOSYS);
    assert_int_equal(outcome(&of_another, OF_FULL), EINVAL);
}

TEST(a_mode_that_makes_nothing_is_not_judged)
{
    assert_int_equal(exit_status(SECCOMP_ALONE, open_with_a_mode_that_makes_nothing), 0);
}

TEST(threads_start_where_there_may_be_some)
{
    assert_int_equal(exit_status(SECCOMP_THREADS, start_a_thread), 0);
    assert_int_equal(exit_status(SECCOMP_ALONE, start_a_thread), 1);
}

/* A thread's first steps. */
TEST(what_threads_need_is_denied_without_them)
{
    const call rows[] = {
        CALL(set_robust_list, BAD, 24),
        CALL(rseq, 0, 0, 1, 0),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (outcome(&rows[i], SEALED) != EPERM)
            fail_msg("%s is not denied", rows[i].name);
        if (outcome(&rows[i], WITH_THREADS) == EPERM)
            fail_msg("%s is denied", rows[i].name);
    }
}

TEST(abort_aborts_and_raise_does_not)
{
    assert_int_equal(exit_status(SECCOMP_ALONE, abort), 256 + SIGABRT);
    assert_int_equal(exit_status(SECCOMP_ALONE, raise_a_signal), EPERM);
}

TEST(libraries_can_be_mapped_in_full_sessions_only)
{
    const call rows[] = {
        CALL(mmap, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, BAD, 0),
        CALL(mprotect, 0, 0, PROT_READ | PROT_EXEC),
        CALL(pipe2, BAD, 0),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (outcome(&rows[i], WITH_THREADS) != EPERM)
            fail_msg("%s is not denied", rows[i].name);
        if (outcome(&rows[i], OF_FULL) == EPERM)
            fail_msg("%s is denied", rows[i].name);
    }
}

TEST(a_full_session_is_denied_what_reaches_out)
{
    const call rows[] = {
        CALL(execve, BAD, 0, 0),
        CALL(vfork, 0),
        CALL(clone, SIGCHLD),
        CALL(socket, AF_INET, SOCK_STREAM, 0),
        CALL(kill, BAD, 0),
        CALL(ptrace, BAD, 0, 0, 0),
        CALL(mount, BAD, BAD, BAD, 0),
        CALL(memfd_create, BAD, 0),
        CALL(chmod, BAD, 0644),
        CALL(utimensat, AT_FDCWD, BAD, 0, 0),
        CALL(madvise, 0, 0, 102),
        CALL(prlimit64, 1, RLIMIT_DATA, 0, BAD),
        CALL(mmap, 0, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, BAD, 0),
        CALL(personality, BAD),
        CALL(process_vm_readv, 1, 0, 0, 0, 0, 0),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (outcome(&rows[i], OF_FULL) != EPERM)
            fail_msg("%s, row %zu, is not denied", rows[i].name, i);
}

int main(void)
{
    return run_all_tests(NULL, NULL);
}
