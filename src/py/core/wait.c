#include "py/core/wait.h"

#include "base/clock.h"
#include "base/thread.h"
#include "py/core/stopping.h"

int wait_for_bell(interp *in, uint32_t seen, uint64_t deadline_ns)
{
    for (;;) {
        if (interp_check_stop(in) != 0)
            return -1;
        if (atomic_load(&in->bell) != seen)
            return 1;
        if (clock_now_ns() >= deadline_ns)
            return 0;
        Py_BEGIN_ALLOW_THREADS
        futex_wait(&in->bell, seen, deadline_ns);
        Py_END_ALLOW_THREADS
    }
}

/* The bell of an interpreter that has no desk yet is not rung. */
#define LOOK_NS (20 * NS_PER_MS)

int wait_for_listener(interp *in)
{
    uint32_t seen = atomic_load(&in->bell);
    while (capture_is_full(in->options.output)) {
        if (wait_for_bell(in, seen, clock_now_ns() + LOOK_NS) < 0)
            return -1;
        seen = atomic_load(&in->bell);
    }
    return 0;
}
