#include "bash/denylist.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h> /* RENAME_WHITEOUT */
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <snug/snug.h>

#include "base/error.h"

enum { NONE = -1 };

/* Names that this libseccomp does not know are left out with their number below 0. */
static const char *const calls[] = {
    /* other views of the system */
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "unshare",
    "setns",
    "open_tree",
    "move_mount",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "swapon",
    "swapoff",
    "quotactl",
    "quotactl_fd",
    "sethostname",
    "setdomainname",
    "acct",
    "name_to_handle_at",
    "open_by_handle_at",
    /* other processes' insides */
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "kcmp",
    "pidfd_getfd",
    "perf_event_open",
    /* the kernel */
    "bpf",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "keyctl",
    "add_key",
    "request_key",
    "init_module",
    "finit_module",
    "delete_module",
    "kexec_load",
    "kexec_file_load",
    "reboot",
    "syslog",
    "iopl",
    "ioperm",
    "settimeofday",
    "clock_settime",
    "clock_adjtime",
    "adjtimex",
    "vmsplice",
    "fanotify_init",
    "lookup_dcookie",
    "nfsservctl",
    "personality",
    "modify_ldt",
    /* memory in no account of a process */
    "memfd_create",
    "memfd_secret",
    "shmget",
    "msgget",
    "semget",
    "mq_open",
};

/* What programs take for a kernel or a file system that does not have it, and do without:
 * attributes are bytes beside a file, which no limit counts, and may be rights; openat2 and clone3
 * have in memory what a filter has to see. */
static const struct {
    const char *name;
    unsigned error;
} missing[] = {
    { "openat2", ENOSYS },       { "clone3", ENOSYS },        { "setxattr", EOPNOTSUPP },
    { "lsetxattr", EOPNOTSUPP }, { "fsetxattr", EOPNOTSUPP }, { "setxattrat", EOPNOTSUPP },
    { "file_setattr", ENOSYS },
};

/* Newer than some libseccomp that this is built with. The numbers are the same on every machine. */
static const struct {
    const char *name;
    int number;
} newer[] = {
    { "memfd_secret", 447 },
    { "fchmodat2", 452 },
    { "setxattrat", 463 },
    { "file_setattr", 469 },
};

static int call_number(const char *name)
{
    int number = seccomp_syscall_resolve_name(name);
    for (size_t i = 0; number == __NR_SCMP_ERROR && i < sizeof newer / sizeof *newer; i++)
        if (strcmp(newer[i].name, name) == 0)
            number = newer[i].number;
    return number;
}

#define NAMESPACES                                                                             \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
     CLONE_NEWCGROUP)

/* The rest is denied by its arguments. Each function here answers 0 or a negative errno. */

static int deny_call(scmp_filter_ctx filter, unsigned error, const char *name, unsigned count,
                     const struct scmp_arg_cmp *tests)
{
    int number = call_number(name);
    /* Below 0 are calls that this machine does not have, as open on aarch64. */
    if (number < 0)
        return 0;
    return seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(error), number, count, tests);
}

static int deny_namespaces(scmp_filter_ctx filter)
{
    int failed = 0;

    for (unsigned bit = 0; !failed && bit < 32; bit++) {
        const scmp_datum_t flag = UINT64_C(1) << bit;
        const struct scmp_arg_cmp has = SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag);
        if (flag & NAMESPACES)
            failed = deny_call(filter, EPERM, "clone", 1, &has);
    }

    return failed;
}

/* Where a mode is, and the flags that have to be there for it to count. */
static const struct {
    const char *name;
    unsigned mode, flags;
    scmp_datum_t makes;
} modes[] = {
    { "chmod", 1, 0, 0 },      { "fchmod", 1, 0, 0 },       { "fchmodat", 2, 0, 0 },
    { "fchmodat2", 2, 0, 0 },  { "creat", 1, 0, 0 },        { "mkdir", 1, 0, 0 },
    { "mkdirat", 2, 0, 0 },    { "mknod", 1, 0, 0 },        { "mknodat", 2, 0, 0 },
    { "open", 2, 1, O_CREAT }, { "openat", 3, 2, O_CREAT },
};

