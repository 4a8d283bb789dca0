/*
 * shell_bounds.h - whether what a session has, all its processes and files together, is over its
 * limits.
 *
 * Looked at by the thread of a cell while one runs, and by the watch between cells.
 */
#ifndef SNUG_BASH_SHELL_BOUNDS_H
#define SNUG_BASH_SHELL_BOUNDS_H

#include <stdint.h>

struct snug_session;

typedef enum bash_reason {
    BASH_RUNS,
    BASH_TIME,
    BASH_CPU,
    BASH_SESSION_CPU,
    BASH_MEMORY,
    BASH_PROCESS_COUNT,
    BASH_DISK,
    BASH_INTERRUPT
} bash_reason;

/* Of its processes and threads, and of memory. The processes are in the session's procs now, then,
 * and *bytes is about what they have. BASH_RUNS where all is within, or nothing can be seen. */
bash_reason bounds_look(struct snug_session *session, uint64_t *bytes);
/* Of its files, those of the processes that were looked at last among them. */
bash_reason bounds_look_at_files(struct snug_session *session);
/* Ends all processes but the shell; that too where it is over the limit of memory alone. */
void bounds_end(struct snug_session *session, bash_reason reason);
/* The processes and threads that it may have. */
uint64_t bounds_of_processes(const struct snug_session *session);

#endif
