/*
 * call_text.h - a call of a tool as somebody reads it who is asked about it.
 */
#ifndef SNUG_CLI_CALL_TEXT_H
#define SNUG_CLI_CALL_TEXT_H

#include <snug/snug.h>

#include "base/str.h"

/* Appends "files.write(path=\"a\", text=\"...\")" on one line, as a terminal may have it. Where it
 * is long, its end is left out, and how much. SNUG_OK or SNUG_ENOMEM. */
int call_text_write(str *out, const snug_call *call);

#endif
