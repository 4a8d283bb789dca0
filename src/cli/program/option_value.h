/*
 * option_value.h - reads the values of options into struct options.
 */
#ifndef SNUG_CLI_OPTION_VALUE_H
#define SNUG_CLI_OPTION_VALUE_H

#include "cli/program/option_table.h"

/* These answer EXIT_FINE, or EXIT_USAGE after one sentence on stderr. Texts stay the caller's. */

/* Sets the field of a row; value is NULL for what takes none. */
int option_set(options *o, const option_row *row, const char *value);
/* Appends a value to a list; row is for sentences. */
int option_append(text_list *list, const option_row *row, const char *value);
int option_add_input(options *o, int is_code, const char *text);

#endif
