/*
 * agent.h - the one question that an agent works on at a time.
 */
#ifndef SNUG_AGENT_AGENT_H
#define SNUG_AGENT_AGENT_H

/* SNUG_EBUSY, with its message. */
int agent_fail_busy(void);

#endif
