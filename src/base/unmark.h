/*
 * unmark.h - takes the set-id and sticky bits off what a session has made in a folder.
 *
 * A second line behind the filters of system calls, drawn by a process that the session cannot
 * reach: a program with such a bit would run with the host's rights for anybody on the machine. All
 * goes by descriptors and no link is followed, whatever is swapped meanwhile.
 */
#ifndef SNUG_BASE_UNMARK_H
#define SNUG_BASE_UNMARK_H

#include <stdint.h>
#include <time.h>

/* Not more names than that are looked at, nor folders deeper than TREE_DEPTH. */
enum { UNMARK_MOST = 200000 };

/* Of the folder itself and all that is in it, on its file system, whose facts have changed since
 * then (seconds since 1970): what was there before and is as it was is the caller's. 0, or an errno
 * where not all of it was looked at. */
int unmark(const char *path, time_t since);

#endif
