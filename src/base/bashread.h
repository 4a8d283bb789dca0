/*
 * bashread.h - has bash read a script without running it: a session of bash runs nothing of a cell
 * that bash cannot read. Pure.
 */
#ifndef SNUG_BASE_BASHREAD_H
#define SNUG_BASE_BASHREAD_H

#include <stddef.h>

#include "base/str.h"

/* Appends a cell that has the script read, and leaves before it. SNUG_OK, or SNUG_ENOMEM. */
int bashread_write(str *out, const char *script, size_t len);
/* From the error's value of such a cell, "line 4: syntax error near unexpected token `fi'": message
 * and *line stay as they are where it is of no fault of syntax. SNUG_OK, or SNUG_ENOMEM. */
int bashread_complaint(str *message, unsigned *line, const char *value);

#endif
