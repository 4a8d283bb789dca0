/*
 * digest.h - what the session has already, in few words, for prompts.
 *
 * All of these append. SNUG_OK, SNUG_ENOMEM, or what the function of the session answers.
 */
#ifndef SNUG_AGENT_DIGEST_H
#define SNUG_AGENT_DIGEST_H

#include "agent/run/run.h"

/* A line for each variable: name, type, length, summary. */
int digest_variables(str *out, snug_session *session);
/* A line for each file of the work directory. */
int digest_files(str *out, snug_session *session);
/* The names of the modules that cells may import, "csv, json". */
int digest_modules(str *out, snug_session *session);

#endif
