#include "policy/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/error.h"

/* What glibc's pthread_create asks of clone: a thread, never a process. */
#define THREAD_FLAGS 0x3d0f00 /* VM FS FILES SIGHAND THREAD SYSVSEM SETTLS and two tids */

/* Set-user-id, set-group-id and sticky. */
#define MODE_BITS_REFUSED (S_ISUID | S_ISGID | S_ISVTX)

/* Memory that RLIMIT_DATA does not count: shared, and a stack's. */
#define UNCOUNTED (MAP_SHARED | MAP_GROWSDOWN)

/* A clock's id below that is one of the machine's or the caller's own. The others, negative as
 * an int, are made of a number: of a process, a thread, a descriptor. The last three bits tell
 * which; the kernel takes a thread's only of the caller's own process. */
#define CLOCKS        16
#define CLOCK_BITS    7u
#define THREADS_CLOCK 6u /* of its processor time */

/* An argument's test, on all of its 64 bits; a row may have two. */
typedef enum test { ALWAYS, IS, HAS_NONE_OF, BELOW, IS_THREADS_CLOCK } test;

typedef struct condition {
    test test;
    unsigned argument;
    scmp_datum_t value;
} condition;

typedef struct row {
    int call;
    condition if_first, if_second;
} row;

#define ALLOW(name) ALLOW_IF(name, { ALWAYS })
#define ALLOW_IF(name, ...)         \
    {                               \
        SCMP_SYS(name), __VA_ARGS__ \
    }

/* Several rows of one call: any of them is enough. Calls that this machine does not have
 * (open on aarch64) are left out by libseccomp. */
