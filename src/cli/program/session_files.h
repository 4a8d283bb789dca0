/*
 * session_files.h - --restore, --save and --export: where a session comes from and what is kept of
 * it.
 */
#ifndef SNUG_CLI_SESSION_FILES_H
#define SNUG_CLI_SESSION_FILES_H

#include <stddef.h>

#include <snug/snug.h>

#include "cli/program/options.h"

/* Zeroed before first use. */
typedef struct session_files {
    const options *options;
    snug_notebook *notebook; /* NULL: nothing is exported */
} session_files;

/* Each answers an exit status, after one sentence on stderr if that is not EXIT_FINE. Names that
 * are left out are named on stderr, a line each. */
int session_files_begin(session_files *f, const options *o, snug_session *session);
/* A cell that has run, or that was not run: result may be NULL. */
int session_files_add(session_files *f, const char *source, size_t len, snug_result *result);
/* Also after cells that failed. */
int session_files_end(session_files *f, snug_session *session);

#endif
