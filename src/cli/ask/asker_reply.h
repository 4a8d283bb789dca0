/*
 * asker_reply.h - a reply, as the options want it: on stdout, and what else it says on stderr.
 */
#ifndef SNUG_CLI_ASKER_REPLY_H
#define SNUG_CLI_ASKER_REPLY_H

#include "cli/ask/asker.h"

/* EXIT_FINE, or the status of what went wrong. */
int asker_give_reply(asker *a, snug_agent *agent, const char *question, snug_reply *reply);

#endif
