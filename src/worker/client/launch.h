/*
 * launch.h - starts a worker's process, with a socket as its standard input and output.
 */
#ifndef SNUG_WORKER_LAUNCH_H
#define SNUG_WORKER_LAUNCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fixed.h"
#include "base/str.h"

typedef struct worker_process {
    pid_t pid;
    int fd;     /* the stream */
    int errors; /* what it writes to its stderr; it never waits for us to read that. -1: nobody
                   reads */
    int pidfd;  /* of one that a zygote has forked, which is not a child of ours */
    struct zygote *zygote; /* that one; NULL: it is our child */
    struct bounds *bounds; /* NULL: of its own machine, or of its own making */
    int ran_out;           /* once it has ended: it was over them */
} worker_process;

struct zygote_wish;

/* The program snug-worker at that path, with the zone as its TZ unless it is empty; or a command
 * for sh that brings one, in our environment.
 * SNUG_ESYSTEM, also of those below, or SNUG_ENOMEM, with a message. */
int launch_worker(worker_process *out, const char *path, const char *zone);
int launch_command(worker_process *out, const char *command);
/* A zygote: fd is its control. */
int launch_zygote(worker_process *out, const struct zygote_wish *wish);
/* The program snug-worker, where no other is named: out has PATH_MAX bytes. SNUG_ENOTFOUND. */
int launch_find(char *out, size_t size);
/* Any program, by arguments[0], with that environment. */
int launch_program(worker_process *out, const char *const *arguments,
                   const char *const *environment);
/* The file of libsnug; NULL where this code is in a program. */
const char *launch_library(void);
/* Kills one that is not a child of ours; a child ends with its stream. launch_end comes after.
 */
void launch_kill(const worker_process *process);
/* Kills and reaps it, and closes what is open. Adds how it ended: "was killed by signal 9
 * (Killed)", where out is not NULL; it may end by itself then. words, not NULL: the last line that
 * it has written to stderr. */
void launch_end(worker_process *process, str *out, str *words);

/* A process that has started Python, imported what is wanted, and forks a worker
 * each time that it is asked. One for each set of what it has; hosts of this process share it. */

/* What the workers have before they are asked anything. */
typedef struct zygote_wish {
    const char *path; /* of snug-worker */
    const char *python_home;
    const fixed_values *fixed; /* zone and hash_seed */
    int is_full;
    const char *packages;       /* folder; NULL: the system's */
    const char *const *preload; /* names; NULL: none */
} zygote_wish;

/* Who waits for its start may not want to any more. */
typedef struct zygote_patience {
    int (*is_stopped)(void *payload); /* asked some times a second; NULL: nobody asks */
    void *payload;
} zygote_patience;

typedef struct zygote zygote;

/* One that has it, which the caller holds: started where there is none, and waited for where
 * another thread starts it. SNUG_ESYSTEM, SNUG_EPYTHON, SNUG_ENOTFOUND, SNUG_ESTOPPED or
 * SNUG_ENOMEM with a message. */
int zygote_hold(zygote **out, const zygote_wish *wish, const zygote_patience *patience);
/* It is held once more. */
void zygote_keep(zygote *z);
/* The last one to let go ends it; its workers live on. NULL is fine. */
void zygote_drop(zygote *z);
/* A worker. Holds the zygote until launch_end. SNUG_ESYSTEM with a message: it is dead. */
int zygote_fork(worker_process *out, zygote *z);
/* How a worker ended that is ending now; -1: nobody knows. */
int zygote_status(zygote *z, pid_t pid);

/* How much memory and how many threads a worker may have, whatever runs in it.
 *
 * By a group of the kernel's (base/cgroup.h), which ends a worker at its bound. Where there is none
 * to be had a thread of this process looks at each worker, between its requests too, and ends one
 * that is found over it: what grows between two looks is not bounded. The limits of sessions come
 * before, and cost no session: this is for what they do not count. Of one worker's bounds, one
 * function is called at a time. */

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
