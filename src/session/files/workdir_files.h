/*
 * workdir_files.h - the work directory as the host sees it: parts of local_form, and what they
 * answer as bytes.
 *
 * What is unpacked is checked as packed.h says.
 */
#ifndef SNUG_SESSION_WORKDIR_FILES_H
#define SNUG_SESSION_WORKDIR_FILES_H

#include <snug/snug.h>

#include "wire/pack.h"

int local_put(snug_session *session, const char *path, const void *data, size_t len);
int local_get(snug_file **out, snug_session *session, const char *path, size_t most);
int local_remove(snug_session *session, const char *path);

void file_pack(packer *p, const snug_file *file);
int file_unpack(snug_file **out, unpacker *u, const char *path);

/* A descriptor of the work directory, O_PATH; -1 where it is not there any more, with errno. */
int files_open_root(const snug_session *session);
/* The media type of a file in an open folder. */
const char *files_mime(int folder, const char *name);

#endif
