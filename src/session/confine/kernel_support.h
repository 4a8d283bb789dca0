/*
 * kernel_support.h - which of the kernel's protections this machine grants to sessions.
 *
 * Containers and old kernels refuse some of them. What is refused is left out and told
 * in the host's report; what was granted once must be granted to every session, or
 * that does not open.
 */
#ifndef SNUG_SESSION_KERNEL_SUPPORT_H
#define SNUG_SESSION_KERNEL_SUPPORT_H

#include "base/str.h"
#include "policy/paths.h"
#include "policy/seccomp.h"

typedef enum kernel_part {
    KERNEL_DESCRIPTORS,
    KERNEL_FOLDER,
    KERNEL_LANDLOCK,
    KERNEL_SECCOMP,
    KERNEL_PARTS
} kernel_part;

/* Zeroed before first use. */
typedef struct kernel {
    int refused[KERNEL_PARTS]; /* an errno; 0: granted */
    int landlock_abi;
    seccomp_program calls[SECCOMP_KINDS]; /* SECCOMP_FULL in a process for full sessions only */
} kernel;

/* Tries all of them on a thread that ends at once. SNUG_OK, or why there was no thread. */
int kernel_probe(kernel *k);
void kernel_free(kernel *k);
/* The line "kernel: ..." of the host's report. */
int kernel_report(str *out, const kernel *k);

/* On a session's thread, before its interpreter is made: a current folder and descriptors of its
 * own. */
int kernel_enter(const kernel *k);
/* On a session's thread, after that: it stands in workdir, and has nothing but roots, and no calls
 * but the table's. The threads that it starts, where it may, are under the same. */
int kernel_seal(const kernel *k, const char *workdir, path_root *roots, size_t count,
                seccomp_kind kind);

#endif
