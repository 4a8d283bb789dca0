/*
 * procs.h - the processes of a session, as /proc of its own process namespace tells them.
 *
 * The worker is the first of them: the others cannot end it, and it takes in orphans. Looked at
 * while a cell runs, and never trusted: what a cell's processes do between two looks is not seen.
 */
#ifndef SNUG_BASH_PROCS_H
#define SNUG_BASH_PROCS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct proc {
    pid_t pid, parent;
    pid_t thread;     /* of it, which lives: where /proc tells what it has */
    uint64_t started; /* with pid it is one process, and no later one */
    uint64_t threads;
    uint64_t bytes;  /* resident */
    uint64_t mapped; /* or only addresses */
    int is_ending;   /* the thread is on its way out: /proc tells nothing of it any more */
} proc;

enum { PROCS_MOST = 4096 };

/* The worker's id in a process namespace of its own. Nowhere else has a worker that id. */
enum { PROCS_WORKER = 1 };

typedef struct procs {
    proc *items; /* but for the worker */
    size_t count, cap;
    uint64_t threads, bytes;
    uint64_t cpu_ns; /* of all that there are, with those that they have waited for */
} procs;

/* What there is now. Orphans that have ended are taken off the kernel's table; not the shell, whose
 * end is reported elsewhere. 0, or -1 where memory ran out or /proc is not there. */
int procs_look(procs *p, pid_t shell);
void procs_free(procs *p);
/* A thread of that process that has not ended, if possible one that is not on its way out; 0: all
 * have ended. */
pid_t procs_thread(pid_t pid);
/* It is on its way out, or has ended. */
int procs_is_ending(pid_t thread);
/* Sends the signal to all of p that are not in before, except spared. */
void procs_signal(const procs *p, const procs *before, pid_t spared, int signal);
/* Ends all that are not in before (NULL: none is), except spared, even where they make new ones all
 * the time. 0, or -1: there are still some. */
int procs_end(const procs *before, pid_t spared);
/* Ends all of them, and the shell. */
void procs_end_all(void);

#endif
