/*
 * retrieve.h - what the library has on a question, for its prompts; and the programs that it keeps.
 *
 * A library that fails costs the question nothing but its material: an event says why.
 */
#ifndef SNUG_AGENT_RETRIEVE_H
#define SNUG_AGENT_RETRIEVE_H

#include "agent/run/run.h"

int retrieve_open(snug_agent *agent, const snug_agent_options *options);
/* Puts the best matches behind the caller's context, each with its name, and their names into the
 * reply. SNUG_OK or SNUG_ENOMEM. */
int retrieve_find(run *r);
/* The material of the question: the caller's, and what was found. */
const char *retrieve_context(const run *r);
/* The program of a question that was answered becomes a snippet, where the agent keeps snippets.
 * After the question; a fault is an event. */
void retrieve_keep(run *r);

#endif
