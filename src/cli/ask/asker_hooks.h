/*
 * asker_hooks.h - what the agents of an asker ask it and tell it: the hooks of their options, whose
 * payload is the asker.
 */
#ifndef SNUG_CLI_ASKER_HOOKS_H
#define SNUG_CLI_ASKER_HOOKS_H

#include <snug/agent.h>

void asker_hear(void *payload, const snug_agent_event *event);
snug_agent_consent asker_permit(void *payload, const char *code, size_t len);
/* The program that wanted modules is not repaired: it, or another one, may have them in a new
 * session. */
snug_agent_step asker_route(void *payload, snug_agent_step from, snug_agent_step to);

#endif
