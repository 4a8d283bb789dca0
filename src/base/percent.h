/*
 * percent.h - bytes as URLs and forms have them.
 */
#ifndef SNUG_BASE_PERCENT_H
#define SNUG_BASE_PERCENT_H

#include "base/str.h"

#define HEX_UPPER "0123456789ABCDEF"
#define HEX_LOWER "0123456789abcdef"

/* Appends text with "%2F" for all but letters, digits and "-._~"; all: for each byte.
 * SNUG_OK or SNUG_ENOMEM. */
int percent_append(str *out, const char *text, size_t len, const char *digits, int all);
/* Two digits for each byte. */
int hex_append(str *out, const char *text, size_t len, const char *digits);

#endif
