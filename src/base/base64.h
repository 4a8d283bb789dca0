/*
 * base64.h - bytes as text (RFC 4648, section 4).
 */
#ifndef SNUG_BASE_BASE64_H
#define SNUG_BASE_BASE64_H

#include "base/str.h"

/* Appends the text of len bytes, on one line, padded. SNUG_OK or SNUG_ENOMEM. */
int base64_append(str *out, const void *data, size_t len);
/* Appends the bytes that text stands for; ends of lines in it do not count. SNUG_OK, SNUG_ENOMEM,
 * or SNUG_EINVAL where it is not such a text: other characters, wrong padding, bits that stand for
 * nothing. On failure out is as it was. */
int base64_decode(str *out, const char *text, size_t len);

#endif
