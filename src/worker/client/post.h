/*
 * post.h - reads for the sessions of a host for which nobody waits: one thread a host, however many
 * sessions and workers there are.
 *
 * It takes what comes from the workers of the sessions that listen and rings for these, and it
 * rings at the deadlines of their requests: whoever dispatches takes it from there.
 */
#ifndef SNUG_WORKER_POST_H
#define SNUG_WORKER_POST_H

#include <snug/snug.h>

typedef struct post post;

/* Between cells: from now on, or no longer, the host's bell is rung for the session. SNUG_OK, or an
 * error with a message. */
int post_listen(snug_session *session, int is_on);
/* Nobody listens. NULL is fine. */
void post_close(post *p);

#endif
