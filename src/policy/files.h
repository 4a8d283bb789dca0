/*
 * files.h - the files of stdlib_allowlist/, compiled in.
 */
#ifndef SNUG_POLICY_FILES_H
#define SNUG_POLICY_FILES_H

#include <stddef.h>

typedef struct policy_file {
    const char *name; /* "core.txt" */
    const char *text;
    size_t len;
} policy_file;

/* Ends with a NULL name. Made at build time by embed.py. */
extern const policy_file policy_files[];

/* NULL if there is none of that name. */
const policy_file *policy_file_find(const char *name);

#endif
