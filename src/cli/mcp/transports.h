/*
 * transports.h - how messages travel: on stdin and stdout, or by HTTP.
 */
#ifndef SNUG_CLI_MCP_TRANSPORTS_H
#define SNUG_CLI_MCP_TRANSPORTS_H

#include "cli/mcp/server.h"
#include "cli/program/signals.h"

/* Serves one client until its input ends or a signal comes: what it has asked until then is
 * answered, but behind a signal. The status of the program. */
int mcp_serve_stdio(mcp_server *s, signals *sig);
/* Serves many, until a signal comes. */
int mcp_serve_http(mcp_server *s, signals *sig);

#endif
