/*
 * mime.h - the media type of a file: by its name, else by its first bytes.
 */
#ifndef SNUG_BASE_MIME_H
#define SNUG_BASE_MIME_H

#include <stddef.h>

/* How many of the first bytes are looked at. */
enum { MIME_BYTES = 512 };

/* By the ending of the path's last part; NULL for one that is not known. */
const char *mime_of_name(const char *path);
/* "text/plain" of what may be the beginning of a text in UTF-8, at least
 * "application/octet-stream"; an empty file is text. */
const char *mime_of_bytes(const void *data, size_t len);

#endif
