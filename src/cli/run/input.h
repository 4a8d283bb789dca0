/*
 * input.h - the cells of the files and texts that a command line names.
 */
#ifndef SNUG_CLI_INPUT_H
#define SNUG_CLI_INPUT_H

#include "base/str.h"
#include "cli/program/options.h"
#include "cli/run/split.h"

/* What messages call it: the path, "<stdin>" or "-c". */
const char *input_name(const input *in);
/* A path that ends in .ipynb. */
int input_is_notebook(const input *in);
/* The whole text. SNUG_OK, or an error with a message that names the input: it is
 * missing, unreadable or a directory, or has more than 256 MiB. */
int input_read(str *out, const input *in);
/* Whether stdin can be read at all. SNUG_OK or SNUG_ESYSTEM with a message. */
int input_check_stdin(void);
/* Appends the cells of a text that was read of it. The same. */
int input_split_cells(cell_list *list, const input *in, const str *text);
/* Appends its cells. SNUG_OK, or an error with a message that names the input. */
int input_read_cells(cell_list *list, const input *in);

#endif