static const row rows[] = {
    /* Files: Landlock judges the path, the kernel the descriptor. Not truncate, which Landlock
     * judges from ABI 3 on only. A mode that makes nothing is 0: the C library passes on what
     * its caller gave with O_CREAT and O_TMPFILE only. */
    ALLOW_IF(open, { HAS_NONE_OF, 2, MODE_BITS_REFUSED }),
    ALLOW_IF(openat, { HAS_NONE_OF, 3, MODE_BITS_REFUSED }),
    ALLOW(close),
    ALLOW_IF(close_range, { IS, 2, 0 }), /* without it, closefrom(3) aborts */
    ALLOW(read),
    ALLOW(readv),
    ALLOW(pread64),
    ALLOW(preadv),
    ALLOW(preadv2),
    ALLOW(write),
    ALLOW(writev),
    ALLOW(pwrite64),
    ALLOW(pwritev),
    ALLOW(pwritev2),
    ALLOW(lseek),
    ALLOW(poll), /* which numbers are open descriptors: limits/disk.c */
    ALLOW(ppoll),
    ALLOW(fsync),
    ALLOW(fdatasync),
    ALLOW(flock),
    ALLOW(ftruncate),
    ALLOW(fallocate),
    ALLOW(fadvise64),
    ALLOW(dup),
    ALLOW(dup2),
    ALLOW(dup3),
    ALLOW(getdents64),
    ALLOW_IF(mkdir, { HAS_NONE_OF, 1, MODE_BITS_REFUSED }),
    ALLOW_IF(mkdirat, { HAS_NONE_OF, 2, MODE_BITS_REFUSED }),
    ALLOW(rmdir),
    ALLOW(unlink),
    ALLOW(unlinkat),
    ALLOW(rename),
    ALLOW(renameat),
    ALLOW_IF(renameat2, { BELOW, 4, 4 }), /* no whiteout, which is a device */
    /* Metadata, to read. */
    ALLOW(stat),
    ALLOW(lstat),
    ALLOW(fstat),
    ALLOW(newfstatat),
    ALLOW(statx),
    ALLOW(fstatfs),
    ALLOW(access),
    ALLOW(faccessat),
    ALLOW(faccessat2),
    ALLOW(readlink),
    ALLOW(readlinkat),
    ALLOW(getcwd),
    /* Metadata, to write: of an open file, without set-id bits; times of a path would not
     * be judged by Landlock. */
    ALLOW_IF(fchmod, { HAS_NONE_OF, 1, MODE_BITS_REFUSED }),
    ALLOW_IF(utimensat, { IS, 1, 0 }),
    /* Record locks are sqlite's. Owners of descriptors, leases and seals are not here. */
    ALLOW_IF(fcntl, { IS, 1, F_GETFD }),
    ALLOW_IF(fcntl, { IS, 1, F_SETFD }),
    ALLOW_IF(fcntl, { IS, 1, F_GETFL }),
    ALLOW_IF(fcntl, { IS, 1, F_SETFL }),
    ALLOW_IF(fcntl, { IS, 1, F_DUPFD_CLOEXEC }),
    ALLOW_IF(fcntl, { IS, 1, F_GETLK }),
    ALLOW_IF(fcntl, { IS, 1, F_SETLK }),
    ALLOW_IF(fcntl, { IS, 1, F_SETLKW }),
    ALLOW_IF(ioctl, { IS, 1, TCGETS }),
    ALLOW_IF(ioctl, { IS, 1, FIOCLEX }),
    ALLOW_IF(ioctl, { IS, 1, FIONCLEX }),
    ALLOW_IF(ioctl, { IS, 1, FIONBIO }),
    ALLOW_IF(ioctl, { IS, 1, FIONREAD }),
    ALLOW_IF(ioctl, { IS, 1, TIOCGWINSZ }),
    /* Memory, none of it executable. Not shared, as SQLite's index of a WAL is: a file that is cut
     * while it is mapped is a SIGBUS. Above 99, madvise spoils pages of the machine. */
    ALLOW_IF(mmap, { HAS_NONE_OF, 2, PROT_EXEC }, { HAS_NONE_OF, 3, UNCOUNTED }),
    ALLOW_IF(mprotect, { HAS_NONE_OF, 2, PROT_EXEC }),
    ALLOW_IF(madvise, { BELOW, 2, 100 }),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(brk),
    /* The thread itself. */
    ALLOW(futex),
    ALLOW(exit),
    ALLOW(sched_yield),
    ALLOW_IF(sched_getaffinity, { IS, 0, 0 }), /* of others, see below */
    ALLOW(getcpu),
    ALLOW(gettid),
    ALLOW(restart_syscall),
    /* Clocks and facts. */
    ALLOW_IF(clock_gettime, { BELOW, 0, CLOCKS }),
    ALLOW_IF(clock_getres, { BELOW, 0, CLOCKS }),
    ALLOW_IF(clock_nanosleep, { BELOW, 0, CLOCKS }),
    ALLOW(nanosleep),
    ALLOW(gettimeofday),
    ALLOW(time),
    ALLOW(times),
    ALLOW(getrusage),
    ALLOW(getrandom),
    ALLOW(uname),
    ALLOW(sysinfo),
    ALLOW(getpid),
    ALLOW(getppid),
    ALLOW(getuid),
    ALLOW(geteuid),
    ALLOW(getgid),
    ALLOW(getegid),
    ALLOW(getrlimit),
    ALLOW_IF(prlimit64, { IS, 0, 0 }, { IS, 2, 0 }), /* to read one's own */
    /* Signals: masks are the thread's own. Handlers are the process's, so they can be read;
     * those of faults can be set, for a fault that is nobody's must end the process
     * (limits/fault.c). */
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
    ALLOW_IF(rt_sigaction, { IS, 1, 0 }),
    ALLOW_IF(rt_sigaction, { IS, 0, SIGSEGV }),
    ALLOW_IF(rt_sigaction, { IS, 0, SIGBUS }),
    ALLOW_IF(rt_sigaction, { IS, 0, SIGFPE }),
    ALLOW_IF(rt_sigaction, { IS, 0, SIGILL }),
    ALLOW_IF(rt_sigaction, { IS, 0, SIGABRT }),
    ALLOW_IF(rt_sigaction, { IS, 0, SIGSYS }),
    ALLOW_IF(rt_sigaction, { IS, 0, SIGTRAP }),
    /* The thread's own stack for its handlers, which AddressSanitizer in a host program asks for
     * when the thread ends. In the programs the C library's function denies it to cells. */
    ALLOW(sigaltstack),
};

