/*
 * moment.h - the pause between two looks at what no event tells of. One that spins takes a
 * processor from what it waits for, and from other tests.
 */
#ifndef SNUG_TESTS_API_MOMENT_H
#define SNUG_TESTS_API_MOMENT_H

#include <time.h>

static inline void wait_a_moment(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

#endif
