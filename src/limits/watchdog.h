/*
 * watchdog.h - calls back when a deadline passes. One thread serves every
 * session.
 *
 * Arming and disarming take one short lock and, as long as deadlines come in
 * growing order, wake nobody: the thread sleeps to the earliest deadline it has
 * seen and finds out there that the item is gone.
 */
#ifndef SNUG_LIMITS_WATCHDOG_H
#define SNUG_LIMITS_WATCHDOG_H

#include <stdint.h>

typedef struct watchdog watchdog;

/* One thing with a deadline; zeroed before first use, it belongs to its owner. */
typedef struct watch {
    struct watch *previous, *next; /* the watchdog's */
    uint64_t deadline_ns;          /* the watchdog's */
    /* Called when the deadline has passed, on the watchdog's thread, under its
     * lock: must be short and must not arm or disarm. Answers the next deadline,
     * or UINT64_MAX for no more. */
    uint64_t (*on_deadline)(struct watch *watch, uint64_t now_ns);
} watch;

int watchdog_open(watchdog **out);
void watchdog_close(watchdog *w); /* nothing may be armed */

/* deadline_ns UINT64_MAX: armed without a deadline, so that watchdog_strike
 * reaches it. An item that is armed gets the new deadline. */
void watchdog_arm(watchdog *w, watch *item, uint64_t deadline_ns);
/* When it has returned, on_deadline is not running and will not be called. An item
 * that is not armed stays so. */
void watchdog_disarm(watchdog *w, watch *item);
/* Runs strike(item, arg) under the lock, as on_deadline is, if the item is armed;
 * its answer is the item's new deadline. Answers whether it was armed. Any thread. */
int watchdog_strike(watchdog *w, watch *item, uint64_t (*strike)(watch *item, void *arg),
                    void *arg);

/* One round at time now_ns: calls what is due, answers when to come again. The
 * thread's loop is made of this, and so are the tests, without a thread. */
uint64_t watchdog_round(watchdog *w, uint64_t now_ns);
/* As watchdog_open, without the thread. */
int watchdog_open_manual(watchdog **out);

#endif
