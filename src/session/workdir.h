/*
 * workdir.h - the work directory of a session: the caller's, or a private one,
 * TMPDIR/snug-PID-NAMESPACE-XXXXXX, which the session's end removes.
 *
 * A process that is killed leaves its private ones behind. Their names tell whose
 * they were; the next host removes them.
 */
#ifndef SNUG_SESSION_WORKDIR_H
#define SNUG_SESSION_WORKDIR_H

struct snug_session;

/* Sets workdir and owns_workdir; named may be NULL. */
int workdir_open(struct snug_session *session, const char *named);

#endif
