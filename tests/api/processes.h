/* The processes that a test's host has started, as the kernel lists them. */
#ifndef SNUG_TESTS_API_PROCESSES_H
#define SNUG_TESTS_API_PROCESSES_H

#include <sched.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Of a process with one thread, oldest first. */
static inline size_t children(pid_t parent, pid_t *pids, size_t most)
{
    char path[64];
    size_t count = 0;
    long pid;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
    FILE *file = fopen(path, "re");
    while (file && count < most && fscanf(file, "%ld", &pid) == 1)
        pids[count++] = (pid_t)pid;
    if (file)
        fclose(file);
    return count;
}

/* The same once there are so many: one that was killed goes when the machine has time for it. */
static inline size_t await_children(pid_t parent, pid_t *pids, size_t most, size_t wanted)
{
    enum { BOUND_CHILDREN_S = 600 };
    time_t end = time(NULL) + BOUND_CHILDREN_S;
    size_t count;

    while ((count = children(parent, pids, most)) != wanted && time(NULL) < end)
        sched_yield();
    return count;
}

#endif
