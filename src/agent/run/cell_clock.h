/*
 * cell_clock.h - ends a cell with its question's time.
 *
 * A cell has no more than what was left of the question's time when it began. Only where that
 * stands still, because the cell asks a model, a thread must look after it.
 */
#ifndef SNUG_AGENT_CELL_CLOCK_H
#define SNUG_AGENT_CELL_CLOCK_H

#include <pthread.h>
#include <stdint.h>

#include <snug/snug.h>

#include "base/thread.h"

/* Zeroed is none. */
typedef struct cell_clock {
    thread thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    snug_session *session;
    uint64_t deadline_ns;
    int has_thread, is_over; /* the second is guarded by lock */
} cell_clock;

/* While the cell runs; it is interrupted at that time. A second time it changes nothing. SNUG_OK,
 * or an error with a message. */
int cell_clock_begin(cell_clock *clock, snug_session *session, uint64_t deadline_ns);
/* When it has ended, whether or not it was begun. */
void cell_clock_end(cell_clock *clock);

#endif
