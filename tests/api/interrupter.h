/* A thread that interrupts a session until its cell has ended: an interrupt that comes before the
 * cell has begun is lost. */
#ifndef SNUG_TESTS_API_INTERRUPTER_H
#define SNUG_TESTS_API_INTERRUPTER_H

#include <pthread.h>
#include <stdatomic.h>

#include <snug/snug.h>

typedef struct interrupter {
    snug_session *session;
    _Atomic int has_ended;
    pthread_t thread;
} interrupter;

static void *interrupt_until_it_ends(void *payload)
{
    interrupter *i = payload;
    while (!i->has_ended)
        snug_session_interrupt(i->session);
    return NULL;
}

static inline void interrupter_start(interrupter *i, snug_session *session)
{
    *i = (interrupter){ .session = session };
    assert_int_equal(pthread_create(&i->thread, NULL, interrupt_until_it_ends, i), 0);
}

static inline void interrupter_end(interrupter *i)
{
    i->has_ended = 1;
    pthread_join(i->thread, NULL);
}

#endif
