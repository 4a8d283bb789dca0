/*
 * floats.h - the floating-point environment that Python computes in: rounding to nearest, no traps,
 * whatever the host program has set on the thread, or on the one that started it.
 */
#ifndef SNUG_BASE_FLOATS_H
#define SNUG_BASE_FLOATS_H

#include <fenv.h>

typedef struct floats {
    int is_other; /* the whole was other than the default, and is in kept */
    fenv_t kept;
    unsigned int control, flags, mxcsr; /* of x86 */
} floats;

/* For a thread that goes on with other things: floats_end makes all as it was, flags of
 * exceptions too. */
void floats_begin(floats *before);
void floats_end(const floats *before);
/* For a thread of our own. */
void floats_reset(void);

#endif
