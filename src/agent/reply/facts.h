/*
 * facts.h - what reports say of an attempt that failed: how grave that was, what it reached, and
 * how it was mended. In the words of the model that analysed it where there are any, else by rules.
 */
#ifndef SNUG_AGENT_FACTS_H
#define SNUG_AGENT_FACTS_H

#include "agent/reply/reply.h"

/* index: of an attempt, from 0. All append; SNUG_OK or SNUG_ENOMEM. */

/* "low", "medium" or "high". */
const char *facts_severity(const snug_reply *reply, size_t index);
/* What the failure reached, one line. */
int facts_scope(str *out, const snug_reply *reply, size_t index);
/* What the next attempt does otherwise, one line; nothing where there is none. */
int facts_fix(str *out, const snug_reply *reply, size_t index);
/* What the model recommends after it: a line "- ..." for each. */
int facts_advice(str *out, const snug_reply *reply, size_t index);
/* "Success after 2 attempts."; nothing where no attempt failed, or the question ended otherwise. */
int facts_outcome(str *out, const snug_reply *reply);
/* The first attempt that failed, from 0; the number of attempts where none did. */
size_t facts_first_failure(const snug_reply *reply);

#endif
