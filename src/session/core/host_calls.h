/*
 * host_calls.h - the calls of cells to the host.
 */
#ifndef SNUG_SESSION_HOST_CALLS_H
#define SNUG_SESSION_HOST_CALLS_H

#include <snug/snug.h>

#include "calls/desk.h"

/* On the session's thread: binds all tools of the desk in a new interpreter. */
int session_bind_all(snug_session *session);
/* On the caller's thread: makes the calls that wait; before each, all output goes on, and after
 * it the caller hears of its end. drain is called again once a call is held. */
void session_make_calls(snug_session *session, desk_line which,
                        void (*drain)(snug_session *session));
/* The same thread, before output goes on: tells the caller of the calls that are over. */
void session_tell_calls(snug_session *session);

#endif
