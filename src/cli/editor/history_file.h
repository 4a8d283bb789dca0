/*
 * history_file.h - a history in a file, which several prompts write to: an entry is added to it
 * when it is entered, and none of them takes away what another one has added.
 *
 * An entry is a line, with \n for a line end in it and \\ for a backslash.
 */
#ifndef SNUG_CLI_HISTORY_FILE_H
#define SNUG_CLI_HISTORY_FILE_H

#include <stddef.h>

#include "cli/editor/entries.h"

/* Adds what the file has. A file that has grown to twice the bounds of a history is cut to them.
 * What cannot be read adds nothing. One that another process holds is waited for, a moment. */
void history_file_load(entries *h, const char *path);
/* Adds an entry to the file, which is made where it is not there, for this user only. NULL, or why
 * it is not kept: then nothing of it is there. */
const char *history_file_add(const char *path, const char *text, size_t len);

/* Of a file's contents: its entries. Pure. */
void history_file_parse(entries *h, const char *text, size_t len);

#endif
