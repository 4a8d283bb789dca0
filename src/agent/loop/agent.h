/*
 * agent.h - the one question that an agent works on at a time.
 */
#ifndef SNUG_AGENT_AGENT_H
#define SNUG_AGENT_AGENT_H

#include <snug/agent.h>

/* Whether a function may change the agent now: not within a question. SNUG_OK, or an error with a
 * message. */
int agent_check_idle(snug_agent *agent, const char *function);
/* SNUG_EBUSY, with its message. */
int agent_fail_busy(void);

#endif
