/*
 * outside.h - has another program edit a text: the one that VISUAL or EDITOR names.
 */
#ifndef SNUG_CLI_OUTSIDE_H
#define SNUG_CLI_OUTSIDE_H

#include "base/str.h"
#include "cli/editor/code.h"

/* The terminal is that program's until it has ended. text becomes what it has saved. NULL, or why
 * text is as it was: a sentence. */
const char *outside_edit(str *text, code_language language);

#endif
