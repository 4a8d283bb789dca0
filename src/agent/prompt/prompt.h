/*
 * prompt.h - the templates filled in with what a run knows.
 */
#ifndef SNUG_AGENT_PROMPT_H
#define SNUG_AGENT_PROMPT_H

#include "agent/run/run.h"

/* Appends the template's text. Looks at the session (its variables, its files) only where the
 * template has a place for them. SNUG_OK, SNUG_ENOMEM, or what snug_session_list_variables and
 * snug_session_list_files answer. */
int prompt_make(str *out, run *r, const char *name);

/* ---- what the session holds, for prompts ---- */

/* Appends a line for each variable: name, type, length, summary. */
int digest_variables(str *out, snug_session *session);
/* Appends a line for each file of the work directory. */
int digest_files(str *out, snug_session *session);
/* Appends a turn of the conversation, each part of it clipped. SNUG_OK or SNUG_ENOMEM. */
int digest_turn(str *out, const turn *t);
/* Appends the names of the modules that cells may import, "csv, json". */
int digest_modules(str *out, snug_session *session);

#endif
