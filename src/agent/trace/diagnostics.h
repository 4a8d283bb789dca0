/*
 * diagnostics.h - what somebody who looks closely learns of a run: the prompts, the way through
 * the steps, what is used up (tells_prompts); and, to everybody, what is out of the ordinary.
 */
#ifndef SNUG_AGENT_DIAGNOSTICS_H
#define SNUG_AGENT_DIAGNOSTICS_H

#include "agent/run/run.h"

/* Events "prompt", "route" and "budget"; nothing unless they are asked for. The models' keys are
 * taken out of prompts. use: "code", ... */
/* Where the reply shall have them: the messages of the talk as it is now, before another one
 * begins. SNUG_OK, or an error with a message. */
int watch_keep_talk(run *r);
void watch_prompt(const run *r, const char *use, const model_message *messages, size_t count);
void watch_route(const run *r, snug_agent_step from, snug_agent_step to, loop_outcome outcome);
void watch_budget(const run *r);
/* After each cell. An event "anomaly" where the policy has denied the same thing three times in a
 * question, and where two programs in a row ended by time, by memory or with the session. */
void watch_result(run *r, snug_result *result);

#endif
