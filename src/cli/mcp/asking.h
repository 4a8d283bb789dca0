/*
 * asking.h - calls of tools that a rule asks about: the client is asked, and the cell waits for the
 * answer without a thread.
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
/* The cell of the call goes on. 1: it is asked about something, and the client has heard of it: the
 * call is nobody's until it is resumed. 0: the caller goes on waiting for the cell. */
int asking_hold(mcp_call *c);
/* The cell is over: nobody is asked any more. */
void asking_end(mcp_call *c);

/* A tools/call with what only one that is sent again has. Answers it, now or later. */
void asking_retry(mcp_call *c);
/* A message of a client that answers a request of ours. */
void asking_take_answer(mcp_server *s, const mcp_peer *peer, const rpc_message *message);

/* Looks after cells that wait, and forgets those that are over. With the lock, which is released
 * meanwhile: 1 if it was. */
int asking_tick(mcp_server *s, uint64_t now_ns);
/* From now on nobody answers: what waits is refused. */
void asking_refuse_all(mcp_server *s);
/* With the lock: whether cells wait. */
int asking_has_held(const mcp_server *s);
/* With the lock: keeps a call that is over and that no request waits for, for the next that does.
 * It may be freed at once. */
void asking_keep(mcp_call *c, mcp_status status, const char *member, const char *body);
void asking_forget_kept(mcp_server *s);

/* ---- forms (elicitation): asking_questions.c ---- */

/* Whether a client with these capabilities can be shown a form. NULL: it cannot. */
int form_is_taken(const cJSON *capabilities);
/* What an ElicitResult says. 1: that; 0: it was accepted, without an answer that is one; -1: it is
 * not one. reason: where it is a refusal. */
int form_read(snug_approval *out, const char **reason, const cJSON *result);

/* ---- questions: asking_questions.c. With the lock, but where something else is said ---- */

/* What is asked: a call of the cell's. */
typedef struct question {
    snug_call *call; /* to be answered once */
    uint64_t number;
    char *text; /* of the call */
    int is_told;
    struct question *next;
} question;

/* What is to be said to the library, without the lock, in this order. */
typedef struct verdict {
    snug_call *call;
    snug_approval answer;
    const char *reason;
    struct verdict *next;
} verdict;

/* Of a call that is asked about; NULL without memory. Without the lock. */
question *questions_make(snug_call *asked);
void questions_free_one(question *q);
/* Where it is in the call's list, or the end of that. */
question **questions_find(mcp_call *c, uint64_t number);
/* Takes it off the list. Without memory it is refused here. */
void questions_decide(verdict **list, question **at, snug_approval answer, const char *reason);
/* The same for all that the call has. */
void questions_refuse(verdict **list, mcp_call *c, const char *reason);
/* The client need not show it any more. */
void questions_withdraw(const mcp_call *c, const question *q);
/* Those for which the cell does not wait any more. */
void questions_drop_unwanted(verdict **list, mcp_call *c);
/* Whether the cell waits for one. */
int questions_are_wanted(const mcp_call *c);
/* Asks the client of the older revision what it has not heard of. SNUG_OK or SNUG_ENOMEM. */
int questions_tell(const mcp_call *c);
/* Appends the result of a request of the newer one: input_required. SNUG_OK or SNUG_ENOMEM. */
int questions_write_result(str *out, const mcp_call *c);
/* Says all to the library, and frees the list. Without the lock. */
void questions_give_verdicts(verdict *list);
/* A thread takes the call again, or will where one has it now. */
void asking_wake(mcp_call *c);

#endif
