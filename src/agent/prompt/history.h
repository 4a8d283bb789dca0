/*
 * history.h - the conversation as a prompt has it: the latest turns, as many as fit into
 * limits.history_tokens, and a summary of the older ones, which the model has written.
 */
#ifndef SNUG_AGENT_HISTORY_H
#define SNUG_AGENT_HISTORY_H

#include "agent/run/run.h"

/* The room that limits.history_tokens is. */
size_t history_bytes(const run *r);

/* Before a question: summarises turns where they do not fit. WENT, or BROKEN; where the summary
 * fails, an event says so, and the oldest turns are left out of the prompts. */
loop_outcome history_fit(run *r);
/* Appends the conversation: what was not restored, the summary, and the latest turns that fit.
 * SNUG_OK or SNUG_ENOMEM. */
int history_tell(str *out, const run *r);

#endif
