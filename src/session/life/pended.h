/*
 * pended.h - cells that are started while their session's thread is away, in a call that was
 * answered without it.
 *
 * Who starts a task does not wait: a clerk does, until the thread is back or for the host's
 * patience. Behind a cancel it is back in a moment.
 */
#ifndef SNUG_SESSION_PENDED_H
#define SNUG_SESSION_PENDED_H

#include "session/life/task.h"

int pended_is_needed(const snug_session *session);
/* Of a task that the caller holds: a clerk starts it. SNUG_OK, or an error with a message, and none
 * does. */
int pended_take(snug_task *task, const char *source, size_t len, const snug_limits *limits);
/* The clerk's: SNUG_OK, and it is on its way; SNUG_EAGAIN: it has to be asked again, behind what
 * else waits for a clerk; or an error with a message. */
int pended_start(snug_task *task);
/* Of one that will not be started. */
void pended_end(snug_task *task);

#endif
