/*
 * open_session.h - sessions are opened, closed and reset, and counted.
 */
#ifndef SNUG_SESSION_OPEN_SESSION_H
#define SNUG_SESSION_OPEN_SESSION_H

#include <snug/snug.h>

#include "session/life/make.h"

/* As snug_session_open. place may be NULL. */
int session_open_in(snug_session **out, snug_host *host, const snug_session_options *given,
                    const session_place *place);

/* As snug_session_close, for who has claimed the session. */
void session_close_claimed(snug_session *session);

#endif
