/*
 * percent.h - bytes as URLs and forms have them.
 */
#ifndef SNUG_BASE_PERCENT_H
#define SNUG_BASE_PERCENT_H

#include "base/str.h"

/* Appends text with "%2F" for all but letters, digits and "-._~". SNUG_OK or SNUG_ENOMEM. */
int percent_append(str *out, const char *text, size_t len);

#endif
