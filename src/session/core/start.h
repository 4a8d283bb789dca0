/*
 * start.h - a session's thread and its interpreter: made, given to the session, sealed, ended.
 */
#ifndef SNUG_SESSION_START_H
#define SNUG_SESSION_START_H

#include <snug/snug.h>

/* Both, ready for cells. SNUG_OK, or an error with a message. */
int session_start(snug_session *session);
/* Where the thread does not come back for it, it stays: session->thread.exists. */
void session_end(snug_session *session);
/* Of one whose thread was left, when it was ended, and may be back now: lets the thread do it
 * alone. */
void session_end_behind(snug_session *session);

/* An interpreter on its thread that is not a session's yet; and what makes it one, or, for one that
 * has its filters already, gives it input(). */
int session_start_half(snug_session *session);
int session_give(snug_session *session);
int session_give_input(snug_session *session);

/* A job, on the new thread of a parked session: its folder and filters, and the interpreter. */
int session_move_in(snug_session *session, void *unused);

#endif
