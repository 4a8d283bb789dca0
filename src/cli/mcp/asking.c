#include "cli/mcp/asking.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/jsontext.h"
#include "cli/program/secrets.h"
#include "cli/tools/call_text.h"

/* So long a cell waits for a request of the newer revision that waits for it. */
enum { ALONE_MS = 3600000 };

/* What is asked: a call of the cell's. With the server's lock. */
typedef struct question {
    snug_call *call; /* to be answered once, by asking_look or asking_end */
    uint64_t number;
    char *text; /* of the call */
    int is_told, is_decided;
    snug_approval answer;
    const char *reason;
    struct question *next;
} question;

/* ---- questions ---- */

static void free_question(question *q)
{
    if (q)
        free(q->text);
    free(q);
}

/* NULL without memory. */
static question *make_question(snug_call *asked)
{
    str text = { 0 }, arguments = { 0 };
    question *q = calloc(1, sizeof *q);

    /* Keys are hidden before anything is cut: of one that is cut the beginning would be left. */
    str_add(&arguments, snug_call_arguments(asked));
    secrets_hide_str(&arguments);
    if (q && !str_error(&arguments) &&
        !call_text_of(&text, snug_call_name(asked), str_text(&arguments))) {
        q->call = asked;
        q->text = str_take(&text);
    }
    str_free(&arguments);
    str_free(&text);
    if (q && q->text)
        return q;
    free_question(q);
    return NULL;
}

static void decide(question *q, snug_approval answer, const char *reason)
{
    q->is_decided = 1;
    q->answer = answer;
    q->reason = answer == SNUG_APPROVAL_REFUSE ? reason : NULL;
}

static void refuse_questions(mcp_call *c, const char *reason)
{
    for (question *q = c->questions; q; q = q->next)
        decide(q, SNUG_APPROVAL_REFUSE, reason);
}

/* Says to the library what was decided, and frees the list. Without the lock. */
static void give_answers(question *list)
{
    while (list) {
        question *q = list;
        list = q->next;
        snug_call_approve(q->call, q->answer, q->reason);
        free_question(q);
    }
}

/* ---- being asked ---- */

int asking_is_possible(const mcp_call *c)
{
    const snug_session_options *o = &c->server->options->session;

    for (size_t i = 0; i < o->tool_rule_count && !c->handle->is_bash; i++)
        if (o->tool_rules[i].decision == SNUG_TOOL_DECISION_ASK)
            return 1;
    return 0;
}

int asking_takes_forms(const cJSON *capabilities)
{
    const cJSON *elicitation = rpc_object(capabilities, "elicitation");
    return elicitation && (rpc_object(elicitation, "form") ||
                           !cJSON_GetObjectItemCaseSensitive(elicitation, "url"));
}

/* Why nobody can be asked; NULL: somebody can. With the lock. */
static const char *find_obstacle(const mcp_call *c)
{
    if (c->server->asks_nobody)
        return "nobody can be asked any more: snug mcp is ending, or its client has left";
    int is_waited_for = c->peer != NULL;
    for (const question *q = c->questions; q; q = q->next)
        is_waited_for |= snug_call_is_wanted(q->call);
    if (!is_waited_for)
        return "nobody can be asked any more: no request of the client waits for this cell";
    if (c->is_modern) {
        const cJSON *meta = rpc_object(c->message.params, "_meta");
        if (asking_takes_forms(rpc_object(meta, MCP_META "clientCapabilities")))
            return NULL;
    } else if (c->peer->takes_forms && c->wire.takes_requests) {
        return NULL;
    }
    return "nobody can be asked: this MCP client does not take elicitation";
}

void asking_on_approval(void *payload, snug_call *asked)
{
    mcp_call *c = payload;
    mcp_server *s = c->server;
    question *q = make_question(asked), **at = &c->questions;
    str why = { 0 };

    pthread_mutex_lock(&s->lock);
    const char *obstacle = q ? find_obstacle(c) : "out of memory for the question";
    if (!obstacle) {
        while (*at)
            at = &(*at)->next;
        q->number = ++s->asked;
        *at = q;
    }
    pthread_mutex_unlock(&s->lock);
    if (!obstacle)
        return;

    free_question(q);
    str_printf(&why, "%s() is not allowed: the session asks about its calls, and %s",
               snug_call_name(asked), obstacle);
    snug_call_approve(asked, SNUG_APPROVAL_REFUSE, why.data);
    str_free(&why);
}

/* ---- telling the client. With the lock ---- */

/* Appends the params of the request: the call as somebody reads it, and once, always or refuse as
 * the answer. */
static int write_form(str *out, const question *q, int is_modern)
{
    static const char schema[] =
        ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\","
        "\"title\":\"Call it?\",\"description\":\"once: this call; always: this and all further "
        "calls of this tool in the session; refuse: the program gets a "
        "refusal\",\"enum\":[\"once\","
        "\"always\",\"refuse\"]}},\"required\":[\"answer\"]}}";
    str message = { 0 };

    str_printf(&message, "A program wants to call %s", q->text);
    str_add(out, is_modern ? "{\"mode\":\"form\",\"message\":" : "{\"message\":");
    jsontext_quote(out, str_text(&message), message.len);
    const int error = str_error(&message);
    str_free(&message);
    return error ? error : str_add(out, schema);
}

