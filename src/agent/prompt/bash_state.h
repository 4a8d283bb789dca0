/*
 * bash_state.h - the session of a conversation in bash, as bytes: what the shell has by name, and
 * the files of its private work directory, packed by tar in the sandbox.
 *
 * Background jobs, and what lies in /tmp, are not kept. The bytes do in a session what a cell
 * could.
 */
#ifndef SNUG_AGENT_BASH_STATE_H
#define SNUG_AGENT_BASH_STATE_H

#include "agent/run/run.h"
#include "base/str.h"

/* Whether they are of a session of bash. */
int bash_state_is(const str *bytes);
/* An error of snug.h, with a message. */
int bash_state_save(str *out, snug_agent *agent);
/* Into a session in which nothing has run. The same. */
int bash_state_restore(snug_agent *agent, const str *bytes);

#endif
