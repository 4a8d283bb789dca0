/*
 * timing.h - whether one program is faster than another, from times that were taken in turn.
 */
#ifndef SNUG_AGENT_TIMING_H
#define SNUG_AGENT_TIMING_H

#include <stddef.h>

/* The number of runs of each; fewer than the least say nothing. */
enum { TIMING_RUNS = 5, TIMING_LEAST_RUNS = 3 };

/* Of count <= TIMING_RUNS numbers; 0 for none. */
double timing_median(const double *times, size_t count);
/* The median of the distances from the median: what a time is uncertain by. */
double timing_spread(const double *times, size_t count);
/* 1 if the median of `after` and both uncertainties together are within nine tenths of the
 * median of `before`. */
int timing_is_faster(const double *before, const double *after, size_t count);

#endif
