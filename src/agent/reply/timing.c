#include "agent/reply/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_times(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double timing_median(const double *times, size_t count)
{
    double sorted[TIMING_RUNS];
    if (count == 0)
        return 0;
    memcpy(sorted, times, count * sizeof *times);
    qsort(sorted, count, sizeof *sorted, compare_times);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double timing_spread(const double *times, size_t count)
{
    double distances[TIMING_RUNS], middle = timing_median(times, count);
    for (size_t i = 0; i < count; i++)
        distances[i] = fabs(times[i] - middle);
    return timing_median(distances, count);
}

int timing_is_faster(const double *before, const double *after, size_t count)
{
    double noise = timing_spread(before, count) + timing_spread(after, count);
    return count >= TIMING_LEAST_RUNS &&
           timing_median(after, count) + noise <= 0.9 * timing_median(before, count);
}
