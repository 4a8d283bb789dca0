/*
 * failure.h - an error of a cell as front ends show it: name, value, and a traceback whose lines
 * have colours.
 */
#ifndef SNUG_CLI_FAILURE_H
#define SNUG_CLI_FAILURE_H

#include <snug/snug.h>

#include "cli/kernel/content.h"

/* The members "ename", "evalue" and "traceback". what_to_do stands below it; NULL: nothing. */
void failure_of_result(content *c, const snug_result *result, const char *what_to_do);
/* The same of an error that no cell has made. */
void failure_of_kernel(content *c, const char *name, const char *value, const char *what_to_do);

#endif
