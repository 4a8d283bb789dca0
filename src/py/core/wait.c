#include "py/core/wait.h"

#include "base/clock.h"
#include "base/thread.h"
#include "py/core/stopping.h"

/* Whoever judges the time of a cell counts this as the cell's own, and not as a wait for the GIL.
 */
static void wait_in_peace(interp *in, _Atomic uint32_t *word, uint32_t seen, uint64_t deadline_ns)
{
    uint64_t since_ns = clock_now_ns();

    atomic_store(&in->waits.since_ns, since_ns);
    futex_wait(word, seen, deadline_ns);
    atomic_fetch_add(&in->waits.all_ns, clock_now_ns() - since_ns);
    atomic_store(&in->waits.since_ns, 0);
}

uint64_t interp_own_waits_ns(const interp *in, uint64_t now_ns)
{
    uint64_t all_ns = atomic_load(&in->waits.all_ns), since_ns = atomic_load(&in->waits.since_ns);
    if (since_ns == 0 || since_ns > now_ns)
        return all_ns;
    return all_ns + (now_ns - since_ns);
}

int interp_is_waiting(const interp *in)
{
    return atomic_load(&in->waits.since_ns) != 0;
}

static int wait_for_word(interp *in, _Atomic uint32_t *word, uint32_t seen, uint64_t deadline_ns)
{
    for (;;) {
        if (interp_check_stop(in) != 0)
            return -1;
        if (atomic_load(word) != seen)
            return 1;
        if (clock_now_ns() >= deadline_ns)
            return 0;
        Py_BEGIN_ALLOW_THREADS
        wait_in_peace(in, word, seen, deadline_ns);
        Py_END_ALLOW_THREADS
    }
}

int wait_for_bell(interp *in, uint32_t seen, uint64_t deadline_ns)
{
    return wait_for_word(in, &in->bell, seen, deadline_ns);
}

/* The bell of an interpreter that has no desk yet is not rung. */
#define LOOK_NS (20 * NS_PER_MS)

int wait_for_change(interp *in, _Atomic uint32_t *word, uint32_t seen)
{
    int is_changed = 0;
    while (is_changed == 0)
        is_changed = wait_for_word(in, word, seen, clock_now_ns() + LOOK_NS);
    return is_changed > 0 ? 0 : -1;
}

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
