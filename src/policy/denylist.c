#include "policy/denylist.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>

#include <snug/snug.h>

#include "base/error.h"

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
    "mq_open",
};

#define NAMESPACES                                                                             \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
     CLONE_NEWCGROUP)

/* Answers 0 or a negative errno. */
static int deny_clone(scmp_filter_ctx filter)
{
    int failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    for (unsigned bit = 0; !failed && bit < 32; bit++) {
        const scmp_datum_t flag = UINT64_C(1) << bit;
        if (flag & NAMESPACES)
            failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                      SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
    }
    return failed;
}

/* Characters that another process would read as typed. */
static int deny_typing(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                            SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCSTI));
}

static int fill(scmp_filter_ctx filter)
{
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
    for (size_t i = 0; !failed && i < sizeof calls / sizeof *calls; i++) {
        int number = seccomp_syscall_resolve_name(calls[i]);
        if (number >= 0)
            failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
    }
    if (!failed)
        failed = deny_clone(filter);
    return failed ? failed : deny_typing(filter);
}

int denylist_load(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return error_no_memory();
    int failed = fill(filter);
    if (!failed)
        failed = seccomp_load(filter);
    seccomp_release(filter);
    return failed ? error_set(SNUG_ESYSTEM, "libseccomp: %s", strerror(-failed)) : SNUG_OK;
}
