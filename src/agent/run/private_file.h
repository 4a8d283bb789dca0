/*
 * private_file.h - a file in a folder of its own, which others cannot look into: sessions are
 * saved to and restored from files.
 */
#ifndef SNUG_AGENT_PRIVATE_FILE_H
#define SNUG_AGENT_PRIVATE_FILE_H

typedef struct private_file {
    char folder[256], path[272]; /* empty: there is none */
} private_file;

/* Makes the folder, in TMPDIR; name, of at most 14 bytes, is the file's, which is not made.
 * SNUG_OK, or SNUG_EINVAL or SNUG_ESYSTEM with a message. */
int private_file_open(private_file *out, const char *name);
/* Removes both. Fine for one that is zero, or was closed. */
void private_file_close(private_file *file);

#endif
