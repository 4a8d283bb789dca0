/*
 * fixed.h - what options say of runs that are the same each time.
 */
#ifndef SNUG_BASE_FIXED_H
#define SNUG_BASE_FIXED_H

#include <stdint.h>

enum { FIXED_ZONE_BYTES = 64 };

typedef struct fixed_values {
    uint64_t clock_ms; /* at which the session's own clock begins, since 1970; 0: the machine's */
    int has_seed;
    uint64_t seed;               /* of its random numbers */
    uint64_t hash_seed;          /* of the process; 0: drawn when it began */
    char zone[FIXED_ZONE_BYTES]; /* "Europe/Madrid"; empty: that of the machine */
} fixed_values;

#endif
