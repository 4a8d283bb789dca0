/*
 * answer.h - where the numbers of an answer may come from.
 */
#ifndef SNUG_AGENT_ANSWER_H
#define SNUG_AGENT_ANSWER_H

#include "agent/run/run.h"

/* Appends the numbers of the text that are neither in the question nor in what has run for it;
 * figures.h. SNUG_OK or SNUG_ENOMEM with a message. */
int answer_find_unsupported(str *out, const run *r, const char *text);

#endif
