/* The process that makes sixels, "snug sixels WIDTH": PNG on stdin, the sequence on stdout. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "cli/program/command.h"

/* ---- libsixel ---- */

/* Of sixel.h, as each 1.x has them. */
typedef struct sixel_library {
    int (*create)(void **encoder, void *allocator);
    int (*set)(void *encoder, int option, const char *value);
    int (*encode)(void *encoder, const char *path);
} sixel_library;

static const struct {
    const char *name;
    size_t offset;
} names[] = {
    { "sixel_encoder_new", offsetof(sixel_library, create) },
    { "sixel_encoder_setopt", offsetof(sixel_library, set) },
    { "sixel_encoder_encode", offsetof(sixel_library, encode) },
};

/* NULL, or what is missing. */
static const char *load_library(sixel_library *out)
{
    void *library = dlopen("libsixel.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return dlerror();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *found = dlsym(library, names[i].name);
        if (!found)
            return names[i].name;
        /* A function's address in an object's, as dlsym hands it over. */
        memcpy((char *)out + names[i].offset, &found, sizeof found);
    }
    return NULL;
}

/* ---- what the process may do ---- */

#if defined(__x86_64__)
enum { ARCHITECTURE = (int)AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
enum { ARCHITECTURE = (int)AUDIT_ARCH_AARCH64 };
#else
enum { ARCHITECTURE = 0 };
#endif

/* Read what it has, write to it, get memory, and end. */
static const int allowed[] = {
    SYS_read,       SYS_write, SYS_close,      SYS_lseek,         SYS_fstat,
    SYS_newfstatat, SYS_brk,   SYS_mmap,       SYS_munmap,        SYS_mremap,
    SYS_madvise,    SYS_futex, SYS_getrandom,  SYS_clock_gettime, SYS_sysinfo,
    SYS_pselect6,   SYS_exit,  SYS_exit_group, SYS_rt_sigreturn,
#ifdef SYS_select
    SYS_select,
#endif
};
enum { ALLOWED = sizeof allowed / sizeof *allowed };

/* 0, or -1: this kernel does not have it. */
static int confine(void)
{
    struct sock_filter rows[3 + 2 * ALLOWED + 2];
    unsigned short count = 0;

    rows[count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    rows[count++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)ARCHITECTURE, 1, 0);
    rows[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    rows[count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < ALLOWED; i++) {
        rows[count++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0, 1);
        rows[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    rows[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);

    const struct sock_fprog program = { count, rows };
    if (!ARCHITECTURE || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void set_limits(void)
{
    const struct rlimit memory = { 1U << 30, 1U << 30 }, seconds = { 8, 8 }, none = { 0, 0 };

    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &none);
}

/* ---- the command ---- */

int command_sixels(const char *width)
{
    sixel_library sixel = { NULL, NULL, NULL };
    void *encoder = NULL;

    const char *why = load_library(&sixel);
    if (why)
        return command_fail(EXIT_USAGE, "sixels need libsixel (Debian's package is libsixel1): %s",
                            why);
    set_limits();
    if (confine())
        return command_fail(EXIT_USAGE, "seccomp: %s", strerror(errno));

    /* SIXELSTATUS: an error has its highest bit but one. */
    if (sixel.create(&encoder, NULL) < 0 || !encoder)
        return EXIT_FAILED;
    if (*width != '0')
        sixel.set(encoder, 'w', width);
    return sixel.encode(encoder, "-") & 0x1000 ? EXIT_FAILED : EXIT_FINE;
}
