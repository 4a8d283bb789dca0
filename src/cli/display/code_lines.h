/*
 * code_lines.h - source on a terminal: lines behind their numbers, coloured. What would do
 * something to the terminal is shown and does nothing.
 */
#ifndef SNUG_CLI_CODE_LINES_H
#define SNUG_CLI_CODE_LINES_H

#include <stddef.h>
#include <stdio.h>

#include "cli/editor/code.h"
#include "cli/editor/theme.h"

typedef struct code_look {
    theme theme; /* THEME_NONE: no colours */
    code_language language;
    const char *on, *off; /* around numbers */
} code_look;

/* How many lines end in text. */
size_t code_lines_count(code_language language, const char *text, size_t len);
/* Writes the lines of code that begin at byte from or behind it, the first of them with that
 * number. The last may have no end. What stands before from counts for the colours. */
void code_lines_put(FILE *stream, const code_look *look, const char *code, size_t len, size_t from,
                    size_t number);

#endif
