/*
 * evict.h - sessions are saved, put away, and room is made for others. Without the lock.
 */
#ifndef SNUG_SUPERVISE_EVICT_H
#define SNUG_SUPERVISE_EVICT_H

#include "supervise/supervise.h"

/* Saves it, with the seat held; an error is an event too. */
int evict_save(snug_supervisor *s, seat *one);
/* Whether something is lost where its worker dies: it is not as it was saved. With the seat held.
 */
int evict_loses(const seat *one);
/* Closes it, with the seat held. */
void evict_close(snug_supervisor *s, seat *one);
/* There is room for one more session of the tenant, and it is counted as open. SNUG_EBUSY. */
int evict_make_room(snug_supervisor *s, tenant *tenant);
/* Takes that back. */
void evict_return_room(snug_supervisor *s, tenant *tenant);
/* All that is due. */
void supervisor_sweep(snug_supervisor *s);
/* A session is. With the lock. */
int evict_has_due(const snug_supervisor *s, uint64_t since_ns);
int evict_start(snug_supervisor *s);
void evict_stop(snug_supervisor *s);

#endif
