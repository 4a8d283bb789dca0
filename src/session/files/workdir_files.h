/*
 * workdir_files.h - the work directory as the host sees it.
 */
#ifndef SNUG_SESSION_WORKDIR_FILES_H
#define SNUG_SESSION_WORKDIR_FILES_H

#include <stddef.h>

struct snug_session;

/* A descriptor of the work directory, O_PATH; -1 where it is not there any more, with errno. */
int files_open_root(const struct snug_session *session);
/* A path as text, malloc'ed: what is not UTF-8 is U+FFFD. NULL without memory. */
char *files_text(const char *path);
/* The media type of a file in an open folder. */
const char *files_mime(int folder, const char *name);

#endif