/* Of the newer revision: *out is the answer to the request, and *wire its way. After it no request
 * waits for the cell, until one is sent again. */
static int answer_with_questions(str *out, mcp_wire *wire, mcp_call *c)
{
    str result = { 0 };
    uint64_t last = 0;

    if (!*c->cell && !random_letters(c->cell, sizeof c->cell - 1))
        return SNUG_ESYSTEM;
    str_printf(&result,
               "{\"resultType\":\"input_required\",\"_meta\":{\"" MCP_META
               "serverInfo\":{\"name\":\"snug\",\"version\":\"%s\"}},\"inputRequests\":{",
               snug_version());
    for (question *q = c->questions; q; q = q->next) {
        str_printf(&result, "%s\"approval-%llu\":{\"method\":\"elicitation/create\",\"params\":",
                   q == c->questions ? "" : ",", (unsigned long long)q->number);
        write_form(&result, q, 1);
        str_add(&result, "}");
    }
    for (const question *q = c->questions; q; q = q->next)
        last = q->number;
    str_printf(&result, "},\"requestState\":\"%s.%llu\"}", c->cell, (unsigned long long)last);
    int error = str_error(&result);
    if (!error)
        error = rpc_write_answer(out, c->message.id, "result", result.data);
    str_free(&result);
    if (error)
        return error;

    for (question *q = c->questions; q; q = q->next)
        q->is_told = 1;
    *wire = c->wire;
    c->wire = (mcp_wire){ 0 };
    c->peer->uses--; /* its transport holds it */
    c->peer = NULL;
    c->alone_ns = clock_now_ns();
    free(c->progress_token);
    c->progress_token = NULL;
    return SNUG_OK;
}

/* Of the older one. */
static int send_question(const mcp_call *c, question *q)
{
    str params = { 0 }, text = { 0 };
    char id[40];

    snprintf(id, sizeof id, "\"snug-%llu\"", (unsigned long long)q->number);
    int error = write_form(&params, q, 0);
    if (!error)
        error = rpc_write_request(&text, id, "elicitation/create", params.data);
    if (!error)
        c->wire.tell(c->wire.payload, text.data, text.len);
    q->is_told = !error;
    str_free(&params);
    str_free(&text);
    return error;
}

/* The client need not show it any more. */
static void withdraw(const mcp_call *c, const question *q)
{
    str text = { 0 }, params = { 0 };

    if (!q->is_told || c->is_modern)
        return;
    str_printf(&params,
               "{\"requestId\":\"snug-%llu\",\"reason\":\"the call does not wait for an answer any "
               "more\"}",
               (unsigned long long)q->number);
    if (!str_error(&params) &&
        !rpc_write_notification(&text, "notifications/cancelled", params.data))
        c->wire.tell(c->wire.payload, text.data, text.len);
    str_free(&params);
    str_free(&text);
}

static int tell_questions(str *out, mcp_wire *wire, mcp_call *c)
{
    int error = SNUG_OK, has_news = 0;

    for (question *q = c->questions; q && !error; q = q->next) {
        has_news |= !q->is_told;
        if (!q->is_told && !c->is_modern)
            error = send_question(c, q);
    }
    if (has_news && c->is_modern && c->peer)
        error = answer_with_questions(out, wire, c);
    return error;
}

/* ---- while the cell runs ---- */

/* Takes those off the list, in their order, that are decided, or for which the cell does not wait
 * any more. */
static question *take_over(mcp_call *c)
{
    question *over = NULL, **end = &over;

    for (question **at = &c->questions; *at;) {
        question *q = *at;
        if (!q->is_decided && snug_call_is_wanted(q->call)) {
            at = &q->next;
            continue;
        }
        if (!q->is_decided) {
            withdraw(c, q);
            decide(q, SNUG_APPROVAL_REFUSE, NULL);
        }
        *at = q->next;
        q->next = NULL;
        *end = q;
        end = &q->next;
    }
    return over;
}

void asking_look(mcp_call *c)
{
    mcp_server *s = c->server;
    mcp_wire wire = { 0 };
    str text = { 0 };

    pthread_mutex_lock(&s->lock);
    question *over = take_over(c);
    if (!c->peer && clock_now_ns() >= clock_deadline_ns(c->alone_ns, ALONE_MS))
        refuse_questions(c, "no request of the client has come with an answer for an hour");
    else if (tell_questions(&text, &wire, c))
        refuse_questions(c, "out of memory for the question");
    pthread_mutex_unlock(&s->lock);

    give_answers(over);
    if (wire.answer)
        wire.answer(wire.payload, MCP_FINE, text.data, text.len);
    str_free(&text);
}

