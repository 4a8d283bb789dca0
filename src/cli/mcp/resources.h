/*
 * resources.h - files of sessions as resources, snug://SESSION/PATH, and who hears of them.
 */
#ifndef SNUG_CLI_MCP_RESOURCES_H
#define SNUG_CLI_MCP_RESOURCES_H

#include "cli/mcp/server.h"

/* Each answers the call. */
void resources_list(mcp_call *c);
void resources_templates(mcp_call *c);
void resources_read(mcp_call *c);
void resources_subscribe(mcp_call *c);
void resources_unsubscribe(mcp_call *c);
/* Answers it at its end: until then it hears of what it listens to. */
void listen_begin(mcp_call *c);

#endif
