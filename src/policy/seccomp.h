/*
 * seccomp.h - the system calls of a session's thread, as one table, and the program
 * for the kernel's filter that is made of it.
 *
 * What is not in the table fails with EPERM. Nothing ends the thread: a filter that
 * kills would take locks and a half of the session along. Pure: the program is
 * installed in session/confine.c.
 */
#ifndef SNUG_POLICY_SECCOMP_H
#define SNUG_POLICY_SECCOMP_H

#include <linux/filter.h>

/* Zeroed before first use. */
typedef struct seccomp_program {
    struct sock_filter *code; /* owned */
    unsigned short count;     /* of instructions */
} seccomp_program;

/* Takes about a millisecond; the program holds for this process, whose id is in it. Without
 * starts_threads the thread can start none. SNUG_ESYSTEM or SNUG_ENOMEM with a message. */
int seccomp_program_make(seccomp_program *out, int starts_threads);
void seccomp_program_free(seccomp_program *program);

#endif
