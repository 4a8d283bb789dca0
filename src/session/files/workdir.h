/*
 * workdir.h - the work directory of a session: the caller's, or a private one,
 * TMPDIR/snug-RANDOM/session-XXXXXX, which the session's end removes.
 *
 * snug-RANDOM is the host's, made in the TMPDIR of the time of its first private work directory,
 * and locked by flock while the process lives. One that a killed process left behind is not
 * locked: the next host removes it.
 */
#ifndef SNUG_SESSION_WORKDIR_H
#define SNUG_SESSION_WORKDIR_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

struct snug_session;

/* Sets workdir and owns_workdir; named may be NULL. */
int workdir_open(struct snug_session *session, const char *named);

/* Makes the host's folder, where it has none yet, or somebody has removed it. *number, unless NULL,
 * is another one for each folder. */
int workdir_open_host(snug_host *host, uint64_t *number);
/* Takes a folder of somebody else's for it, who removes it. */
int workdir_borrow(snug_host *host, const char *path);
/* Takes the host's folder away, if one was made; its sessions are closed. */
void workdir_close_host(snug_host *host);

/* Puts the options' mounts there, as links. SNUG_EINVAL or SNUG_ESYSTEM with a message; what
 * was put is taken away by workdir_unmount. */
int workdir_mount(struct snug_session *session, const snug_mount *mounts, size_t count);
void workdir_unmount(struct snug_session *session);

/* To a session that will stand for it: the same paths. SNUG_OK or SNUG_ENOMEM, with a message. */
int workdir_lend(struct snug_session *to, const struct snug_session *from);
/* It does: what there is goes with it, and the one before takes nothing away at its end. */
void workdir_hand_on(struct snug_session *to, struct snug_session *from);

#endif
