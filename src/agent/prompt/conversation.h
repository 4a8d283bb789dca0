/*
 * conversation.h - a conversation that outlives its process: with a file
 * (snug_agent_options.conversation_file) all turns, the summary of the older ones and the session
 * are stored after each question, in one transaction. What a prompt has of it: history.h.
 */
#ifndef SNUG_AGENT_CONVERSATION_H
#define SNUG_AGENT_CONVERSATION_H

#include "agent/run/run.h"

/* Opens the file and loads what it has into the agent and its session, which are new. SNUG_OK, or
 * an error with a message; then nothing in the file has changed. */
int conversation_open(snug_agent *agent, const char *path);
void conversation_close(snug_agent *agent);
/* After a question, whose turn is among the agent's: stores it. A fault is reported in the reply
 * and by an event, and what the file has stays. */
void conversation_store(run *r);
/* Forgets the last turn, of which there is one, and stores what is left with the session as it is
 * now. SNUG_OK, or an error of the file with a message: then the turn is forgotten all the same. */
int conversation_take_back(snug_agent *agent);
/* Forgets all turns and the summary; in the file, the stored session too. */
int conversation_forget(snug_agent *agent);

#endif
