/*
 * queue.h - who waits for what, and whose turn it is. All with the lock.
 */
#ifndef SNUG_SUPERVISE_QUEUE_H
#define SNUG_SUPERVISE_QUEUE_H

#include "supervise/supervise.h"

/* The tenant and seat of those names, made where they are not there. SNUG_OK, SNUG_ENOMEM. */
int queue_find(seat **out, snug_supervisor *s, const char *tenant, const char *session);
/* NULL where there is none. */
seat *queue_look(const snug_supervisor *s, const char *tenant, const char *session);
/* Frees a seat, and then its tenant, that nobody needs. */
void queue_tidy(snug_supervisor *s, seat *one);
void queue_tidy_tenant(snug_supervisor *s, tenant *tenant);
/* Waits for a turn, and for the seat where needs_seat. SNUG_OK: both are the caller's. waited_ns
 * is added to. SNUG_EBUSY with a message. */
int queue_wait(snug_supervisor *s, seat *wanted, int needs_seat, uint64_t *waited_ns);
void queue_give_turn(snug_supervisor *s, tenant *tenant);
/* One more, which nobody has waited for. */
void queue_add_turn(snug_supervisor *s, tenant *tenant);
void queue_give_seat(snug_supervisor *s, seat *one);
/* Interrupts what its session does, in that way; if it has none, nothing. Releases the lock
 * meanwhile. */
void queue_interrupt(snug_supervisor *s, seat *one, void (*interrupt)(snug_session *session));
/* Refuses those whose time is over, or all. */
void queue_expire(snug_supervisor *s, uint64_t now_ns);
void queue_refuse_all(snug_supervisor *s);

#endif
