/*
 * transcript.h - what was typed at a prompt, of a text with its prompts and its output.
 */
#ifndef SNUG_BASE_TRANSCRIPT_H
#define SNUG_BASE_TRANSCRIPT_H

#include <stddef.h>

#include "base/str.h"

/* Where the first line of text that is not empty begins with ">>> " or "In [1]: ", appends what
 * follows the prompts; lines of output are left out, or empty where it keeps_lines. Answers 1, 0
 * for any other text, or SNUG_ENOMEM. */
int transcript_read(str *out, const char *text, size_t len, int keeps_lines);

#endif
