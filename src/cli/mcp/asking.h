/*
 * asking.h - calls of tools that a rule asks about: the client is asked, and the cell waits for the
 * answer without a thread.
 *
 * In the newest revision the request is answered with what is asked (input_required), and sent
 * again with the answers: that joins the cell, which goes on. A task says what is asked when it is
 * polled, and has its answers by tasks/update. In the older revisions the server asks on the
 * request's stream (elicitation/create).
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
/* The cell of the call goes on. 1: it is asked about something, and the client has heard of it: the
 * call is nobody's until it is resumed. 0: the caller goes on waiting for the cell. */
int asking_hold(mcp_call *c);
/* The cell is over: nobody is asked any more. */
void asking_end(mcp_call *c);

/* A tools/call with what only one that is sent again has. Answers it, now or later. */
void asking_retry(mcp_call *c);
/* A message of a client that answers a request of ours. */
void asking_take_answer(mcp_server *s, const mcp_peer *peer, const rpc_message *message);
/* Of a task, with the lock: whether it is asked about something. */
int asking_is_open(const mcp_call *c);
/* With the lock: appends the requests, an object. SNUG_OK or SNUG_ENOMEM. */
int asking_write_requests(str *out, const mcp_call *c);
/* Takes inputResponses for a task's call, which is found by find with the lock. What is not asked
 * is passed over. 1; 0: some are not ElicitResults, and none was taken. */
int asking_take_responses(mcp_server *s, mcp_call *(*find)(const mcp_call *update),
                          const mcp_call *update, const cJSON *responses);

/* Looks after cells that wait, and forgets those that are over. With the lock, which is released
 * meanwhile: 1 if it was. */
int asking_tick(mcp_server *s, uint64_t now_ns);
/* From now on nobody answers: what waits is refused. */
void asking_refuse_all(mcp_server *s);
/* With the lock: whether cells wait. */
int asking_has_held(const mcp_server *s);
void asking_forget_all(mcp_server *s);

#endif
