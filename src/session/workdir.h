/*
 * workdir.h - the work directory of a session: the caller's, or a private one,
 * TMPDIR/snug-PID-NAMESPACE-XXXXXX, which the session's end removes.
 *
 * A process that is killed leaves its private ones behind. Their names tell whose
 * they were; the next host removes them.
 */
#ifndef SNUG_SESSION_WORKDIR_H
#define SNUG_SESSION_WORKDIR_H

#include <stddef.h>

#include <snug/snug.h>

struct snug_session;

/* Sets workdir and owns_workdir; named may be NULL. */
int workdir_open(struct snug_session *session, const char *named);

/* Puts the options' mounts there, as links. SNUG_EINVAL or SNUG_ESYSTEM with a message; what
 * was put is taken away by workdir_unmount. */
int workdir_mount(struct snug_session *session, const snug_mount *mounts, size_t count);
void workdir_unmount(struct snug_session *session);

#endif
