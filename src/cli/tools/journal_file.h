/*
 * journal_file.h - --journal FILE and --replay FILE: calls of tools are appended to a file, and
 * answered from one.
 *
 * A run begins with a line of the schema snug.journal/1 and one of snug.tool/1 for each tool, so
 * that a replay has the same tools without their servers. Several runs may follow each other in a
 * file, and one at a time writes to it.
 */
#ifndef SNUG_CLI_JOURNAL_FILE_H
#define SNUG_CLI_JOURNAL_FILE_H

#include <snug/snug.h>

#include "cli/program/options.h"

typedef struct journal_file journal_file;

/* Of a file by default: 1 GiB. */
#define JOURNAL_FILE_BYTES (UINT64_C(1) << 30)

/* EXIT_FINE, with NULL where the options name no file, or EXIT_USAGE after one sentence. Close in
 * both cases. */
int journal_file_open(journal_file **out, const options *o);
/* For sessions; NULL for NULL. */
snug_journal *journal_file_journal(const journal_file *j);
/* When all sessions are closed. Says what a replay has come to: EXIT_FINE, or EXIT_FAILED where a
 * call differed or was not made. NULL is fine. */
int journal_file_close(journal_file *j);

/* ---- tools ---- */

/* Writes the line of a tool. As snug_session_bind_tool. */
int journal_file_add_tool(void *journal, const snug_tool *tool);
/* A tool of the run that is replayed; NULL past the end, or for NULL. */
const snug_tool *journal_file_tool(const journal_file *j, size_t index);

#endif
