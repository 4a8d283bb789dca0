/*
 * launch.h - starts a worker's process, with a socket as its standard input and output.
 */
#ifndef SNUG_WORKER_LAUNCH_H
#define SNUG_WORKER_LAUNCH_H

#include <stddef.h>
#include <sys/types.h>

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

#endif
