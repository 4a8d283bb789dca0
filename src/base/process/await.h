/*
 * await.h - a wait for one descriptor, which the signals that this process handles do not cut
 * short.
 */
#ifndef SNUG_BASE_AWAIT_H
#define SNUG_BASE_AWAIT_H

#include <stdint.h>

/* Whether there is something to read at fd within ms, or its other side is gone. */
int await_readable(int fd, uint64_t ms);

#endif
