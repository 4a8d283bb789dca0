/*
 * talk.c - a question as a conversation with a model: what was asked, each reply, and what came of
 * it, as messages (run.messages).
 *
 * A repair goes on with the talk. A judgement, and the words of the answer, see all of it too, but
 * what is said for them does not stay in it. A step of a plan begins another talk, whose first
 * message has what the steps before it gave.
 *
 * The first message and the last exchange are always sent; of those between, the latest that fit
 * into limits.history_tokens; a line in the first message says how many are left out.
 */
#include "agent/prompt/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "agent/text/blocks.h"
#include "agent/trace/trace.h"
#include "base/array.h"
#include "base/error.h"

/* ---- what is said ---- */

static model_message *add_message(run *r, model_role role)
{
    if (array_reserve(&r->messages, &r->message_cap, r->message_count + 1, sizeof *r->messages))
        return NULL;

    model_message *message = &r->messages[r->message_count++];
    *message = (model_message){ .role = role };
    return message;
}

int talk_say(run *r, model_role role, const char *text, size_t len, const char *call_id,
             int is_error)
{
    model_message *message = add_message(r, role);

    if (!message || str_append(&message->text, text, len))
        return error_no_memory();

    if (call_id && str_add(&message->call_id, call_id))
        return error_no_memory();

    message->is_error = is_error;
    return SNUG_OK;
}

int talk_say_prompt(run *r, model_role role, const char *template, const char *call_id,
                    int is_error)
{
    str text = { 0 };
    int error = prompt_make(&text, r, template);
    if (!error)
        error = talk_say(r, role, str_text(&text), text.len, call_id, is_error);
    str_free(&text);
    return error;
}

/* As a model would have written it. */
static int say_given_program(run *r)
{
    str text = { 0 };
    const str *code = &r->reply->attempts[0].code;
    const char *language = is_in_bash(r->agent) ? "bash" : "python";
    int error = reply_add_fenced(&text, language, code) ? error_no_memory() : SNUG_OK;
    if (!error)
        error = talk_say(r, MODEL_ASSISTANT, str_text(&text), text.len, NULL, 0);
    str_free(&text);
    return error;
}

/* What was said in the talk before it is the reply's. */
static int clear(run *r)
{
    int error = watch_keep_talk(r);
    talk_return(r, 0);
    return error;
}

int talk_begin(run *r)
{
    int error = clear(r);
    if (!error)
        error = talk_say_prompt(r, MODEL_SYSTEM,
                                r->mode == SNUG_AGENT_MODE_ACT ? "system_act" : "system", NULL, 0);
    if (!error)
        error = talk_say_prompt(r, MODEL_USER,
                                r->mode == SNUG_AGENT_MODE_PLAN ? "step" : "generate", NULL, 0);
    if (!error && r->reply->is_given)
        error = say_given_program(r);
    return error;
}

int talk_begin_with(run *r, const char *template)
{
    int error = clear(r);
    return error ? error : talk_say_prompt(r, MODEL_USER, template, NULL, 0);
}

int talk_ensure(run *r)
{
    return r->message_count > 0 ? SNUG_OK : talk_begin(r);
}

size_t talk_mark(const run *r)
{
    return r->message_count;
}

void talk_return(run *r, size_t mark)
{
    while (r->message_count > mark)
        model_message_free(&r->messages[--r->message_count]);
}

/* ---- what the model said ---- */

static int copy_calls(model_message *to, const model_call *calls, size_t count)
{
    int failed = 0;

    if (count == 0)
        return SNUG_OK;
    to->calls = calloc(count, sizeof *to->calls);
    if (!to->calls)
        return SNUG_ENOMEM;

    to->call_count = count;
    for (size_t i = 0; i < count; i++)
        failed |= str_add_str(&to->calls[i].id, &calls[i].id) ||
                  str_add_str(&to->calls[i].name, &calls[i].name) ||
                  str_add_str(&to->calls[i].arguments, &calls[i].arguments);
    return failed ? SNUG_ENOMEM : SNUG_OK;
}

/* Calls as text: the program that one asks for in a fence, or its name and what it was sent. */
static int write_calls(str *out, const model_call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const str *arguments = &calls[i].arguments;
        extracted code;

        if (extract_arguments(&code, str_text(arguments), arguments->len) != SNUG_OK)
            return SNUG_ENOMEM;
        str_add(out, out->len > 0 ? "\n\n" : "");
        if (code.code.len > 0 && strcmp(str_text(&calls[i].name), "run_python") == 0)
            reply_add_fenced(out, "python", &code.code);
        else
            str_printf(out, "%s(%s)", str_text(&calls[i].name), str_text(arguments));
        extracted_free(&code);
    }
    return str_error(out);
}

/* A reply without its thinking, which models neither need again nor always read. */
static int write_said(str *out, const str *said)
{
    str plain = { 0 };
    int is_whole, error = blocks_normalize(&plain, str_text(said), said->len);

    if (!error)
        error = blocks_without_thinking(out, &is_whole, str_text(&plain), plain.len);
    str_free(&plain);
    blocks_trim(out);
    return error;
}

