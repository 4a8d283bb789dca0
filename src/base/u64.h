/*
 * u64.h - amounts and times of 64 bits: sums that do not overflow, the least and most of two.
 */
#ifndef SNUG_BASE_U64_H
#define SNUG_BASE_U64_H

#include <stdint.h>

/* At most UINT64_MAX, which stands for no limit. */
static inline uint64_t u64_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t u64_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t u64_most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