/* A file with one of these would be a program that anybody on the machine runs as the host. */
static int deny_marks(scmp_filter_ctx filter)
{
    static const scmp_datum_t bits[] = { S_ISUID, S_ISGID, S_ISVTX };
    int failed = 0;

    for (size_t i = 0; !failed && i < sizeof modes / sizeof *modes; i++)
        for (size_t bit = 0; !failed && bit < sizeof bits / sizeof *bits; bit++) {
            const struct scmp_arg_cmp tests[] = {
                SCMP_CMP64(modes[i].mode, SCMP_CMP_MASKED_EQ, bits[bit], bits[bit]),
                SCMP_CMP64(modes[i].flags, SCMP_CMP_MASKED_EQ, modes[i].makes, modes[i].makes),
            };
            failed = deny_call(filter, EPERM, modes[i].name, modes[i].makes ? 2 : 1, tests);
        }

    return failed;
}

/* Also those that need no right: a whiteout is a device with the number 0. */
static int deny_devices(scmp_filter_ctx filter)
{
    static const scmp_datum_t kinds[] = { S_IFCHR, S_IFBLK };
    const struct scmp_arg_cmp whiteout =
        SCMP_A4(SCMP_CMP_MASKED_EQ, RENAME_WHITEOUT, RENAME_WHITEOUT);
    int failed = deny_call(filter, EINVAL, "renameat2", 1, &whiteout);

    for (size_t i = 0; !failed && i < sizeof kinds / sizeof *kinds; i++) {
        const struct scmp_arg_cmp by_path = SCMP_A1(SCMP_CMP_MASKED_EQ, S_IFMT, kinds[i]);
        const struct scmp_arg_cmp by_folder = SCMP_A2(SCMP_CMP_MASKED_EQ, S_IFMT, kinds[i]);
        failed = deny_call(filter, EPERM, "mknod", 1, &by_path);
        if (!failed)
            failed = deny_call(filter, EPERM, "mknodat", 1, &by_folder);
    }

    return failed;
}

/* Numbers of ioctl, and the bits of them that count. */
static const struct {
    scmp_datum_t bits, value;
    unsigned error;
} requests[] = {
    /* Characters that another process would read as typed, and the machine's consoles. */
    { UINT32_MAX, TIOCSTI, EPERM },
    { UINT32_MAX, 0x541c /* TIOCLINUX */, EPERM },
    /* Flags, keys and seals of a file, by which its owner cannot remove it or nobody counts it. */
    { 0xffff, 'f' << 8 | 2, EOPNOTSUPP },   /* FS_IOC_SETFLAGS */
    { 0xffff, 'f' << 8 | 19, EOPNOTSUPP },  /* FS_IOC_SET_ENCRYPTION_POLICY */
    { 0xffff, 'f' << 8 | 133, EOPNOTSUPP }, /* FS_IOC_ENABLE_VERITY */
    /* FS_IOC_FSSETXATTR, FS_IOC_RESVSP and its like, and all that XFS has. */
    { 0xff00, 'X' << 8, EOPNOTSUPP },
    /* Subvolumes and snapshots of btrfs, in both forms. */
    { 0xffff, 0x9401, EOPNOTSUPP },
    { 0xffff, 0x940e, EOPNOTSUPP },
    { 0xffff, 0x9417, EOPNOTSUPP },
    { 0xffff, 0x9418, EOPNOTSUPP },
};

static int deny_requests(scmp_filter_ctx filter)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof requests / sizeof *requests; i++) {
        const struct scmp_arg_cmp is_it =
            SCMP_A1(SCMP_CMP_MASKED_EQ, requests[i].bits, requests[i].value);
        failed = deny_call(filter, requests[i].error, "ioctl", 1, &is_it);
    }
    return failed;
}

/* Room for a file that has nothing in it yet, more in a moment than anybody can write, or behind
 * its end, where its size does not tell. The C library writes zeros instead. A file that never had
 * a name is in no folder that is gone through; programs make one and remove it. */
