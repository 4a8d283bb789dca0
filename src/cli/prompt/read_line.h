/*
 * read_line.h - input() of a cell on a terminal.
 */
#ifndef SNUG_CLI_READ_LINE_H
#define SNUG_CLI_READ_LINE_H

#include <snug/snug.h>

#include "base/str.h"
#include "cli/prompt/show_cell.h"

/* Prints a question and waits for the line behind it, without its end, which was not typed before:
 * 1; 0: there is none, or nobody waits for the call any more. */
int read_line_ask(show *s, const snug_call *call, const char *prompt, str *line);
/* For on_input; payload is the show. Prints the prompt and answers with a line of stdin;
 * gives up when the cell ends. */
void read_line(void *payload, snug_call *call, const char *prompt);

#endif
