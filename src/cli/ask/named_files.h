/*
 * named_files.h - the files that a question names: staff.csv, data/staff.csv, /srv/staff.csv,
 * "my staff.csv".
 *
 * A name is a word, or what stands in quotes, with a dot or a slash in it, that is the path of a
 * file as it is written; no folder is listed, and nothing is searched for. A hidden file and one
 * that a symbolic link leads to, itself or a folder on the way, is not taken: who asks has named a
 * file, and means no other.
 */
#ifndef SNUG_CLI_NAMED_FILES_H
#define SNUG_CLI_NAMED_FILES_H

#include <stddef.h>
#include <stdint.h>

typedef struct named_file {
    char *path; /* as the question has it; ~/ is the home folder */
    char *name; /* that cells find it under; NULL: it is not taken */
    uint64_t bytes;
    const char *reason; /* why it is not taken, for people; NULL: it is */
} named_file;

typedef struct named_files {
    named_file *items;
    size_t count, cap;
} named_files;

/* In the order of the text, each once. SNUG_OK or SNUG_ENOMEM. Free in both cases. */
int named_files_find(named_files *out, const char *question);
/* A path as people write it: ~/ is the home folder. NULL if memory ran out, or it is empty or too
 * long for a path. Free it. */
char *named_files_path(const char *text, size_t len);
void named_files_free(named_files *files);

#endif
