/*
 * patience.h - how long a job waits for what others hold.
 *
 * On 3.11 a cell may wait for a neighbour that keeps the GIL: for the host's patience in all a job
 * waits for that, beyond its limits, before its caller is answered.
 */
#ifndef SNUG_SESSION_PATIENCE_H
#define SNUG_SESSION_PATIENCE_H

#include <stdint.h>

#include <snug/snug.h>

uint64_t patience_ns(const snug_session *session);

/* How much of the job's time its thread has neither run nor waited by itself: on 3.11 it wanted the
 * GIL. What looks like that for a moment is the machine's. The threads of a cell wait for each
 * other, too. */
uint64_t patience_wanting_ns(const snug_session *session, uint64_t now_ns);
/* Whether all that the thread does now is to want the GIL, which another session has. */
int patience_wants_gil(const snug_session *session);
/* Whether the thread has wanted the GIL for so long, of a session that does not let go of it. */
int patience_is_used_up(snug_session *session, uint64_t now_ns);
/* When to see again whether the GIL has moved on. */
uint64_t patience_next_look_ns(const snug_session *session, uint64_t now_ns);
#define PATIENCE_FOR_GIL "for the GIL, which another session holds"
/* Of a session with a thread of its own: its caller is answered, with what the job waits for, and
 * the thread goes on. */
void patience_leave(snug_session *session, const char *awaited);

#endif
