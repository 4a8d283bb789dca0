/*
 * worker_bounds.h - how much memory and how many threads a worker may have, whatever runs in it.
 *
 * By a group of the kernel's (base/cgroup.h), which ends a worker at its bound. Where there is none
 * to be had a thread of this process looks at each worker, between its requests too, and ends one
 * that is found over it: what grows between two looks is not bounded. The limits of sessions come
 * before, and cost no session: this is for what they do not count. Of one worker's bounds, one
 * function is called at a time.
 */
#ifndef SNUG_WORKER_WORKER_BOUNDS_H
#define SNUG_WORKER_WORKER_BOUNDS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

typedef struct bounds bounds;

/* For a worker that is about to be started on this machine. NULL: no memory, and in a build with a
 * sanitizer. */
bounds *bounds_open(void);
/* For the worker, which enters it (cgroup_enter) before anything else; "" where there is none. */
const char *bounds_place(const bounds *b);
/* It is that process, and has now what a session has not taken. pidfd: of it, or -1 for a child of
 * ours. */
void bounds_begin(bounds *b, pid_t process, int pidfd);

/* What a session may take. memory_bytes SNUG_UNLIMITED: memory is not bounded while it is there. */
typedef struct bounds_share {
    uint64_t memory_bytes, threads;
    uint64_t file_bytes; /* of a folder in memory, which only a group counts */
} bounds_share;

/* It is added, or taken away again, and is the same then. NULL is fine. */
void bounds_add(bounds *b, const bounds_share *share);
void bounds_remove(bounds *b, const bounds_share *share);
/* It was ended for its memory. NULL is fine. */
int bounds_were_passed(bounds *b);
/* Of a worker that has been waited for. NULL is fine. */
void bounds_close(bounds *b);
/* A line for the report; NULL is fine. SNUG_OK or SNUG_ENOMEM. */
int bounds_tell(const bounds *b, str *out);

#endif
