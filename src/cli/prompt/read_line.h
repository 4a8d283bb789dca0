/*
 * read_line.h - input() of a cell on a terminal.
 */
#ifndef SNUG_CLI_READ_LINE_H
#define SNUG_CLI_READ_LINE_H

#include <snug/snug.h>

/* For on_input; payload is the show. Prints the prompt and answers with a line of stdin;
 * gives up when the cell ends. */
void read_line(void *payload, snug_call *call, const char *prompt);

#endif
