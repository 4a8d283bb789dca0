/*
 * mcp.h - the tools of an MCP server on stdio, as functions of cells.
 *
 * The Model Context Protocol, revision 2025-06-18: JSON-RPC 2.0, a message a line. One thread
 * speaks with the server, whoever calls.
 * https://modelcontextprotocol.io/specification/2025-06-18
 */
#ifndef SNUG_CLI_MCP_H
#define SNUG_CLI_MCP_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

#include "cli/program/signals.h"

typedef struct mcp mcp;

/* Starts the server and asks for its tools, within start_ms, or until a signal asks to end.
 * limit is the option that says how long, for the message, or "". SNUG_OK, or an error with a
 * message that names the label. */
int mcp_open(mcp **out, const char *label, const char *command, signals *s, uint64_t start_ms,
             const char *limit);
/* One of its tools; NULL past the end. */
struct mcptool *mcp_tool(mcp *m, size_t index);
/* Hands the tools that it has listed to bind, each under its name made an identifier. As
 * snug_session_bind_tool. */
int mcp_bind(mcp *m, int (*bind)(void *target, const snug_tool *tool), void *target,
             uint64_t timeout_ms);
/* Ends the server. NULL is fine. */
void mcp_close(mcp *m);

#endif