void asking_end(mcp_call *c)
{
    mcp_server *s = c->server;

    pthread_mutex_lock(&s->lock);
    question *over = c->questions;
    for (question *q = over; q; q = q->next) {
        withdraw(c, q);
        if (!q->is_decided)
            decide(q, SNUG_APPROVAL_REFUSE, NULL);
    }
    c->questions = NULL;
    pthread_mutex_unlock(&s->lock);
    give_answers(over);
}

void asking_refuse_all(mcp_server *s)
{
    pthread_mutex_lock(&s->lock);
    s->asks_nobody = 1;
    for (mcp_call *c = s->calls; c; c = c->next)
        refuse_questions(c, "nobody answers any more: the client has left");
    pthread_mutex_unlock(&s->lock);
}

/* ---- what clients answer ---- */

/* Of an ElicitResult. 0: it says none of the answers. */
static int read_form(snug_approval *out, const char **reason, const cJSON *result)
{
    static const struct {
        const char *word;
        snug_approval answer;
    } words[] = { { "once", SNUG_APPROVAL_ONCE },
                  { "always", SNUG_APPROVAL_ALWAYS },
                  { "refuse", SNUG_APPROVAL_REFUSE } };
    const char *action = rpc_text(result, "action");
    const char *word = rpc_text(rpc_object(result, "content"), "answer");

    *out = SNUG_APPROVAL_REFUSE;
    *reason = "the person who was asked refused it";
    if (!action)
        return 0;
    if (!strcmp(action, "cancel"))
        *reason = "the person who was asked dismissed the question";
    if (strcmp(action, "accept") != 0)
        return !strcmp(action, "cancel") || !strcmp(action, "decline");
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, word)) {
            *out = words[i].answer;
            return 1;
        }
    return 0;
}

/* Of the older revision: the answer to the request "snug-N". */
void asking_take_answer(mcp_server *s, const mcp_peer *peer, const rpc_message *message)
{
    snug_approval answer = SNUG_APPROVAL_REFUSE;
    const char *reason = "the client could not ask about it";
    char id[40];

    if (message->result && !read_form(&answer, &reason, message->result))
        reason = "the client has not said once, always or refuse";
    pthread_mutex_lock(&s->lock);
    for (mcp_call *c = s->calls; c && message->id; c = c->next)
        for (question *q = c->questions; q && c->peer == peer && !c->is_modern; q = q->next) {
            snprintf(id, sizeof id, "\"snug-%llu\"", (unsigned long long)q->number);
            if (!strcmp(id, message->id) && !q->is_decided)
                decide(q, answer, reason);
        }
    pthread_mutex_unlock(&s->lock);
}

/* The call of a cell that has asked this client, and the number of the last question that it had
 * asked then. State: the cell's id, which nobody can guess, a dot and that number. */
static mcp_call *find_cell(uint64_t *last, const mcp_call *retry)
{
    const char *state = rpc_text(retry->message.params, "requestState");
    const char *dot = state ? strchr(state, '.') : NULL;

    if (!dot)
        return NULL;
    *last = strtoull(dot + 1, NULL, 10);
    for (mcp_call *c = retry->server->calls; c; c = c->next)
        if (*c->cell && c->principal == retry->principal &&
            strlen(c->cell) == (size_t)(dot - state) && !strncmp(c->cell, state, strlen(c->cell)))
            return c;
    return NULL;
}

/* What the cell has asked later has no answer in this request. What is left is asked again. */
static void take_responses(mcp_call *cell, const cJSON *responses, uint64_t last)
{
    for (question *q = cell->questions; q; q = q->next) {
        snug_approval answer;
        const char *reason;
        char key[40];

        snprintf(key, sizeof key, "approval-%llu", (unsigned long long)q->number);
        const cJSON *one = cJSON_GetObjectItemCaseSensitive(responses, key);
        if (q->number <= last && one && read_form(&answer, &reason, one))
            decide(q, answer, reason);
        q->is_told = 0;
    }
}

/* The request waits for the cell from now on: what it has goes over to that call. */
static void wait_for_cell(mcp_call *cell, mcp_call *c)
{
    char *id = cell->message.id;

    cell->message.id = c->message.id;
    c->message.id = id;
    cell->progress_token = c->progress_token;
    c->progress_token = NULL;
    cell->wire = c->wire;
    cell->peer = c->peer;
    c->peer = NULL;
}

void asking_retry(mcp_call *c)
{
    mcp_server *s = c->server;
    const char *fault = NULL;
    uint64_t last = 0;

    pthread_mutex_lock(&s->lock);
    mcp_call *cell = find_cell(&last, c);
    if (!cell)
        fault = "the requestState is of no cell that waits here: it was altered, is of another "
                "client or server, or its cell is over";
    else if (cell->peer)
        fault = "another request waits for the cell of that requestState";
    else if (!c->peer->is_alone && server_has_call(s, c->peer, c->message.id))
        fault = "a request of that id is being answered already; each needs an id of its own";
    if (!fault) {
        take_responses(cell, rpc_object(c->message.params, "inputResponses"), last);
        wait_for_cell(cell, c);
    }
    pthread_mutex_unlock(&s->lock);

    if (fault)
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS, fault, NULL);
    else
        call_free(c);
}
