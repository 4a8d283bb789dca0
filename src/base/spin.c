#include "base/spin.h"

/* Less than the kernel takes to wake a thread on another processor that has fallen asleep. */
#define SPIN_NS (60 * UINT64_C(1000))

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
