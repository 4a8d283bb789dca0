/*
 * silence.h - how long nothing was heard of a worker, and whether that is too long.
 *
 * What counts is how long somebody listened: a look that took longer says that this process had no
 * processor itself, or stood still with the machine. A worker that wants a processor and gets next
 * to none is not gone, and has SILENCE_PATIENCE times as long. Pure: times are given.
 */
#ifndef SNUG_WORKER_SILENCE_H
#define SNUG_WORKER_SILENCE_H

#include <stdint.h>
#include <sys/types.h>

enum { SILENCE_PATIENCE = 8 };

typedef enum silence_state {
    SILENCE_SHORT,
    SILENCE_ASK,     /* now it is to be asked whether it is there */
    SILENCE_STARVED, /* it was asked and had its time, but no processor; gone unless it wants one */
    SILENCE_GONE
} silence_state;

/* The first two are given, the others begin as zero. */
typedef struct silence {
    uint64_t look_ns; /* how long a look takes, and how far apart the questions are */
    uint64_t most_ns; /* how long nothing may be heard of it */
    uint64_t looked_ns, asked_ns;
    uint64_t listened_ns; /* since something was heard */
    uint64_t cpu_ns;      /* the worker's processor time when it was asked first */
} silence;

/* After a look in vain. heard_ns: when something was heard last, or listening began. cpu_ns: the
 * processor time of the worker up to now, 0: not to be had. */
silence_state silence_look(silence *s, uint64_t now_ns, uint64_t heard_ns, uint64_t cpu_ns);

/* What the kernel tells of a process on this machine: whether it works, and how much. */

/* Processor time of all its threads; 0: not to be had. What a thread that runs has used just now,
 * the kernel does not tell before its next tick. */
uint64_t signs_cpu_ns(pid_t process);
/* Whether one of its threads runs, or would with a processor, or waits for a disk or for memory;
 * -1: nobody can say. folder is a process's "/proc/PID/task". */
int signs_any_runs(const char *folder);
int signs_is_running(pid_t process);

#endif
