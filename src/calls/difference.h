/*
 * difference.h - in which argument two calls differ.
 */
#ifndef SNUG_CALLS_DIFFERENCE_H
#define SNUG_CALLS_DIFFERENCE_H

#include "base/jsontext.h"
#include "base/str.h"

/* A piece of JSON, cut with what is left out said. SNUG_OK or SNUG_ENOMEM. */
int difference_add_cut(str *out, jsontext_span value);
/* Appends the first argument that is another one, of objects that were checked: "its argument q is
 * 1, and was 2". SNUG_OK or SNUG_ENOMEM. */
int difference_say(str *out, jsontext_span now, jsontext_span was);

#endif
