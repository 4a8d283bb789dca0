/*
 * shellcode.h - the bash program in what a model said. Pure.
 */
#ifndef SNUG_AGENT_SHELLCODE_H
#define SNUG_AGENT_SHELLCODE_H

#include "agent/text/blocks.h"
#include "agent/text/extract.h"

/* As extract_code, with simpler rules: the blocks between fences that name a shell (bash, sh,
 * zsh, shell) or nothing, joined with a blank line; else none. */
int shellcode_extract(extracted *out, const char *text, size_t len);

/* Appends the blocks that are marked as programs for a shell. SNUG_OK or SNUG_ENOMEM. */
int shellcode_of_blocks(str *out, const blocks *b);
/* Whether a script does nothing but install packages, by pip, conda or apt. */
int shellcode_only_installs(const char *text, size_t len);

#endif
