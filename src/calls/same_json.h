/*
 * same_json.h - whether two pieces of JSON say the same: whatever the order of an object's members,
 * spaces, and how characters are escaped. Members of one name keep their order. Numbers are
 * compared as they are written, and pieces of more than 1 MiB to the byte.
 */
#ifndef SNUG_CALLS_SAME_JSON_H
#define SNUG_CALLS_SAME_JSON_H

#include "base/jsontext.h"

/* Both were checked. 1, 0, or SNUG_ENOMEM. */
int same_json(jsontext_span a, jsontext_span b);

#endif
