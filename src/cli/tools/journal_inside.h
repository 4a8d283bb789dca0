/*
 * journal_inside.h - what journal_file.c writes, and replay_file.c reads of an earlier run.
 */
#ifndef SNUG_CLI_JOURNAL_INSIDE_H
#define SNUG_CLI_JOURNAL_INSIDE_H

#include <pthread.h>

#include "base/str.h"
#include "cli/tools/journal_file.h"

#define JOURNAL_FILE_BEGINNING "{\"schema\": \"snug.journal/1\""

typedef struct replayed_tool {
    snug_tool tool;
    char *name, *signature, *doc, *stub;
} replayed_tool;

struct journal_file {
    snug_journal *journal;
    pthread_mutex_t lock; /* of what is written */
    const char *path;     /* NULL: nothing is */
    int fd, is_regular, is_pipe, has_failed;
    uint64_t bytes, most_bytes; /* of the file */

    const char *replay_path; /* NULL: it is not a replay */
    replayed_tool *tools;
    size_t tool_count, tool_cap;
    char **sessions;                                  /* NULL: its name was given */
    size_t session_count, session_cap, first_session; /* before it all are NULL */
};

/* Reads the file into text, with the tools and sessions of its last run. EXIT_FINE, or EXIT_USAGE
 * after one sentence. */
int replay_file_read(str *text, journal_file *j);
void replay_file_free(journal_file *j);

#endif
