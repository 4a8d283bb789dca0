/*
 * splice.h - members put into the text of a JSON object without parsing it.
 */
#ifndef SNUG_WIRE_SPLICE_H
#define SNUG_WIRE_SPLICE_H

#include <stddef.h>

#include "base/str.h"

/* json: the value is JSON already; text: any bytes, made a JSON string, where
 * invalid UTF-8 becomes U+FFFD. Both NULL: the member is left out. */
typedef struct splice_member {
    const char *name;
    const char *json;
    const char *text;
} splice_member;

/* Appends the object with the members in front of its own. SNUG_OK or SNUG_ENOMEM. */
int splice_members(str *out, const char *object, size_t len, const splice_member *members,
                   size_t count);

#endif
