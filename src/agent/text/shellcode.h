/*
 * shellcode.h - the bash program in what a model said. Pure.
 */
#ifndef SNUG_AGENT_SHELLCODE_H
#define SNUG_AGENT_SHELLCODE_H

#include "agent/text/extract.h"

/* As extract_code, with simpler rules: the blocks between fences that name a shell (bash, sh,
 * zsh, shell) or nothing, joined with a blank line; else none. */
int shellcode_extract(extracted *out, const char *text, size_t len);

#endif
