/*
 * bell.h - which sessions and tasks of a host want to be attended, for who does not wait for one.
 *
 * Whoever has something rings: a session's sealed thread, the watchdog, a thread of the host's.
 * Whoever dispatches takes one after the other. A descriptor is readable while there are some. A
 * sealed thread cannot write to it, having a table of its own: it moves a word, and a thread of the
 * bell's, which is started with the descriptor, writes.
 */
#ifndef SNUG_SESSION_BELL_H
#define SNUG_SESSION_BELL_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct bell bell;

/* Stands in what is attended; zeroed before first use. */
typedef struct bell_item {
    struct bell_item *next; /* the bell's */
    _Atomic int has_rung;   /* it is there already */
    int is_task;            /* the owner's */
} bell_item;

/* SNUG_OK or SNUG_ENOMEM. */
int bell_open(bell **out);
/* Nothing rings any more. NULL is fine. */
void bell_close(bell *b);

/* Any thread; without a lock, so that it may be torn out of its code. */
void bell_ring(bell *b, bell_item *item);
/* The next one, or NULL. What rings from now on is there again. */
bell_item *bell_take(bell *b);
/* The item, which does not ring any more, is not there any more. */
void bell_forget(bell *b, bell_item *item);

/* The descriptor; below 0: SNUG_ESYSTEM with a message. */
int bell_fd(bell *b);
/* Waits until there is something, until until_ns (CLOCK_MONOTONIC) at the latest. */
void bell_wait(bell *b, uint64_t until_ns);
/* It is not readable any more, until somebody rings; or somebody is there already: it stays so. */
void bell_hush(bell *b);

#endif
