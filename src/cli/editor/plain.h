/*
 * plain.h - lines of a terminal that has no sequences, as the terminal itself edits them.
 */
#ifndef SNUG_CLI_PLAIN_H
#define SNUG_CLI_PLAIN_H

#include "cli/editor/console.h"
#include "cli/editor/reader.h"

/* As reader_read: an empty line ends a block. */
reader_event plain_read(console *c, const editor_hooks *hooks, const char *label, const char *more,
                        str *text);

#endif
