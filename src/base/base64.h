/*
 * base64.h - bytes as text (RFC 4648, section 4).
 */
#ifndef SNUG_BASE_BASE64_H
#define SNUG_BASE_BASE64_H

#include "base/str.h"

/* Appends the text of len bytes, on one line, padded. SNUG_OK or SNUG_ENOMEM. */
int base64_append(str *out, const void *data, size_t len);

#endif
