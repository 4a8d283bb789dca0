/*
 * fixed.h - a session's own clock and random numbers, in place of the machine's.
 *
 * Of a session whose options ask for them. The clock begins where they say. It stands while code
 * computes, goes on by a microsecond with each reading, so that a loop until a time ends, and by
 * the whole of what time.sleep and its like have waited. The numbers are a stream of the seed.
 *
 * The caller holds the GIL of the interpreter.
 */
#ifndef SNUG_PY_FIXED_H
#define SNUG_PY_FIXED_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct interp;

typedef struct fixed_state {
    int has_begun;
    uint64_t elapsed_ns; /* since the clock began */
    uint64_t drawn;      /* how far the stream is */
} fixed_state;

/* Once for a session, when its options are known. */
void fixed_begin(struct interp *in);
void fixed_end(const struct interp *in);

/* The calling thread's interpreter, where it has a clock, or a seed, of its own; else NULL. */
struct interp *fixed_clock_here(void);
struct interp *fixed_seed_here(void);

/* A reading: nanoseconds since the clock began. */
uint64_t fixed_elapsed_ns(struct interp *in);
/* The same, and it does not go on: for what the machine's time makes read it more or less often. */
uint64_t fixed_standing_ns(const struct interp *in);
/* The first again, since 1970. */
uint64_t fixed_now_ns(struct interp *in);
/* A wait is over that was to take that long; UINT64_MAX: for ever. Nothing where the calling
 * thread has the machine's clock. */
void fixed_advance(uint64_t ns);

/* The next len bytes of the stream. */
void fixed_draw(struct interp *in, void *out, size_t len);
/* A number of the seed's own, beside the stream: the same for the same purpose. */
uint64_t fixed_number(const struct interp *in, uint64_t purpose);

/* Addresses of objects, as reprs have them (" at 0x7f3c5d0e"), become "0x...": numbers in order of
 * appearance would tell whether the memory of one object was given to the next, which is chance.
 * 1: out has the text with that done; 0: there are none, or the session has no seed, and out is
 * untouched; -1: no memory. */
int fixed_rewrite(str *out, const struct interp *in, const char *text, size_t len);
/* In place. SNUG_OK or SNUG_ENOMEM. */
int fixed_settle(const struct interp *in, str *text);

#endif
