#include "agent/run/cell_clock.h"

#include "base/clock.h"
#include "base/error.h"

/* Reserved, hardly touched. */
enum { STACK_BYTES = 1024 * 1024 };

static void *watch_cell(void *arg)
{
    cell_clock *clock = arg;

    pthread_mutex_lock(&clock->lock);
    while (!clock->is_over && clock_now_ns() < clock->deadline_ns)
        cond_wait_until(&clock->change, &clock->lock, clock->deadline_ns);
    if (!clock->is_over)
        snug_session_interrupt(clock->session);
    pthread_mutex_unlock(&clock->lock);
    return NULL;
}

static void init_clock(cell_clock *clock, snug_session *session, uint64_t deadline_ns)
{
    pthread_condattr_t attributes;

    *clock = (cell_clock){ .session = session, .deadline_ns = deadline_ns };
    pthread_mutex_init(&clock->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&clock->change, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void free_clock(cell_clock *clock)
{
    pthread_cond_destroy(&clock->change);
    pthread_mutex_destroy(&clock->lock);
    *clock = (cell_clock){ 0 };
}

int cell_clock_begin(cell_clock *clock, snug_session *session, uint64_t deadline_ns)
{
    if (clock->has_thread || deadline_ns == UINT64_MAX)
        return SNUG_OK;

    init_clock(clock, session, deadline_ns);
    int error = thread_start(&clock->thread, "snug-cell-clock", STACK_BYTES, watch_cell, clock);
    if (error)
        free_clock(clock);
    else
        clock->has_thread = 1;
    return error;
}

void cell_clock_end(cell_clock *clock)
{
    if (!clock->has_thread)
        return;

    pthread_mutex_lock(&clock->lock);
    clock->is_over = 1;
    pthread_cond_signal(&clock->change);
    pthread_mutex_unlock(&clock->lock);
    thread_join(&clock->thread);
    free_clock(clock);
}
