/*
 * savedir.h - the files of a work directory, into a saved session and out of it.
 *
 * On the caller's thread, while no cell runs. Whatever cells left there is looked at by
 * descriptors, and no link is followed.
 */
#ifndef SNUG_SESSION_SAVEDIR_H
#define SNUG_SESSION_SAVEDIR_H

#include "py/queries/save_namespace.h"
#include "session/core/session.h"
#include "wire/savefile.h"

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
