/* calls.h - lists of calls. With the server's lock, but for call_free. */
#ifndef SNUG_CLI_MCP_CALLS_H
#define SNUG_CLI_MCP_CALLS_H

struct mcp_call;

/* At the end. */
void calls_add(struct mcp_call **list, struct mcp_call *c);
/* Nothing where it is not in it. */
void calls_remove(struct mcp_call **list, struct mcp_call *c);
void call_free(struct mcp_call *c);

#endif