/* Of a thread among those of a program that may change its user. The C library makes such a call of
 * the host's on every thread (by a signal that no mask of its functions blocks), and aborts where
 * one is answered otherwise than the rest. So the kernel has to answer, by the thread's own
 * credentials, which are the process's: what it grants here it grants every other thread, and after
 * a drop for good it grants nothing. No program can be executed whose set-id bits would count. */
static const row rows_of_users[] = {
    ALLOW(setuid),    ALLOW(setgid),    ALLOW(setreuid),  ALLOW(setregid),
    ALLOW(setresuid), ALLOW(setresgid), ALLOW(setgroups),
};

/* Of a session that may start threads: of each, the first steps. */
static const row rows_of_threads[] = {
    ALLOW_IF(clone, { IS, 0, THREAD_FLAGS }),
    ALLOW(set_robust_list),
    ALLOW(rseq),
};

/* Of a full session: its libraries are mapped when they are imported, and numpy.memmap shares what
 * it maps. Packages ask for machine and limits; pipes and events are between its own threads. */
static const row rows_of_full[] = {
    ALLOW_IF(mmap, { HAS_NONE_OF, 3, UNCOUNTED }),
    ALLOW_IF(mmap, { HAS_NONE_OF, 3, MAP_ANONYMOUS | MAP_GROWSDOWN }),
    ALLOW(mprotect),
    ALLOW(mincore),
    ALLOW(msync),
    ALLOW(exit_group),
    ALLOW(sched_getaffinity),
    ALLOW(sched_getscheduler),
    ALLOW(sched_getparam),
    ALLOW(sched_get_priority_max),
    ALLOW(sched_get_priority_min),
    ALLOW(set_tid_address),
    ALLOW(membarrier),
    ALLOW(pipe),
    ALLOW(pipe2),
    ALLOW(eventfd2),
    ALLOW(epoll_create1),
    ALLOW(epoll_ctl),
    ALLOW(epoll_wait),
    ALLOW(epoll_pwait),
    ALLOW(select),
    ALLOW(pselect6),
    ALLOW(copy_file_range),
    ALLOW(sendfile),
    ALLOW(getgroups),
    ALLOW(getresuid),
    ALLOW(getresgid),
    ALLOW(getpgrp),
    ALLOW(statfs),
    ALLOW(umask), /* the thread has its own */
};

/* Of the threads of a worker that are not a session's, and of sessions before they have their own.
 */
static const row rows_of_process[] = {
    ALLOW_IF(unshare, { IS, 0, CLONE_FS }),
    ALLOW(close_range),
    ALLOW(chdir),
    ALLOW(fchdir),
    ALLOW(symlink),
    ALLOW(symlinkat),
    ALLOW(utimensat),
    ALLOW(fcntl),
    ALLOW_IF(mmap, { HAS_NONE_OF, 3, UNCOUNTED }),
    ALLOW_IF(mmap, { HAS_NONE_OF, 3, MAP_ANONYMOUS | MAP_GROWSDOWN }),
    ALLOW(prctl),
    ALLOW(seccomp),
    ALLOW(landlock_create_ruleset),
    ALLOW(landlock_add_rule),
    ALLOW(landlock_restrict_self),
    ALLOW_IF(clock_gettime,
             { IS_THREADS_CLOCK, 0 }), /* the watchdog's: without it no ladder moves */
    ALLOW(rt_sigaction),
    ALLOW_IF(prlimit64, { IS, 0, 0 }),
    ALLOW(setrlimit),
    ALLOW(sched_getaffinity),
};

#define OF(kind) (1u << (kind))
#define OF_ALL   (OF(SECCOMP_PROCESS + 1) - 1)

