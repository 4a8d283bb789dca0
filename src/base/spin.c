#include "base/spin.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* Less than the kernel takes to wake a thread on another processor that has fallen asleep. */
#define SPIN_NS (60 * UINT64_C(1000))

int spin_processors(void)
{
    static _Atomic int known;
    int count = atomic_load_explicit(&known, memory_order_relaxed);
    cpu_set_t ours;

    if (count > 0)
        return count;
    count = sched_getaffinity(0, sizeof ours, &ours) ? (int)sysconf(_SC_NPROCESSORS_ONLN)
                                                     : CPU_COUNT(&ours);
    count = count > 1 ? count : 1;
    atomic_store_explicit(&known, count, memory_order_relaxed);
    return count;
}

uint64_t spin_until_ns(spin *s, uint64_t now_ns)
{
    if (s->rests == 0)
        return now_ns + SPIN_NS;
    s->rests--;
    return 0;
}

void spin_ended(spin *s, int has_come)
{
    if (has_come) {
        s->failures = 0;
        return;
    }
    s->rests = 1U << s->failures;
    if (s->rests < SPIN_MOST_RESTS)
        s->failures++;
}
