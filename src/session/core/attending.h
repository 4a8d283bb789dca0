/*
 * attending.h - the caller's thread while it attends to a cell, and makes the host's callbacks.
 *
 * A callback that is left by an exception or a longjmp takes the frames of snug that have called it
 * along, and nobody attends to the cell any more. That is noticed by the next call of the session
 * from the same thread, if both were on the stack that the thread was started with.
 */
#ifndef SNUG_SESSION_ATTENDING_H
#define SNUG_SESSION_ATTENDING_H

#include <stdatomic.h>
#include <stdint.h>

#include <snug/snug.h>

/* Where callbacks are made for a session, or on_done for a task. */
typedef struct calling_place {
    _Atomic(uintptr_t) frame;  /* an attendance; 0: none are made */
    _Atomic(uintptr_t) thread; /* its pthread_t */
} calling_place;

/* In that frame. One that is gone has something else there, sooner or later. */
typedef struct attendance {
    const void *volatile whose;
    volatile uint64_t mark;
} attendance;

/* Said of every function that has an attendance: AddressSanitizer puts variables of others on
 * stacks of its own, where their place says nothing about who has called whom. */
#define ON_OWN_STACK __attribute__((no_sanitize_address))

void attendance_begin(attendance *here, calling_place *place, const void *whose);
void attendance_end(attendance *here, calling_place *place);
/* Whether it was this thread that began, in a frame that is gone. */
int calling_is_left(const calling_place *place, const void *whose);

/* Of a session. */
typedef struct session_attending {
    calling_place place;
    int is_deaf; /* no callback is made any more for the cell that runs */
} session_attending;

/* As attend and finish of the session's form. */
int session_attend(snug_session *session, uint64_t until_ns);
int session_finish(snug_result **out, snug_session *session);

/* Whether this thread has attended to the session's cell in a frame that is gone. */
int attending_is_left(const snug_session *session);
/* Then: the cell is stopped, and what else it asks of the host is not answered. */
void attending_take_over(snug_session *session);
/* The same until its end, with nobody to take its result. */
void attending_end_cell(snug_session *session);

#endif
