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

#include "py/queries/save_namespace.h"
#include "session/core/session.h"
#include "wire/pack.h"
#include "wire/savefile.h"

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

/* The work directory as the host sees it: parts of local_form, and what they
 * answer as bytes.
 *
 * What is unpacked is checked as packed.h says. */

int local_put(snug_session *session, const char *path, const void *data, size_t len);
int local_get(snug_file **out, snug_session *session, const char *path, size_t most);
int local_remove(snug_session *session, const char *path);

void file_pack(packer *p, const snug_file *file);
int file_unpack(snug_file **out, unpacker *u, const char *path);

/* A descriptor of the work directory, O_PATH; -1 where it is not there any more, with errno. */
int files_open_root(const snug_session *session);
/* The media type of a file in an open folder. */
const char *files_mime(int folder, const char *name);

/* Which files of the work directory a cell has made or changed.
 *
 * By comparing the directory with what it was at the last look. It is looked at only where
 * something there may have changed (limits/disk.h knows), so other cells pay nothing. Sizes, inodes
 * and the times of change, which no cell can set, are compared. All of it on the caller's
 * thread, also where the session's is lost. */

struct snug_session;

/* Before a cell: what was changed since the last one is not its. */
void artifacts_begin(struct snug_session *session);
/* After it; the spill files of the result are known. SNUG_OK, or SNUG_ENOMEM with its message. */
int artifacts_take(snug_result *result, struct snug_session *session);

/* What there is in a work directory: a part of local_form, and its answer as bytes.
 *
 * What is unpacked is checked as packed.h says. */

int local_list(snug_listing **out, snug_session *session);

void listing_pack(packer *p, const snug_listing *listing);
int listing_unpack(snug_listing **out, unpacker *u);

/* A path as text, malloc'ed: what is not UTF-8 is U+FFFD. NULL without memory. */
char *files_text(const char *path);

/* The files of a work directory, into a saved session and out of it.
 *
 * On the caller's thread, while no cell runs. Whatever cells left there is looked at by
 * descriptors, and no link is followed. */

/* What became of them. Zeroed before first use. */
typedef struct savedir_report {
    size_t files;      /* and folders, done */
    save_list skipped; /* the others, with reasons */
} savedir_report;

/* Appends all files and folders, sorted, as long as they are within the session's limits of
 * disk and most_bytes. Links, devices and the like are left out; so are mounts, without a word. */
int savedir_pack(str *part, savedir_report *report, const snug_session *session,
                 uint64_t most_bytes);
/* Makes them. part was checked by savefile_read. What stands in the way is left and told. */
int savedir_unpack(savedir_report *report, snug_session *session, span part);

#endif
