#include "base/process/await.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>

#include "base/clock.h"
#include "base/u64.h"

/* Rounded up, so that the deadline has passed when poll comes back. */
static int ms_until(uint64_t deadline_ns)
{
    uint64_t now_ns = clock_now_ns();

    if (now_ns >= deadline_ns)
        return 0;
    return (int)u64_least((deadline_ns - now_ns - 1) / NS_PER_MS + 1, INT_MAX);
}

int await_readable(int fd, uint64_t ms)
{
    const uint64_t deadline_ns = clock_deadline_ns(clock_now_ns(), ms);
    struct pollfd stream = { .fd = fd, .events = POLLIN };
    int count;

    do
        count = poll(&stream, 1, ms_until(deadline_ns));
    while (count < 0 && errno == EINTR);

    return count > 0;
}
