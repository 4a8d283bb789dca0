/*
 * code.h - source as an editor looks at it: what is a keyword, a string, a comment; which brackets
 * belong together; how far the next line is indented. Pure, and never sure: text that is not yet
 * code is read as far as it goes.
 */
#ifndef SNUG_CLI_CODE_H
#define SNUG_CLI_CODE_H

#include <stddef.h>

#include "base/str.h"
#include "cli/editor/style.h"

typedef enum code_language { CODE_PYTHON, CODE_BASH, CODE_TEXT } code_language;

/* A style for each byte. */
void code_style(unsigned char *styles, code_language language, const char *text, size_t len);

/* The bracket that belongs to the one at at: its byte; len: none, or it is of another kind. styles
 * are those of code_style. */
size_t code_partner(const char *text, const unsigned char *styles, size_t len, size_t at);
int code_is_bracket(char c);

/* Appends the blanks that a line begins with which follows text. SNUG_OK or SNUG_ENOMEM. */
int code_indent(str *out, code_language language, const char *text, size_t len);
/* Whether the statement that text ends with is part of a block: it is indented. */
int code_is_in_block(code_language language, const char *text, size_t len);

#endif