static int deny_room(scmp_filter_ctx filter)
{
    static const scmp_datum_t unnamed = O_TMPFILE & ~O_DIRECTORY;
    const struct scmp_arg_cmp fills = SCMP_A1(SCMP_CMP_MASKED_EQ, FALLOC_FL_PUNCH_HOLE, 0);
    const struct scmp_arg_cmp by_path = SCMP_A1(SCMP_CMP_MASKED_EQ, unnamed, unnamed);
    const struct scmp_arg_cmp by_folder = SCMP_A2(SCMP_CMP_MASKED_EQ, unnamed, unnamed);
    int failed = deny_call(filter, EOPNOTSUPP, "fallocate", 1, &fills);

    if (!failed)
        failed = deny_call(filter, EOPNOTSUPP, "open", 1, &by_path);
    if (!failed)
        failed = deny_call(filter, EOPNOTSUPP, "openat", 1, &by_folder);
    return failed;
}

/* Others are not the network namespace's but the machine's (vsock, some of Bluetooth), or large
 * parts of the kernel that no program of a cell needs. */
static int is_family(unsigned family)
{
    return family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
}

static int deny_families(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp beyond = SCMP_A0(SCMP_CMP_GT, AF_NETLINK);
    const struct scmp_arg_cmp no_pair = SCMP_A0(SCMP_CMP_NE, AF_UNIX);
    const struct scmp_arg_cmp not_route[] = { SCMP_A0(SCMP_CMP_EQ, AF_NETLINK),
                                              SCMP_A2(SCMP_CMP_NE, 0 /* NETLINK_ROUTE */) };
    int failed = deny_call(filter, EAFNOSUPPORT, "socket", 1, &beyond);

    for (unsigned family = 0; !failed && family < AF_NETLINK; family++) {
        const struct scmp_arg_cmp is_it = SCMP_A0(SCMP_CMP_EQ, family);
        if (!is_family(family))
            failed = deny_call(filter, EAFNOSUPPORT, "socket", 1, &is_it);
    }

    if (!failed)
        failed = deny_call(filter, EPROTONOSUPPORT, "socket", 2, not_route);
    if (!failed)
        failed = deny_call(filter, EAFNOSUPPORT, "socketpair", 1, &no_pair);
    return failed;
}

/* Of the internet's protocols TCP, UDP and ICMP; the others are modules that a socket would load.
 */
static int deny_protocols(scmp_filter_ctx filter)
{
    static const scmp_datum_t families[] = { AF_INET, AF_INET6 };

    enum { TYPE_BITS = 15, LAST = 58 /* IPPROTO_ICMPV6 */ };
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof families / sizeof *families; i++) {
        const struct scmp_arg_cmp beyond[] = { SCMP_A0(SCMP_CMP_EQ, families[i]),
                                               SCMP_A2(SCMP_CMP_GT, LAST) };
        failed = deny_call(filter, EPROTONOSUPPORT, "socket", 2, beyond);
        for (unsigned type = SOCK_DGRAM + 1; !failed && type <= TYPE_BITS; type++) {
            const struct scmp_arg_cmp is_it[] = { SCMP_A0(SCMP_CMP_EQ, families[i]),
                                                  SCMP_A1(SCMP_CMP_MASKED_EQ, TYPE_BITS, type) };
            failed = deny_call(filter, ESOCKTNOSUPPORT, "socket", 2, is_it);
        }
    }

    return failed;
}

/* A process that does not let itself be looked into: whoever counts what it has sees nothing. */
static int deny_hiding(scmp_filter_ctx filter)
{
    /* The kernel takes the lower half of the number. */
    const struct scmp_arg_cmp hides[] = { SCMP_A0(SCMP_CMP_MASKED_EQ, UINT32_MAX, PR_SET_DUMPABLE),
                                          SCMP_A1(SCMP_CMP_NE, 1) };
    return deny_call(filter, EPERM, "prctl", 2, hides);
}

