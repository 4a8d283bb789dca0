/*
 * bashread.h - has bash read a script without running it, and reads what it says of it. Pure.
 */
#ifndef SNUG_BASE_BASHREAD_H
#define SNUG_BASE_BASHREAD_H

#include <stddef.h>

#include "base/str.h"

/* Appends commands of bash that have another bash read the script, by `bash -n`. It has no NUL.
 * SNUG_OK, or SNUG_ENOMEM. */
int bashread_write(str *out, const char *script, size_t len);
/* What that one said to its stderr: message and *line stay as they are where it has not found a
 * fault of syntax. SNUG_OK, or SNUG_ENOMEM. */
int bashread_complaint(str *message, unsigned *line, const char *said);

#endif
