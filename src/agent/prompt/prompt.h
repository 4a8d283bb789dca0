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

#endif
