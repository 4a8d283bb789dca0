/*
 * missing_events.h - the modules that an agent's programs wanted and did not get, by its events.
 */
#ifndef SNUG_CLI_MISSING_EVENTS_H
#define SNUG_CLI_MISSING_EVENTS_H

#include <snug/agent.h>

#include "cli/packages/modules.h"

/* Takes the modules from an event, "scan" or "executed", each once. report: of the host whose
 * sessions they are missing in. How many are new, or -1 after one sentence. */
int missing_hear(missing *m, const snug_agent_event *event, const options *o, const char *report);

#endif
