/*
 * call_text.h - a call of a tool as somebody reads it who is asked about it.
 */
#ifndef SNUG_CLI_CALL_TEXT_H
#define SNUG_CLI_CALL_TEXT_H

#include <snug/snug.h>

#include "base/str.h"

/* Appends "files.write(path=\"a\", text=\"...\")" on one line, as a terminal may have it. What is
 * long is cut, and how much of it is left out is said, so that no argument hides another one;
 * characters that are not seen stand as their escapes. SNUG_OK or SNUG_ENOMEM. */
int call_text_write(str *out, const snug_call *call);
/* The same of a name and its arguments as JSON, an object. */
int call_text_of(str *out, const char *name, const char *arguments);

#endif
