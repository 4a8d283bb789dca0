/*
 * tasks.h - calls that take long, answered by a task that is asked later: the extension
 * io.modelcontextprotocol/tasks (SEP-2663). The server decides; a client that has not declared the
 * extension never gets one.
 */
#ifndef SNUG_CLI_MCP_TASKS_H
#define SNUG_CLI_MCP_TASKS_H

#include "cli/mcp/server.h"

/* Each answers the call. */
void tasks_get(mcp_call *c);
void tasks_update(mcp_call *c);
void tasks_cancel(mcp_call *c);
/* Whether the client of that request has declared the extension. */
int tasks_are_known(const cJSON *meta);
/* Makes tasks of calls that have been there for long enough, and forgets old tasks. With the lock,
 * which is released meanwhile: 1 if it was. */
int tasks_tick(mcp_server *s, uint64_t now_ns);
void tasks_forget_all(mcp_server *s);

#endif
