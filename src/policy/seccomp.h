/*
 * seccomp.h - the system calls of a session's thread, as one table, and the program
 * for the kernel's filter that is made of it.
 *
 * What is not in the table fails with EPERM. Nothing ends the thread: a filter that
 * kills would take locks and a half of the session along. Pure: the program is
 * installed in session/confine/thread_filters.c.
 */
#ifndef SNUG_POLICY_SECCOMP_H
#define SNUG_POLICY_SECCOMP_H

#include <linux/filter.h>

/* Zeroed before first use. */
typedef struct seccomp_program {
    struct sock_filter *code; /* owned */
    unsigned short count;     /* of instructions */
} seccomp_program;

/* Each has what the one before has, but for changes of the user: the first two are of threads
 * beside those of a host program, the others of a worker's process, whose user is nobody's to
 * change. */
typedef enum seccomp_kind {
    SECCOMP_ALONE,   /* a thread that can start none */
    SECCOMP_THREADS, /* one that can */
    SECCOMP_FULL,    /* of a full session: what packages with extensions in C need */
    SECCOMP_KINDS,
    /* A worker's process, in which the others are: and what makes sessions. No process, program,
     * socket or signal to another. */
    SECCOMP_PROCESS = SECCOMP_KINDS
} seccomp_kind;

/* The program holds for this process, whose id is in it. The first of a kind takes about a
 * millisecond, unless the process that this one was forked from has made one. Any thread.
 * SNUG_ESYSTEM or SNUG_ENOMEM with a message. */
int seccomp_program_make(seccomp_program *out, seccomp_kind kind);
void seccomp_program_free(seccomp_program *program);

#endif
