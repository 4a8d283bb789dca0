/*
 * asking.h - calls of tools that a rule asks about: the client is asked, and the cell waits for the
 * answer.
 *
 * In the newer revision the request is answered with what is asked (input_required), and sent
 * again with the answers: that request then waits for the cell, which goes on. In the older one the
 * server asks on the request's stream (elicitation/create).
 *
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
#ifndef SNUG_CLI_MCP_ASKING_H
#define SNUG_CLI_MCP_ASKING_H

#include "cli/mcp/server.h"

/* For on_approval; payload is the call. */
void asking_on_approval(void *payload, snug_call *asked);
/* Whether cells of this session may have to ask. */
int asking_is_possible(const mcp_call *c);
/* While the cell runs, again and again: tells the client what it has not heard of, and the library
 * what the client has answered. */
void asking_look(mcp_call *c);
/* The cell is over: nobody is asked any more. */
void asking_end(mcp_call *c);

/* A tools/call with what only one that is sent again has. Answers it, now or later. */
void asking_retry(mcp_call *c);
/* A message of a client that answers a request of ours. */
void asking_take_answer(mcp_server *s, const mcp_peer *peer, const rpc_message *message);
/* From now on nobody answers: what waits is refused. */
void asking_refuse_all(mcp_server *s);

/* Whether a client with these capabilities can be shown a form (elicitation). NULL: it cannot. */
int asking_takes_forms(const cJSON *capabilities);

#endif
