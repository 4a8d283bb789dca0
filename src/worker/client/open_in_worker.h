/*
 * open_in_worker.h - opens a session in a worker: for the first time, and again in another one
 * when its worker has ended.
 */
#ifndef SNUG_WORKER_OPEN_IN_WORKER_H
#define SNUG_WORKER_OPEN_IN_WORKER_H

#include "session/core/session.h"
#include "worker/client/client.h"

/* The row .open of session_form. SNUG_OK, or an error with a message: the caller ends the session
 * then too. */
int remote_open_session(snug_session *session, const snug_session_options *options);
/* Opens a session that has no worker in one that lives, as its options said. SNUG_OK, or an error
 * with a message. */
int remote_open_in_worker(snug_session *session);
/* The session lets go of its worker, if it has one, without a word to it. */
void remote_disconnect(snug_session *session);
/* Whether its worker lives and has the session. */
int remote_is_connected(const remote *r);
/* Whether its worker is on this machine and sees the same files: no command of the caller's. */
int remote_is_here(const snug_session *session);
/* Adds what the session may take to the bounds of its worker. */
void remote_allow(const snug_session *session);
/* So much more, while it is saved or restored: then it is there several times, as values, pickles
 * and messages. bytes: of the file. Answers the worker's link, for remote_disallow_copies. */
worker_link *remote_allow_copies(const snug_session *session, bounds_share *out, size_t bytes);
void remote_disallow_copies(const snug_session *session, const worker_link *link,
                            const bounds_share *share);

#endif
