/*
 * client.h - the tools of an MCP server, as functions of cells.
 *
 * The Model Context Protocol, revision 2026-07-28, or 2025-11-25 and older where the server does
 * not know that one. One thread speaks with the server, whoever calls. The tools are those that the
 * server lists when it is first reached.
 */
#ifndef SNUG_CLI_CLIENT_H
#define SNUG_CLI_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

#include "base/str.h"
#include "cli/program/signals.h"
#include "cli/upstream/upstreams.h"

typedef struct mcp mcp;

/* Begins to start the server and to ask for its tools, which may take start_ms. limit is the option
 * that says how long, for the message, or "". SNUG_OK, or an error with its message. */
int mcp_open(mcp **out, const upstream *server, uint64_t start_ms, const char *limit);
/* Waits until it is ready, or a signal asks to end. SNUG_OK, or an error with a message that names
 * the server, which is given up then. */
int mcp_wait(mcp *m, signals *s, uint64_t until_ns);
/* Appends why it has no tools, if mcp_wait has given it up. SNUG_OK or SNUG_ENOMEM. */
int mcp_write_failure(str *out, mcp *m);
/* One of its tools; NULL past the end. After mcp_wait, until mcp_close. */
struct mcptool *mcp_tool(mcp *m, size_t index);
/* What calls a tool: a struct mcptool. */
void mcp_call_tool(void *payload, snug_call *call, const char *arguments);
/* Ends the server. NULL is fine. */
void mcp_close(mcp *m);

#endif
