/*
 * asking_inside.h - what the files of asking.h share: questions of cells, and cells that outlive
 * the requests that wait for them. All with the server's lock, unless another word is said.
 */
#ifndef SNUG_CLI_MCP_ASKING_INSIDE_H
#define SNUG_CLI_MCP_ASKING_INSIDE_H

#include <stdint.h>

#include "cli/mcp/asking.h"
#include "cli/mcp/request_state.h"

/* What is asked: a call of the cell's. */
typedef struct question {
    snug_call *call; /* to be answered once */
    uint64_t number;
    char *text; /* of the call */
    int is_told;
    struct question *next;
} question;

/* A cell that has asked, and outlives the requests that wait for it. */
typedef struct asking {
    char id[STATE_CELL_BYTES], digest[REQUEST_DIGEST_BYTES];
    const char *principal;
    mcp_server *server;
    mcp_call *work; /* that has the cell; NULL: it is over */
    mcp_peer *peer; /* the work's from now on; closed with its answer */
    str answer;     /* then: the whole message; empty: it was cancelled */
    mcp_status status;
    uint64_t over_ns;
    struct asking *next;
} asking;

/* What is to be said to the library, without the lock, in this order. */
typedef struct verdict {
    snug_call *call;
    snug_approval answer;
    const char *reason;
    struct verdict *next;
} verdict;

/* ---- asking_questions.c ---- */

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
/* Asks the client of an older revision what it has not heard of. SNUG_OK or SNUG_ENOMEM. */
int questions_tell(const mcp_call *c);
/* Says all to the library, and frees the list. Without the lock. */
void questions_give_verdicts(verdict *list);

/* ---- asking_answers.c ---- */

/* Of inputResponses to questions up to that number: 0 where one of them is not an ElicitResult. */
int questions_check(const mcp_call *c, const cJSON *responses, uint64_t last);
void questions_take(verdict **list, mcp_call *c, const cJSON *responses, uint64_t last);

/* ---- asking_apart.c ---- */

/* The request that has begun the cell becomes one that has joined it. SNUG_OK or SNUG_ENOMEM. */
int asking_part(mcp_call *c);
/* Appends the result of requests that wait for such a cell: input_required. */
int asking_write_result(str *out, const mcp_call *c);
int asking_has_joined(const mcp_server *s, const asking *k);
/* All that wait for it, off the server's list. */
mcp_call *asking_take_joined(mcp_server *s, const asking *k);
void asking_forget_old(mcp_server *s, uint64_t now_ns);

/* ---- asking.c ---- */

/* A thread takes it again, or will where one has it now. */
void asking_wake(mcp_call *c);

#endif
