/*
 * shellcode.h - the bash program in what a model said. Pure.
 */
#ifndef SNUG_AGENT_SHELLCODE_H
#define SNUG_AGENT_SHELLCODE_H

#include "agent/text/extract.h"

/* As extract_code, with simpler rules: the blocks between fences that are marked as bash, sh or
 * shell, or not at all, joined with a blank line; else none. */
int shellcode_extract(extracted *out, const char *text, size_t len);

#endif
