/*
 * spin.h - whether to look for a message again and again before sleeping. On a processor of its
 * own that is the fastest wait; on the one that the other side needs, it delays what it waits for.
 * So after a spin in vain the next waits sleep at once, twice as many each time.
 */
#ifndef SNUG_BASE_SPIN_H
#define SNUG_BASE_SPIN_H

#include <stdint.h>

enum { SPIN_MOST_RESTS = 64 };

/* Of who waits; one thread at a time. Zeroed is new. */
typedef struct spin {
    unsigned failures; /* in a row */
    unsigned rests;    /* waits that are not to spin */
} spin;

/* How many processors this process may use, as it was first asked; at least 1, and on that one
 * nobody should spin. Any thread. */
int spin_processors(void);

/* Until when to look, CLOCK_MONOTONIC; 0: sleep at once. */
uint64_t spin_until_ns(spin *s, uint64_t now_ns);
/* How a spin has ended. */
void spin_ended(spin *s, int has_come);

#endif
