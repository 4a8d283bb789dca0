/*
 * turn.h - a question that is over, as the prompts of the next ones have it: what was asked, the
 * program, what that gave and the answer, each once.
 */
#ifndef SNUG_AGENT_TURN_H
#define SNUG_AGENT_TURN_H

#include "agent/run/run.h"

/* t is empty. SNUG_OK or SNUG_ENOMEM. */
int turn_take(turn *t, const run *r);
/* As prompts have it. SNUG_OK or SNUG_ENOMEM. */
int turn_tell(str *out, const turn *t);

#endif
