/*
 * procs.h - the processes of a session, as /proc of its own process namespace tells them.
 *
 * The worker is among them; the first one is bubblewrap's and takes in orphans. Looked at while a
 * cell runs, and never trusted: what a cell's processes do between two looks is not seen.
 */
#ifndef SNUG_BASH_PROCS_H
#define SNUG_BASH_PROCS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct proc {
    pid_t pid;
    uint64_t started; /* with pid it is one process, and no later one */
    uint64_t threads;
    uint64_t bytes; /* resident */
} proc;

enum { PROCS_MOST = 4096 };

/* The worker's id in a process namespace of its own, where bubblewrap has the first one. Nowhere
 * else has a program that id: kthreadd has. */
enum { PROCS_WORKER = 2 };

typedef struct procs {
    proc *items; /* but for the first process and the worker */
    size_t count, cap;
    uint64_t threads, bytes;
    uint64_t cpu_ns; /* of all that there are, with those that they have waited for */
} procs;

/* What there is now. 0, or -1 where memory ran out or /proc is not there. */
int procs_look(procs *p);
void procs_free(procs *p);
/* Sends the signal to all of p that are not in before, and not that one. */
void procs_signal(const procs *p, const procs *before, pid_t spared, int signal);
/* How much of their memory is theirs, where several share pages. */
uint64_t procs_own_bytes(const procs *p);
/* Ends all that are not in before and not that one, also where they make new ones all the time.
 * 0, or -1: there are still some. */
int procs_end(const procs *before, pid_t spared);
/* Ends all of them, and the shell. */
void procs_end_all(void);

#endif
