/*
 * shellword.h - text as one word of a shell's.
 */
#ifndef SNUG_BASE_SHELLWORD_H
#define SNUG_BASE_SHELLWORD_H

#include <stddef.h>

#include "base/str.h"

/* Appends text in single quotes, as sh and bash take it for one word. SNUG_OK or SNUG_ENOMEM. */
int shellword_append(str *out, const char *text, size_t len);

#endif
