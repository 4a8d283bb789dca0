/*
 * measure.h - what the benchmark programs share: samples of times, and what
 * /proc says of this process.
 */
#ifndef SNUG_BENCHMARKS_MEASURE_H
#define SNUG_BENCHMARKS_MEASURE_H

#include <stddef.h>
#include <stdint.h>

typedef struct samples {
    uint64_t *items;
    size_t count, cap;
} samples;

uint64_t now_ns(void);
/* Ends the program when memory is short, as everything here does that fails. */
void samples_add(samples *s, uint64_t ns);
/* The value below which that part (0 to 1) of the samples lie; sorts them. */
uint64_t samples_quantile(samples *s, double part);
void samples_free(samples *s);

/* The memory of this process in KiB: what is in RAM, and that with shared pages
 * divided by their users (proportional set size). */
long rss_kib(void);
long pss_kib(void);
/* How many entries /proc/self/fd or /proc/self/task has. */
int count_descriptors(void);
int count_threads(void);

/* Says what is wrong, after the program's name, and exits with status 1. */
__attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...);

#endif
