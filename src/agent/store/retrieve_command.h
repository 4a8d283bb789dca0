/*
 * retrieve_command.h - material from a store that is not ours: a command of the user's is given the
 * question, and says what it has found.
 *
 * It reads the question on its stdin, has the number of matches that are wanted in the variable
 * SNUG_RETRIEVED, and writes a line of JSON for each, the best first: {"name": ..., "text": ...,
 * "score": ...}.
 */
#ifndef SNUG_AGENT_RETRIEVE_COMMAND_H
#define SNUG_AGENT_RETRIEVE_COMMAND_H

#include "agent/run/run.h"

typedef struct found_text {
    str name, text; /* valid UTF-8; neither is empty */
    double score;   /* as the command has it; 0: it has none */
} found_text;

/* Zeroed is empty. */
typedef struct found_texts {
    found_text *items;
    size_t count, cap;
} found_texts;

/* Runs the agent's command for the question, within limits.retrieve_ms and until it is cancelled.
 * What is wrong with it, or with a line, is one sentence in fault, and then there may be no
 * matches. SNUG_OK or SNUG_ENOMEM, with a message. */
int retrieve_command_run(found_texts *out, str *fault, const run *r, size_t most);
void found_texts_free(found_texts *found);

#endif
