/*
 * counters.h - the counters of a host, by value. All zero where it would not say.
 */
#ifndef SNUG_TESTS_COUNTERS_H
#define SNUG_TESTS_COUNTERS_H

#include <snug/snug.h>

static inline snug_pool pool_of(const snug_host *host)
{
    snug_pool pool = SNUG_POOL_INIT;
    snug_host_pool(&pool, host);
    return pool;
}

static inline snug_parking parking_of(const snug_host *host)
{
    snug_parking parking = SNUG_PARKING_INIT;
    snug_host_parking(&parking, host);
    return parking;
}

static inline snug_health health_of(const snug_host *host)
{
    snug_health health = SNUG_HEALTH_INIT;
    snug_host_health(&health, host);
    return health;
}

#endif
