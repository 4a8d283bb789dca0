/*
 * program.h - makes a program of the text of a block.
 */
#ifndef SNUG_AGENT_PROGRAM_H
#define SNUG_AGENT_PROGRAM_H

#include <stddef.h>

#include "base/str.h"

/* Appends text, which is normalized (blocks.h), as code: without common indentation, the prompts
 * and output of a transcript, and blank lines around it. SNUG_OK or SNUG_ENOMEM. */
int program_of(str *out, const char *text, size_t len);

/* Where the code of a reply without blocks begins: behind a first line that is "python" or leads to
 * it with a colon. 0: there is no such line. */
size_t program_lead(const char *text, size_t len);

#endif
