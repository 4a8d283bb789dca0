/*
 * acquire.h - how a call comes by its session.
 */
#ifndef SNUG_SUPERVISE_ACQUIRE_H
#define SNUG_SUPERVISE_ACQUIRE_H

#include "supervise/supervise.h"

/* The session of the lease's seat is there, and the arrival says how. Without the lock, with seat
 * and turn. */
int acquire(snug_lease *lease, const snug_session_options *options);
void arrival_free(arrival *arrival);

#endif
