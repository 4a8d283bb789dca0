/*
 * conversation.h - a conversation that fits into a prompt, and outlives its process.
 *
 * The part of the conversation that is over limits.history_tokens reaches the model as a summary,
 * which the model has written. With a file (snug_agent_options.conversation_file) all turns, the
 * summary and the session are stored after each question, in one transaction.
 */
#ifndef SNUG_AGENT_CONVERSATION_H
#define SNUG_AGENT_CONVERSATION_H

#include "agent/run/run.h"

/* Opens the file and loads what it has into the agent and its session, which are new. SNUG_OK, or
 * an error with a message; then nothing in the file has changed. */
int conversation_open(snug_agent *agent, const char *path);
void conversation_close(snug_agent *agent);
/* Before a question: summarises turns where they do not fit. WENT, or BROKEN; where the summary
 * fails, an event says so, and the oldest turns are left out of the prompts. */
loop_outcome conversation_fit(run *r);
/* Appends the conversation: what was not restored, the summary, and the latest turns that fit.
 * SNUG_OK or SNUG_ENOMEM. */
int conversation_tell(str *out, const run *r);
/* After a question, whose turn is among the agent's: stores it. A fault is reported in the reply
 * and by an event, and what the file has stays. */
void conversation_store(run *r);
/* Forgets all turns and the summary; in the file, the stored session too. */
int conversation_forget(snug_agent *agent);

#endif