/* Only in act mode is a call answered as one; elsewhere it is what it asks for. */
static int keep_reply(run *r)
{
    const model_reply *said = &r->said;
    model_message *message = add_message(r, MODEL_ASSISTANT);
    int error = message ? write_said(&message->text, &said->text) : SNUG_ENOMEM;

    if (!error && r->mode == SNUG_AGENT_MODE_ACT)
        error = copy_calls(message, said->calls, said->call_count);
    else if (!error)
        error = write_calls(&message->text, said->calls, said->call_count);

    /* Not all servers take a message without text. */
    if (!error && message->text.len == 0 && message->call_count == 0)
        error = str_add(&message->text, "(nothing)");
    return error ? error_no_memory() : SNUG_OK;
}

/* ---- what is sent ---- */

typedef struct sent {
    model_message *items;
    size_t count;
} sent;

static void sent_free(sent *s)
{
    for (size_t i = 0; i < s->count; i++)
        model_message_free(&s->items[i]);
    free(s->items);
}

static size_t message_bytes(const model_message *message)
{
    size_t bytes = message->text.len;
    for (size_t i = 0; i < message->call_count; i++)
        bytes += message->calls[i].arguments.len;
    return bytes;
}

/* Where the talk goes on behind its first message. */
static size_t behind_first(const run *r)
{
    const size_t first = r->message_count > 0 && r->messages[0].role == MODEL_SYSTEM ? 2 : 1;
    return first < r->message_count ? first : r->message_count;
}

/* From where on the exchanges are sent: a reply and all that answers it are together. *left_out
 * replies are not. */
static size_t find_first_sent(const run *r, size_t *left_out)
{
    const size_t begin = behind_first(r), room = history_bytes(r);
    size_t at = r->message_count, used = 0, replies = 0;
    size_t first = at;

    *left_out = 0;
    while (at > begin) {
        const model_message *message = &r->messages[--at];
        used += message_bytes(message);
        if (message->role != MODEL_ASSISTANT)
            continue;
        if (replies > 0 && used > room) {
            (*left_out)++;
            continue;
        }
        first = at;
        replies++;
    }

    return replies > 0 ? first : begin;
}

static int copy_message(model_message *to, const model_message *from, int is_aside)
{
    to->role = from->role;
    to->is_error = from->is_error;
    if (str_add_str(&to->text, &from->text))
        return SNUG_ENOMEM;

    if (!is_aside)
        return str_add_str(&to->call_id, &from->call_id) ||
               copy_calls(to, from->calls, from->call_count);

    if (to->role == MODEL_TOOL)
        to->role = MODEL_USER;
    to->is_error = 0;
    return write_calls(&to->text, from->calls, from->call_count);
}

/* Some servers want the roles to take turns: messages of one become one. */
static int add_sent(sent *s, const model_message *from, int is_aside)
{
    if (is_aside && from->role == MODEL_SYSTEM)
        return SNUG_OK;

    model_message *to = &s->items[s->count];
    if (copy_message(to, from, is_aside)) {
        s->count++; /* what there is of it is freed */
        return SNUG_ENOMEM;
    }

    model_message *before = s->count > 0 ? to - 1 : NULL;
    if (!before || before->role != MODEL_USER || to->role != MODEL_USER) {
        s->count++;
        return SNUG_OK;
    }

    int error = str_add(&before->text, "\n\n") || str_add_str(&before->text, &to->text);
    model_message_free(to);
    *to = (model_message){ 0 };
    return error;
}

static int add_left_out(str *out, size_t replies)
{
    if (replies == 1)
        return str_add(out, "\n\n(An earlier reply to this, and what came of it, is left out "
                            "here.)");
    return str_printf(out,
                      "\n\n(%zu earlier replies to this, and what came of them, are left out "
                      "here.)",
                      replies);
}

static int gather_sent(sent *s, const run *r, int is_aside)
{
    size_t left_out;
    const size_t begin = behind_first(r), first = find_first_sent(r, &left_out);
    int error = SNUG_OK;

    s->count = 0;
    s->items = calloc(r->message_count, sizeof *s->items);
    if (!s->items)
        return error_no_memory();

    for (size_t i = 0; !error && i < r->message_count; i++) {
        if (i == begin && left_out > 0)
            error = add_left_out(&s->items[s->count - 1].text, left_out);
        if (!error && (i < begin || i >= first))
            error = add_sent(s, &r->messages[i], is_aside);
    }

    return error ? error_no_memory() : SNUG_OK;
}

static loop_outcome ask(run *r, model_use use, reply_time time, int is_aside)
{
    sent s = { 0 };
    int error = gather_sent(&s, r, is_aside);
    loop_outcome outcome;

    if (error)
        outcome = run_break(r, error);
    else
        outcome = request_ask(r, use, time, s.items, s.count);

    sent_free(&s);
    if (outcome != WENT)
        return outcome;

    error = keep_reply(r);
    return error ? run_break(r, error) : WENT;
}

loop_outcome talk_ask(run *r, model_use use, reply_time time)
{
    return ask(r, use, time, 0);
}

loop_outcome talk_ask_aside(run *r, model_use use, reply_time time)
{
    return ask(r, use, time, 1);
}

loop_outcome talk_ask_apart(run *r, model_use use, reply_time time, const char *template)
{
    int error = talk_ensure(r);
    if (error)
        return run_break(r, error);

    const size_t mark = talk_mark(r);
    loop_outcome outcome;
    error = talk_say_prompt(r, MODEL_USER, template, NULL, 0);
    if (error)
        outcome = run_break(r, error);
    else
        outcome = talk_ask_aside(r, use, time);
    talk_return(r, mark);
    return outcome;
}
