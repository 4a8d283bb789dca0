/*
 * retry.h - whether a request is sent once more, and when. Pure: no clock, no network.
 */
#ifndef SNUG_AGENT_RETRY_H
#define SNUG_AGENT_RETRY_H

#include <stdint.h>

typedef struct retry_rule {
    unsigned retries;
    uint64_t backoff_ms, longest_wait_ms;
} retry_rule;

/* Whether a status may be another the next time: 408, 409, 425, 429 and those of the server. */
int retry_helps(int status);

/* A sequence of numbers that look random; state is its seed. */
uint64_t retry_random(uint64_t *state);

/* How long to wait after the attempt (from 0): any time up to backoff_ms, doubled by each attempt,
 * so that clients that failed together do not come back together. Never over longest_wait_ms. */
uint64_t retry_backoff_ms(const retry_rule *rule, unsigned attempt, uint64_t random);

/* What the headers "retry-after-ms" and "retry-after" (seconds, or a date of HTTP) ask for; each
 * may be NULL or empty. now: seconds of the epoch. 1 and the time in *out, or 0: they say
 * nothing that can be read. A date that is past is 0 ms. */
int retry_after_ms(uint64_t *out, const char *in_ms, const char *after, int64_t now);

#endif
