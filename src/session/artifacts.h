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

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

struct snug_session;

typedef struct seen_file {
    uint64_t path; /* its hash */
    uint64_t inode, bytes;
    int64_t changed_ns, modified_ns;
} seen_file;

typedef struct seen_files {
    seen_file *items; /* in the order of the hashes */
    size_t count, cap;
    int is_whole;       /* nothing was left out */
    int is_written;     /* a file was opened to be written, and nobody tells when it is */
    int64_t started_ns; /* the cell, on the clock of files */
} seen_files;

/* Before a cell: what was changed since the last one is not its. */
void artifacts_begin(struct snug_session *session);
/* After it; the spill files of the result are known. SNUG_OK, or SNUG_ENOMEM with its message. */
int artifacts_take(snug_result *result, struct snug_session *session);
void artifacts_free(seen_files *seen);

#endif
