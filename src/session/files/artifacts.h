/*
 * artifacts.h - which files of the work directory a cell has made or changed.
 *
 * By comparing the directory with what it was at the last look. It is looked at only where
 * something there may have changed (limits/disk.h knows), so other cells pay nothing. Sizes, inodes
 * and the times of change, which no cell can set, are compared. All of it on the caller's
 * thread, also where the session's is lost.
 */
#ifndef SNUG_SESSION_ARTIFACTS_H
#define SNUG_SESSION_ARTIFACTS_H

#include <snug/snug.h>

#include "session/core/seen_files.h"

struct snug_session;

/* Before a cell: what was changed since the last one is not its. */
void artifacts_begin(struct snug_session *session);
/* After it; the spill files of the result are known. SNUG_OK, or SNUG_ENOMEM with its message. */
int artifacts_take(snug_result *result, struct snug_session *session);

#endif
