/*
 * file.h - whole files: written so that there is either the old one or the new one, and read up
 * to a bound.
 */
#ifndef SNUG_BASE_FILE_H
#define SNUG_BASE_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/str.h"

/* Puts the pieces into a file at path, in the place of what is there: under another name beside
 * it first, then on the disk, then renamed. Mode 0600. SNUG_OK; SNUG_EINVAL where a folder, device
 * or pipe is there; or SNUG_ESYSTEM, with errno; with a message that names path, and nothing is
 * left behind. */
int file_replace(const char *path, const struct iovec *pieces, size_t count);
/* The same, but SNUG_ESTOPPED once *is_stopped is set, which is looked at between parts of the file
 * that are put on the disk one by one. */
int file_replace_unless(const char *path, const struct iovec *pieces, size_t count,
                        const _Atomic int *is_stopped);
/* Appends what the regular file has, most_bytes of it at most: SNUG_EINVAL for a larger one and
 * for what is not a regular file, SNUG_ESYSTEM, SNUG_ENOMEM, with a message that names path. */
int file_read(str *out, const char *path, uint64_t most_bytes);
/* Writes all of it, however many calls that takes: 0, or -1 with errno and no message. Only for
 * descriptors that block. */
int file_write_all(int fd, const void *data, size_t len);
/* Puts the name of the file on the disk too. A file system that cannot do that is not an error. */
void file_sync_folder(const char *path);
/* Whether a file is for its user alone: regular or a pipe, one's own, without rights of others, and
 * of one name. facts are lstat's or fstat's. SNUG_OK, or SNUG_EPOLICY with a message that names
 * path. */
int file_check_private(const struct stat *facts, const char *path);
/* As file_read, of what file_check_private accepts. Of links, those of root and of this user are
 * followed. */
int file_read_private(str *out, const char *path, uint64_t most_bytes);
/* Opens what file_check_private accepts to append to it, or makes it, 0600; or a device. Links of
 * root and of this user are followed to a device or a pipe, as /dev/stderr is one. A pipe does not
 * block. *fd is -1 after an error, which has a message that names path. */
int file_open_private(int *fd, const char *path, struct stat *facts);
/* Reads as empty and keeps nothing that is written: /dev/null, or a pipe without its other end
 * where that is missing, which refuses to be written. -1 with errno. */
int file_open_null(void);

#endif