/* What is set for a process or thread by its number: the worker has the same user, and what holds
 * the limits would be slow, or without descriptors to look with. 0 is the caller. */
static const struct {
    const char *name;
    unsigned who;
    int is_set; /* the argument that is NULL where it is only asked; or NONE */
} others[] = {
    { "prlimit64", 0, 2 },         { "sched_setaffinity", 0, NONE },
    { "sched_setattr", 0, NONE },  { "sched_setscheduler", 0, NONE },
    { "sched_setparam", 0, NONE }, { "setpriority", 1, NONE },
    { "ioprio_set", 1, NONE },     { "setpriority", 0, NONE }, /* PRIO_PROCESS is 0 */
};

static int deny_others(scmp_filter_ctx filter)
{
    enum { IOPRIO_WHO_PROCESS = 1 };
    const struct scmp_arg_cmp not_processes = SCMP_A0(SCMP_CMP_NE, IOPRIO_WHO_PROCESS);
    int failed = deny_call(filter, EPERM, "ioprio_set", 1, &not_processes);
    for (size_t i = 0; !failed && i < sizeof others / sizeof *others; i++) {
        const int is_set = others[i].is_set != NONE;
        const struct scmp_arg_cmp tests[] = {
            SCMP_CMP64(others[i].who, SCMP_CMP_NE, 0),
            SCMP_CMP64(is_set ? (unsigned)others[i].is_set : 0, SCMP_CMP_NE, 0),
        };
        failed = deny_call(filter, EPERM, others[i].name, is_set ? 2 : 1, tests);
    }

    return failed;
}

/* Locks of an open file and not of a process: one that is under way in a socket's queue may have
 * any number of them, which nobody can count. Programs take those of a process instead. */
static int deny_locks(scmp_filter_ctx filter)
{
    static const scmp_datum_t commands[] = { F_OFD_SETLK, F_OFD_SETLKW };
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof commands / sizeof *commands; i++) {
        const struct scmp_arg_cmp is_it = SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, commands[i]);
        failed = deny_call(filter, EINVAL, "fcntl", 1, &is_it);
    }
    return failed;
}

/* A table of descriptors of a thread's own, in which nobody would look for files without a name. */
static int deny_tables(scmp_filter_ctx filter)
{
    enum { UNSHARE = 2 }; /* CLOSE_RANGE_UNSHARE */
    const struct scmp_arg_cmp is_own =
        SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD | CLONE_FILES, CLONE_THREAD);
    const struct scmp_arg_cmp unshares = SCMP_A2(SCMP_CMP_MASKED_EQ, UNSHARE, UNSHARE);
    int failed = deny_call(filter, EPERM, "clone", 1, &is_own);
    if (!failed)
        failed = deny_call(filter, EINVAL, "close_range", 1, &unshares);
    return failed;
}

static int deny_whole(scmp_filter_ctx filter)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof calls / sizeof *calls; i++)
        failed = deny_call(filter, EPERM, calls[i], 0, NULL);
    for (size_t i = 0; !failed && i < sizeof missing / sizeof *missing; i++)
        failed = deny_call(filter, missing[i].error, missing[i].name, 0, NULL);
    return failed;
}

static int fill_denials(scmp_filter_ctx filter)
{
    static int (*const parts[])(scmp_filter_ctx) = {
        deny_whole,     deny_namespaces, deny_marks, deny_devices, deny_requests, deny_families,
        deny_protocols, deny_hiding,     deny_room,  deny_others,  deny_tables,   deny_locks,
    };

    /* Other ways to call the kernel (i386, x32) have other numbers and are denied altogether. */
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));

    if (!failed)
        failed = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    for (size_t i = 0; !failed && i < sizeof parts / sizeof *parts; i++)
        failed = parts[i](filter);
    return failed;
}

int denylist_load(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return error_no_memory();

    int failed = fill_denials(filter);
    if (!failed)
        failed = seccomp_load(filter);
    seccomp_release(filter);
    if (failed)
        return error_set(SNUG_ESYSTEM, "libseccomp: %s", strerror(-failed));
    return SNUG_OK;
}
