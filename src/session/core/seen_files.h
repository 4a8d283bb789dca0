/*
 * seen_files.h - the files of a work directory, as they were at the last look.
 */
#ifndef SNUG_SESSION_SEEN_FILES_H
#define SNUG_SESSION_SEEN_FILES_H

#include <stddef.h>
#include <stdint.h>

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

void seen_files_free(seen_files *seen);

#endif
