/*
 * pasted.h - text from elsewhere, as an editor may have it. Pure.
 */
#ifndef SNUG_CLI_PASTED_H
#define SNUG_CLI_PASTED_H

#include <stddef.h>

#include "base/str.h"

/* Appends text with line ends as LF, without control characters other than LF and tab, and with
 * U+FFFD for what is not UTF-8. SNUG_OK or SNUG_ENOMEM. */
int pasted_clean(str *out, const char *text, size_t len);

#endif
