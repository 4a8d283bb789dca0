/*
 * signs.h - what the kernel tells of a process on this machine: whether it works, and how much.
 */
#ifndef SNUG_WORKER_SIGNS_H
#define SNUG_WORKER_SIGNS_H

#include <stdint.h>
#include <sys/types.h>

/* Processor time of all its threads; 0: not to be had. What a thread that runs has used just now,
 * the kernel does not tell before its next tick. */
uint64_t signs_cpu_ns(pid_t process);
/* Whether one of its threads runs, or would with a processor, or waits for a disk or for memory;
 * -1: nobody can say. folder is a process's "/proc/PID/task". */
int signs_any_runs(const char *folder);
int signs_is_running(pid_t process);

#endif
