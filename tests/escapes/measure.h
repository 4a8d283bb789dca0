/*
 * measure.h - the clock, and what this process uses.
 */
#ifndef ESCAPES_MEASURE_H
#define ESCAPES_MEASURE_H

#include <stddef.h>
#include <stdint.h>

enum { NS_PER_MS = 1000000 };

uint64_t measure_now_ns(void);
void measure_sleep_ns(uint64_t ns);
/* Processor time of the calling thread. */
uint64_t measure_cpu_ns(void);

uint64_t measure_rss_kib(void);
unsigned measure_descriptors(void);
unsigned measure_threads(void);
/* The children of this process, of all its threads, zombies too; answers how many. */
size_t measure_children(int *pids, size_t most);
/* The workers of the hosts of this process: what its zygotes have forked. */
size_t measure_workers(int *pids, size_t most);

#endif
