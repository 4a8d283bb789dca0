#include "base/clock.h"

#include <assert.h>
#include <time.h>

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now;
    int failed = clock_gettime(clock, &now);
    assert(!failed);
    (void)failed;
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_thread_cpu_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t clock_deadline_ns(uint64_t now_ns, uint64_t ms)
{
    if (ms > (UINT64_MAX - now_ns) / NS_PER_MS)
        return UINT64_MAX;
    return now_ns + ms * NS_PER_MS;
}

uint64_t clock_middle_ns(uint64_t now_ns, uint64_t deadline_ns)
{
    if (deadline_ns == UINT64_MAX)
        return UINT64_MAX;
    return deadline_ns > now_ns ? now_ns + (deadline_ns - now_ns) / 2 : now_ns;
}