/* Refused otherwise than with EPERM; limits/fault.c hears of what is trapped. */
static const struct {
    int call;
    uint32_t action;
    unsigned kinds;
} others[] = {
    /* glibc then takes clone, whose flags a filter can see. */
    { SCMP_SYS(clone3), SCMP_ACT_ERRNO(ENOSYS), OF_ALL },
    /* It has the mode of what it makes in memory, where no filter sees set-id bits. Who calls it
     * has another way (base/beneath.c). */
    { SCMP_SYS(openat2), SCMP_ACT_ERRNO(ENOSYS), OF_ALL },
    /* shutil takes this for a file system without them, and goes on. */
    { SCMP_SYS(listxattr), SCMP_ACT_ERRNO(ENOTSUP), OF_ALL },
    { SCMP_SYS(llistxattr), SCMP_ACT_ERRNO(ENOTSUP), OF_ALL },
    { SCMP_SYS(flistxattr), SCMP_ACT_ERRNO(ENOTSUP), OF_ALL },
    /* Room for a file that has nothing in it yet, more in a moment than anybody can write, or
     * behind its end, where its size does not tell. The C library writes zeros instead. */
    { SCMP_SYS(fallocate), SCMP_ACT_ERRNO(EOPNOTSUPP), OF(SECCOMP_FULL) | OF(SECCOMP_PROCESS) },
    /* It makes of it that session's end. */
    { SCMP_SYS(exit_group), SCMP_ACT_TRAP, OF(SECCOMP_ALONE) | OF(SECCOMP_THREADS) },
    /* It answers in the kernel's place. */
    { SCMP_SYS(uname), SCMP_ACT_TRAP, OF(SECCOMP_PROCESS) },
};

/* In place of the process's id; no other row has it, and no process. */
#define NO_PROCESS 0x5ec0c0deu

/* Writes the test that a condition makes to out[count]. Answers how many it makes: 1, or 0. */
static unsigned add_test(struct scmp_arg_cmp *out, unsigned count, const condition *c)
{
    switch (c->test) {
    case ALWAYS:
        return 0;
    case IS:
        out[count] = SCMP_CMP64(c->argument, SCMP_CMP_EQ, c->value);
        break;
    case HAS_NONE_OF:
        out[count] = SCMP_CMP64(c->argument, SCMP_CMP_MASKED_EQ, c->value, 0);
        break;
    case BELOW:
        out[count] = SCMP_CMP64(c->argument, SCMP_CMP_LT, c->value);
        break;
    case IS_THREADS_CLOCK:
        out[count] = SCMP_CMP64(c->argument, SCMP_CMP_MASKED_EQ, CLOCK_BITS, THREADS_CLOCK);
        break;
    }
    return 1;
}

static int allow_call(scmp_filter_ctx filter, int call, const condition *first,
                      const condition *second)
{
    struct scmp_arg_cmp tests[2];
    unsigned count = add_test(tests, 0, first);
    count += add_test(tests, count, second);
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, count, tests);
}

static int is_refused(int call, seccomp_kind kind)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].call == call && others[i].kinds & OF(kind))
            return 1;
    return 0;
}

/* 0 or a negative errno, as libseccomp answers. */
static int allow_rows(scmp_filter_ctx filter, seccomp_kind kind, const row *first, size_t count)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < count; i++)
        if (!is_refused(first[i].call, kind))
            failed = allow_call(filter, first[i].call, &first[i].if_first, &first[i].if_second);
    return failed;
}

