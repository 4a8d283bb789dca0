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
    int is_runnable; /* it runs, or would if it had a processor */
} proc;

/* What a process has had of the processors; of one with several threads, its first. */
typedef struct proc_turns {
    pid_t pid;
    int is_runnable;
    uint64_t ran;       /* grows while it runs: in nanoseconds, or else in ticks of 10 ms */
    uint64_t waited_ns; /* for a processor, up to the last time it got one; 0: it is not told */
} proc_turns;

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
/* 0, or -1: it has ended. */
int procs_read_turns(proc_turns *out, pid_t pid);
/* A child of that process that is runnable and not in before; 0: there is none. */
pid_t procs_find_runnable(const procs *p, const procs *before, pid_t parent);
/* Sends the signal to all of p that are not in before, except spared. */
void procs_signal(const procs *p, const procs *before, pid_t spared, int signal);
/* Ends all that are not in before (NULL: none is), except spared, even where they make new ones all
 * the time. 0, or -1: there are still some. */
int procs_end(const procs *before, pid_t spared);
/* Ends all of them, and the shell. */
void procs_end_all(void);

#endif
