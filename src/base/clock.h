/*
 * clock.h - time in nanoseconds.
 */
#ifndef SNUG_BASE_CLOCK_H
#define SNUG_BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* CLOCK_MONOTONIC. */
uint64_t clock_now_ns(void);
/* Processor time of the calling thread. */
uint64_t clock_thread_cpu_ns(void);
/* now + ms, saturating: UINT64_MAX is never. */
uint64_t clock_deadline_ns(uint64_t now_ns, uint64_t ms);
/* Half way from now to the deadline: now, where it has passed; never, where there is none. */
uint64_t clock_middle_ns(uint64_t now_ns, uint64_t deadline_ns);

#endif
