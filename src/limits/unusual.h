/*
 * unusual.h - whether allocators have to look twice.
 *
 * There are seldom large blocks that are known of (large.h), or a room that is kept (room.h). So
 * both are counted together: an allocator asks once, and most often goes on at once.
 */
#ifndef SNUG_LIMITS_UNUSUAL_H
#define SNUG_LIMITS_UNUSUAL_H

#include <stdatomic.h>

/* Of all threads. */
extern _Atomic int unusual_count;

#define UNUSUAL_IS_ANY() \
    __builtin_expect(atomic_load_explicit(&unusual_count, memory_order_relaxed) > 0, 0)

#endif
