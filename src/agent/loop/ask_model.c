/*
 * ask_model.c - ask_model(prompt, system=None) in cells: a program asks a model itself, as of the
 * parts of a text that is too long for one prompt.
 *
 * A request of a cell's is one of the question's: its tokens, cost and time are counted with all
 * others. What goes wrong is an exception in the cell, and never the end of the question.
 */
#include "agent/loop/loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/prompt/prompt.h"
#include "agent/text/blocks.h"
#include "base/error.h"
#include "base/jsontext.h"

enum { MESSAGE_BYTES = 1200 };

/* What a cell has given. */
typedef struct cell_request {
    model_message messages[2]; /* system, where there is one, and the prompt */
    size_t count;
} cell_request;

/* SNUG_OK, SNUG_ENOMEM, or SNUG_EINVAL: it is not a text. */
static int add_message(cell_request *q, model_role role, jsontext_span text)
{
    model_message *message = &q->messages[q->count++];

    message->role = role;
    return jsontext_string(&message->text, text);
}

/* The same. */
static int read_request(cell_request *q, const char *arguments)
{
    const jsontext_span object = { arguments, strlen(arguments) };
    const jsontext_span system = jsontext_member(object, "system");
    int error = SNUG_OK;

    if (system.text && !jsontext_is(system, "null"))
        error = add_message(q, MODEL_SYSTEM, system);
    if (!error)
        error = add_message(q, MODEL_USER, jsontext_member(object, "prompt"));
    return error;
}

/* Asks, and puts the run back to where the cell found it: its last reply, its pictures, how it
 * would end. The answer is in *said, or fault says why there is none. */
static loop_outcome ask_aside(model_reply *said, char *fault, run *r, const cell_request *q)
{
    snug_reply *reply = r->reply;
    const model_reply kept = r->said;
    const snug_agent_status status = reply->status;
    const size_t images = r->image_count;

    r->said = (model_reply){ 0 };
    r->image_count = 0;
    loop_outcome outcome = request_ask(r, USE_CELL, TIMES, q->messages, q->count);
    if (outcome != WENT)
        snprintf(fault, MESSAGE_BYTES, "%s",
                 outcome == STOPPED ? str_text(&reply->error) : error_message());

    *said = r->said;
    r->said = kept;
    r->image_count = images;
    reply->status = status;
    str_clear(&reply->error);
    return outcome;
}

/* Without what a model thought in its reply. SNUG_OK or SNUG_ENOMEM. */
static int write_answer(str *out, const str *said)
{
    str text = { 0 };
    int is_whole;
    int error = blocks_without_thinking(&text, &is_whole, str_text(said), said->len);

    blocks_trim(&text);
    if (!error)
        error = jsontext_quote(out, str_text(&text), text.len);
    str_free(&text);
    return error;
}

static uint64_t tokens_used(const snug_reply *reply)
{
    return reply->input_tokens + reply->output_tokens;
}

static void answer_call(run *r, snug_call *call, const cell_request *q)
{
    snug_reply *reply = r->reply;
    const uint64_t before = tokens_used(reply);
    char fault[MESSAGE_BYTES];
    model_reply said;
    str quoted = { 0 };

    reply->cell_calls++;
    loop_outcome outcome = ask_aside(&said, fault, r, q);
    reply->cell_tokens += tokens_used(reply) - before;

    if (outcome != WENT)
        snug_call_fail(call, fault);
    else if (write_answer(&quoted, &said.text))
        snug_call_fail(call, "out of memory");
    else
        snug_call_return(call, quoted.data, quoted.len);

    str_free(&quoted);
    model_reply_free(&said);
}

static void fail_too_many(const run *r, snug_call *call)
{
    char message[200];

    snprintf(message, sizeof message,
             "ask_model() was not called: the programs of this question have made all of their "
             "%" PRIu64 " calls; --most-model-calls allows more",
             r->limits.model_calls);
    snug_call_fail(call, message);
}

/* On the thread that asks, which waits for the cell: so events come from where they always do, and
 * a cancel of the question ends the request. */
static void take_call(void *payload, snug_call *call, const char *arguments)
{
    snug_agent *agent = payload;
    run *r = agent->run;
    cell_request q = { 0 };
    int error;

    if (!r) {
        snug_call_fail(call, "ask_model() works in the programs of a question only");
        return;
    }

    if (r->reply->cell_calls >= r->limits.model_calls)
        fail_too_many(r, call);
    else if ((error = read_request(&q, arguments)))
        snug_call_fail(call, error == SNUG_EINVAL ? "ask_model() takes texts" : "out of memory");
    else if (cell_clock_begin(&agent->cell_clock, agent->session, r->deadline_ns))
        snug_call_fail(call, error_message());
    else
        answer_call(r, call, &q);
    for (size_t i = 0; i < q.count; i++)
        model_message_free(&q.messages[i]);
}

int ask_model_bind(snug_agent *agent)
{
    snug_tool tool = SNUG_TOOL_INIT;

    if (!agent->options.asks_model || is_in_bash(agent))
        return SNUG_OK;
    tool.name = "ask_model";
    tool.signature = "prompt: str, system: str = None";
    tool.doc = "Asks a language model, which sees nothing but this, and gives its reply.";
    tool.is_untimed = 1;
    tool.fn = take_call;
    tool.payload = agent;
    return snug_session_bind_tool(agent->session, &tool);
}
