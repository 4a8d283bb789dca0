/*
 * jsonline.h - an answer of a command's --json: an object on a line of stdout.
 */
#ifndef SNUG_CLI_JSONLINE_H
#define SNUG_CLI_JSONLINE_H

#include "wire/json.h"

/* Prints object, unless memory ran out while it was made, and frees it. EXIT_FINE, or a status
 * after a sentence. */
int jsonline_print(cJSON *object, int has_failed);

#endif
