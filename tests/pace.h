/*
 * pace.h - whether something took too long, on a machine that others use too. As pace.py.
 */
#ifndef SNUG_TESTS_PACE_H
#define SNUG_TESTS_PACE_H

#include <sched.h>
#include <stdlib.h>
#include <time.h>

static inline double pace_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* How many times longer than alone what computes takes here: at this moment, or in the last minute.
 */
static inline double slowness(void)
{
    enum { SLICE_MS = 50 };
    const double begun = pace_ms(CLOCK_MONOTONIC), used = pace_ms(CLOCK_THREAD_CPUTIME_ID);
    double load = 0, now;
    cpu_set_t ours;

    while (pace_ms(CLOCK_THREAD_CPUTIME_ID) - used < SLICE_MS)
        ;
    now = (pace_ms(CLOCK_MONOTONIC) - begun) / SLICE_MS;
    if (getloadavg(&load, 1) == 1 && sched_getaffinity(0, sizeof ours, &ours) == 0)
        load /= CPU_COUNT(&ours);
    return now > load ? now : load;
}

/* bound_ms is several times what it takes on a machine that is quiet. */
static inline int is_late(double took_ms, double bound_ms)
{
    return took_ms > bound_ms && took_ms > 2 * bound_ms * slowness();
}

#endif
