/*
 * inline.h - sessions without a thread: their jobs run on the thread that has opened them.
 */
#ifndef SNUG_SESSION_INLINE_H
#define SNUG_SESSION_INLINE_H

#include <snug/snug.h>

/* On that thread, in the place of a thread's start and its end. SNUG_OK, or an error with a
 * message. */
int inline_begin(snug_session *session);
void inline_end(snug_session *session);
/* Any thread: from now on the session is its, for its end. */
void inline_take_over(snug_session *session);
/* Around a job: the thread works for the session. */
void inline_enter(snug_session *session);
void inline_leave(snug_session *session);

#endif