/* Answers 0 or a negative errno, as libseccomp does. */
static int add_rules(scmp_filter_ctx filter, seccomp_kind kind)
{
    static const condition always = { ALWAYS, 0, 0 };
    const condition is_ours = { IS, 0, NO_PROCESS };
    const condition is_abort = { IS, 2, SIGABRT };
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));

    /* A binary tree over the calls' numbers. */
    if (!failed)
        failed = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (!failed)
        failed = allow_rows(filter, kind, rows, sizeof rows / sizeof *rows);
    if (!failed && kind <= SECCOMP_THREADS)
        failed =
            allow_rows(filter, kind, rows_of_users, sizeof rows_of_users / sizeof *rows_of_users);
    if (!failed && kind == SECCOMP_PROCESS)
        failed = allow_rows(filter, kind, rows_of_process,
                            sizeof rows_of_process / sizeof *rows_of_process);

    if (!failed && kind >= SECCOMP_FULL)
        failed = allow_rows(filter, kind, rows_of_full, sizeof rows_of_full / sizeof *rows_of_full);
    if (!failed && kind >= SECCOMP_THREADS)
        failed = allow_rows(filter, kind, rows_of_threads,
                            sizeof rows_of_threads / sizeof *rows_of_threads);

    for (size_t i = 0; !failed && i < sizeof others / sizeof *others; i++)
        if (others[i].kinds & OF(kind))
            failed = seccomp_rule_add_array(filter, others[i].action, others[i].call, 0, NULL);

    /* pthread_getattr_np, which sanitizers call on each new thread, then does without. Of others it
     * tells which there are. */
    if (!failed && kind <= SECCOMP_THREADS)
        failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(sched_getaffinity), 1,
                                  SCMP_CMP64(0, SCMP_CMP_NE, 0));

    if (failed)
        return failed;
    return allow_call(filter, SCMP_SYS(tgkill), &is_ours,
                      kind == SECCOMP_PROCESS ? &always : &is_abort);
}

/* All of the file behind fd into out. */
static int read_program(seccomp_program *out, int fd)
{
    struct stat facts;

    if (fstat(fd, &facts) != 0)
        return error_system("the system call filter");

    size_t size = (size_t)facts.st_size;
    out->code = malloc(size);
    if (!out->code)
        return error_no_memory();

    if (pread(fd, out->code, size, 0) != facts.st_size) {
        int error = error_system("the system call filter");
        seccomp_program_free(out);
        return error;
    }

    out->count = (unsigned short)(size / sizeof *out->code);
    return SNUG_OK;
}

static int compile_program(seccomp_program *out, seccomp_kind kind)
{
    int error, failed, fd = -1;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (!filter)
        return error_no_memory();

    failed = add_rules(filter, kind);
    if (failed) {
        error = error_set(SNUG_ESYSTEM, "libseccomp: %s", strerror(-failed));
        goto done;
    }

    /* libseccomp 2.5 exports to a descriptor only. */
    fd = memfd_create("seccomp", MFD_CLOEXEC);
    if (fd < 0) {
        error = error_system("memfd_create");
        goto done;
    }

    failed = seccomp_export_bpf(filter, fd);
    if (failed)
        error = error_set(SNUG_ESYSTEM, "libseccomp: %s", strerror(-failed));
    else
        error = read_program(out, fd);

done:
    if (fd >= 0)
        close(fd);
    seccomp_release(filter);
    return error;
}

/* ---- copies ---- */

/* One of each kind, with NO_PROCESS in it. They are never freed: a zygote, which has one thread,
 * makes them for its workers. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static seccomp_program made[SECCOMP_PROCESS + 1];

static int copy_program(seccomp_program *out, const seccomp_program *from)
{
    size_t bytes = from->count * sizeof *from->code;

    out->code = malloc(bytes);
    if (!out->code)
        return error_no_memory();

    memcpy(out->code, from->code, bytes);
    out->count = from->count;
    for (size_t i = 0; i < out->count; i++)
        if (out->code[i].code == (BPF_JMP | BPF_JEQ | BPF_K) && out->code[i].k == NO_PROCESS)
            out->code[i].k = (uint32_t)getpid();

    return SNUG_OK;
}

int seccomp_program_make(seccomp_program *out, seccomp_kind kind)
{
    pthread_mutex_lock(&lock);
    int error = SNUG_OK;
    if (!made[kind].code)
        error = compile_program(&made[kind], kind);
    if (!error)
        error = copy_program(out, &made[kind]);
    pthread_mutex_unlock(&lock);
    return error;
}

void seccomp_program_free(seccomp_program *program)
{
    free(program->code);
    *program = (seccomp_program){ 0 };
}
