/* asking_questions.c - what cells ask, and how clients hear of it. */
#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"
#include "cli/mcp/asking.h"
#include "cli/program/secrets.h"
#include "cli/tools/call_text.h"

/* ---- one ---- */

question *questions_make(snug_call *asked)
{
    str text = { 0 }, arguments = { 0 };
    question *q = calloc(1, sizeof *q);

    /* Keys are hidden before anything is cut: of one that is cut the beginning would be left. */
    int error = q ? str_add(&arguments, snug_call_arguments(asked)) : SNUG_ENOMEM;
    if (!error) {
        secrets_hide_str(&arguments);
        error = call_text_of(&text, snug_call_name(asked), str_text(&arguments));
    }
    if (!error) {
        q->call = asked;
        q->text = str_take(&text);
    }
    str_free(&arguments);
    if (q && !q->text) {
        free(q);
        q = NULL;
    }
    str_free(&text);
    return q;
}

/* ---- questions ---- */

void questions_free_one(question *q)
{
    free(q->text);
    free(q);
}

void questions_give_verdicts(verdict *list)
{
    while (list) {
        verdict *one = list;
        list = one->next;
        snug_call_approve(one->call, one->answer, one->reason);
        free(one);
    }
}

question **questions_find(mcp_call *c, uint64_t number)
{
    question **at = &c->questions;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

/* Takes it off the list. Without memory it is refused here. */
void questions_decide(verdict **list, question **at, snug_approval answer, const char *reason)
{
    question *q = *at;
    verdict *one = calloc(1, sizeof *one);

    *at = q->next;
    while (*list)
        list = &(*list)->next;
    if (one) {
        *one = (verdict){ q->call, answer, reason, NULL };
        *list = one;
    } else {
        snug_call_approve(q->call, SNUG_APPROVAL_REFUSE, reason);
    }
    questions_free_one(q);
}

void questions_refuse(verdict **list, mcp_call *c, const char *reason)
{
    while (c->questions)
        questions_decide(list, &c->questions, SNUG_APPROVAL_REFUSE, reason);
}

/* The client need not show it any more. */
void questions_withdraw(const mcp_call *c, const question *q)
{
    str text = { 0 }, params = { 0 };
    int error = str_printf(&params,
                           "{\"requestId\":\"snug-%llu\",\"reason\":\"the call does not wait for "
                           "an answer any more\"}",
                           (unsigned long long)q->number);
    if (!error)
        error = rpc_write_notification(&text, "notifications/cancelled", params.data);
    if (!error && q->is_told && !c->is_modern)
        c->wire.tell(c->wire.payload, text.data, text.len);
    str_free(&params);
    str_free(&text);
}

/* Those for which the cell does not wait any more. */
void questions_drop_unwanted(verdict **list, mcp_call *c)
{
    for (question **at = &c->questions; *at;) {
        if (snug_call_is_wanted((*at)->call)) {
            at = &(*at)->next;
            continue;
        }
        questions_withdraw(c, *at);
        questions_decide(list, at, SNUG_APPROVAL_REFUSE, NULL);
    }
}

int questions_are_wanted(const mcp_call *c)
{
    for (const question *q = c->questions; q; q = q->next)
        if (snug_call_is_wanted(q->call))
            return 1;
    return 0;
}

/* ---- forms ---- */

int form_is_taken(const cJSON *capabilities)
{
    const cJSON *elicitation = rpc_object(capabilities, "elicitation");
    return elicitation && (rpc_object(elicitation, "form") ||
                           !cJSON_GetObjectItemCaseSensitive(elicitation, "url"));
}

/* Appends the params of the request: the call as somebody reads it, and once, always or refuse as
 * the answer. has_mode: as the newer revision has it. */
static int form_write(str *out, const char *text, int has_mode)
{
    static const char schema[] =
        ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\","
        "\"title\":\"Call it?\",\"description\":\"once: this call; always: this and all further "
        "calls of this tool in the session; refuse: the program gets a "
        "refusal\",\"enum\":[\"once\","
        "\"always\",\"refuse\"]}},\"required\":[\"answer\"]}}";
    str message = { 0 };
    str_printf(&message, "A program wants to call %s", text);
    str_add(out, has_mode ? "{\"mode\":\"form\",\"message\":" : "{\"message\":");
    jsontext_quote(out, str_text(&message), message.len);
    const int error = str_error(&message);
    str_free(&message);
    return error ? error : str_add(out, schema);
}

static int read_content(snug_approval *out, const cJSON *content)
{
    static const struct {
        const char *word;
        snug_approval answer;
    } words[] = { { "once", SNUG_APPROVAL_ONCE },
                  { "always", SNUG_APPROVAL_ALWAYS },
                  { "refuse", SNUG_APPROVAL_REFUSE } };
    const char *word = rpc_text(content, "answer");

    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, word)) {
            *out = words[i].answer;
            return 1;
        }
    return 0;
}

int form_read(snug_approval *out, const char **reason, const cJSON *result)
{
    const char *action = rpc_text(result, "action");

    *out = SNUG_APPROVAL_REFUSE;
    *reason = "the person who was asked refused it";
    if (!action)
        return -1;
    if (!strcmp(action, "accept"))
        return read_content(out, rpc_object(result, "content"));
    if (!strcmp(action, "cancel"))
        *reason = "the person who was asked dismissed the question";
    return !strcmp(action, "cancel") || !strcmp(action, "decline") ? 1 : -1;
}

/* ---- what is sent ---- */

static int write_requests(str *out, const mcp_call *c)
{
    int error = SNUG_OK;

    for (const question *q = c->questions; q && !error; q = q->next) {
        str_printf(out, "%s\"approval-%llu\":{\"method\":\"elicitation/create\",\"params\":",
                   q == c->questions ? "" : ",", (unsigned long long)q->number);
        error = form_write(out, q->text, 1) ? SNUG_ENOMEM : str_add(out, "}");
    }
    return error;
}

int questions_write_result(str *out, const mcp_call *c)
{
    uint64_t last = 0;
    int error = str_printf(out,
                           "{\"resultType\":\"input_required\",\"_meta\":{\"" MCP_META
                           "serverInfo\":{\"name\":\"snug\",\"version\":\"%s\"}},"
                           "\"inputRequests\":{",
                           snug_version());
    if (!error)
        error = write_requests(out, c);
    for (const question *q = c->questions; q; q = q->next)
        last = q->number;
    return error ? error
                 : str_printf(out, "},\"requestState\":\"%s.%llu\"}", c->cell,
                              (unsigned long long)last);
}

/* Of the older revision. */
static int tell_question(const mcp_call *c, question *q)
{
    str params = { 0 }, text = { 0 };
    char id[40];

    snprintf(id, sizeof id, "\"snug-%llu\"", (unsigned long long)q->number);
    int error = form_write(&params, q->text, 0);
    if (!error)
        error = rpc_write_request(&text, id, "elicitation/create", params.data);
    if (!error)
        c->wire.tell(c->wire.payload, text.data, text.len);
    q->is_told = !error;
    str_free(&params);
    str_free(&text);
    return error;
}

int questions_tell(const mcp_call *c)
{
    int error = SNUG_OK;
    for (question *q = c->questions; q && !error; q = q->next)
        if (!q->is_told)
            error = tell_question(c, q);
    return error;
}
