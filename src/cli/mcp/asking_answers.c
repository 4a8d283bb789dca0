/* asking_answers.c - what clients answer. */
#include <stdlib.h>
#include <string.h>

#include "cli/mcp/asking.h"

/* ---- the older revision ---- */

/* "snug-N" as JSON; 0: it is another. */
static uint64_t read_number(const char *id)
{
    static const char before[] = "\"snug-";
    char *end;

    if (!id || strncmp(id, before, sizeof before - 1) != 0)
        return 0;
    const uint64_t number = strtoull(id + sizeof before - 1, &end, 10);
    return strcmp(end, "\"") == 0 ? number : 0;
}

void asking_take_answer(mcp_server *s, const mcp_peer *peer, const rpc_message *message)
{
    const uint64_t number = read_number(message->id);
    verdict *verdicts = NULL;
    snug_approval answer = SNUG_APPROVAL_REFUSE;
    const char *reason = "the client could not ask about it";

    if (message->result && form_read(&answer, &reason, message->result) < 1) {
        answer = SNUG_APPROVAL_REFUSE;
        reason = "the client has not said once, always or refuse";
    }
    pthread_mutex_lock(&s->lock);
    for (mcp_call *c = s->calls; c && number > 0; c = c->next) {
        if (c->peer != peer || c->is_modern || !*questions_find(c, number))
            continue;
        questions_decide(&verdicts, questions_find(c, number), answer,
                         answer == SNUG_APPROVAL_REFUSE ? reason : NULL);
        asking_wake(c);
    }
    pthread_mutex_unlock(&s->lock);
    questions_give_verdicts(verdicts);
}

/* ---- the newer one: a request that is sent again ---- */

static const cJSON *find_response(const cJSON *responses, const question *q, uint64_t last)
{
    char key[40];

    snprintf(key, sizeof key, "approval-%llu", (unsigned long long)q->number);
    return q->number <= last ? cJSON_GetObjectItemCaseSensitive(responses, key) : NULL;
}

/* 0 where a response is not an ElicitResult. */
static int check_responses(const mcp_call *c, const cJSON *responses, uint64_t last)
{
    for (const question *q = c->questions; q; q = q->next) {
        snug_approval answer;
        const char *reason;
        const cJSON *one = find_response(responses, q, last);
        if (one && form_read(&answer, &reason, one) < 0)
            return 0;
    }
    return 1;
}

static void take_responses(verdict **list, mcp_call *c, const cJSON *responses, uint64_t last)
{
    for (question **at = &c->questions; *at;) {
        snug_approval answer;
        const char *reason;
        const cJSON *one = find_response(responses, *at, last);
        if (one && form_read(&answer, &reason, one) == 1)
            questions_decide(list, at, answer, answer == SNUG_APPROVAL_REFUSE ? reason : NULL);
        else
            at = &(*at)->next;
    }
}

/* The call of a cell that has asked this client, and the number of the last question that it had
 * asked then. State: the cell's id, which nobody can guess, a dot and that number. */
static mcp_call *find_cell(uint64_t *last, mcp_call *list, const mcp_call *retry)
{
    const char *state = rpc_text(retry->message.params, "requestState");
    const char *dot = state ? strchr(state, '.') : NULL;

    if (!dot)
        return NULL;
    *last = strtoull(dot + 1, NULL, 10);
    for (mcp_call *c = list; c; c = c->next)
        if (*c->cell && c->principal == retry->principal &&
            strlen(c->cell) == (size_t)(dot - state) && !strncmp(c->cell, state, strlen(c->cell)))
            return c;
    return NULL;
}

/* What is wrong with it; NULL: nothing. */
static const char *find_fault(const mcp_call *c, const mcp_call *cell, const cJSON *responses,
                              uint64_t last)
{
    if (!cell)
        return "the requestState is of no cell that is kept here: it was altered, is of another "
               "client or server, or is too old";
    if (cell->peer)
        return "another request waits for the cell of that requestState";
    if (responses && !cJSON_IsObject(responses))
        return "\"inputResponses\" must be an object";
    if (!check_responses(cell, responses, last))
        return "a member of \"inputResponses\" is not an ElicitResult: its \"action\" is accept, "
               "decline or cancel";
    if (!c->peer->is_alone && server_has_call(c->server, c->peer, c->message.id))
        return "a request of that id is being answered already; each needs an id of its own";
    return NULL;
}

/* Each request says for itself what its client takes: it may be asked further. */
static int takes_forms(const mcp_call *c)
{
    const cJSON *meta = rpc_object(c->message.params, "_meta");
    return form_is_taken(rpc_object(meta, MCP_META "clientCapabilities"));
}

/* The request waits for the cell from now on: what it has goes over to that call. */
static void wait_for(mcp_call *cell, mcp_call *c)
{
    char *id = cell->message.id;

    cell->message.id = c->message.id;
    c->message.id = id;
    cell->progress_token = c->progress_token;
    c->progress_token = NULL;
    cell->wire = c->wire;
    cell->peer = c->peer;
    asking_wake(cell);
}

void asking_retry(mcp_call *c)
{
    mcp_server *s = c->server;
    const cJSON *responses = cJSON_GetObjectItemCaseSensitive(c->message.params, "inputResponses");
    verdict *verdicts = NULL;
    uint64_t last = 0;

    pthread_mutex_lock(&s->lock);
    mcp_call *over = find_cell(&last, s->kept, c);
    mcp_call *cell = over ? over : find_cell(&last, s->calls, c);
    const char *fault = find_fault(c, cell, responses, last);
    const int is_taken = !fault && !over && takes_forms(c);
    if (!fault && over)
        calls_remove(&s->kept, over);
    if (is_taken) {
        take_responses(&verdicts, cell, responses, last);
        wait_for(cell, c);
    }
    pthread_mutex_unlock(&s->lock);

    questions_give_verdicts(verdicts);
    if (is_taken) {
        call_free(c);
    } else if (fault) {
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS, fault, NULL);
    } else if (over) {
        call_send(c, over->status, over->member, over->answer.data);
        call_free(over);
    } else {
        call_fail(c, MCP_BAD, MCP_MISSING_CAPABILITY, "Missing required client capability",
                  "{\"requiredCapabilities\":{\"elicitation\":{\"form\":{}}}}");
    }
}
