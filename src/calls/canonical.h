/*
 * canonical.h - the arguments of calls in one spelling, so that those which say the same are the
 * same bytes: no spaces, members in the order of their names, escapes only where JSON needs them.
 * Members of one name stay in their order, and numbers are as they are written.
 */
#ifndef SNUG_CALLS_CANONICAL_H
#define SNUG_CALLS_CANONICAL_H

#include "base/jsontext.h"
#include "base/str.h"

/* Appends value, which was checked. SNUG_OK or SNUG_ENOMEM. */
int canonical_json(str *out, jsontext_span value);
/* Of two objects that were checked: 1 if they say the same; else 0, and the first member that
 * differs is appended to out: "its argument q is 1, and was 2". Objects of more than 1 MiB are
 * compared to the byte. */
int canonical_compare(str *out, jsontext_span now, jsontext_span was);
/* Appends JSON, cut, with how much is left out. SNUG_OK or SNUG_ENOMEM. */
int canonical_add_cut(str *out, jsontext_span value);

#endif
