/*
 * history.c - the conversation as a prompt has it: the latest turns, as many as fit into
 * limits.history_tokens, and a summary of the older ones, which the model has written.
 */
#include "agent/prompt/prompt.h"

#include <string.h>

#include "agent/text/clip.h"
#include "agent/trace/trace.h"
#include "base/error.h"

enum {
    BYTES_PER_TOKEN = 4,
    MOST_HISTORY_BYTES = 16 << 20,
    MOST_SUMMARISED_BYTES = 64 << 10 /* of older turns in the request for a summary */
};

/* ---- a question that is over ---- */

enum { MOST_TURN_BYTES = 3000 };

/* Before the failure of a question without an answer, which stands in the answer's place. */
static const char no_answer[] = "No answer: ";

/* ---- what is kept ---- */

/* Pictures are sent with their question only. */
static void take_question(str *out, const run *r)
{
    str_add_str(out, &r->reply->question);
    if (r->image_count == 1)
        str_add(out, "\n(A picture came with this question, and is not shown again.)");
    else if (r->image_count > 1)
        str_add(out, "\n(Pictures came with this question, and are not shown again.)");
}

/* What a cell gave to final_answer is what the program gave, like what it printed. */
static void take_output(str *out, const run *r, const attempt *last)
{
    const int is_of_cell = r->has_final && !r->is_in_words;

    if (!is_of_cell || !last->has_no_output)
        str_add_str(out, &last->output);
    if (!is_of_cell)
        return;
    str_add(out, out->len > 0 ? "\n" : "");
    str_add_str(out, &r->final_answer);
}

static const char *find_last(const char *text, const char *what)
{
    const char *found = NULL;
    for (const char *at = text; (at = strstr(at, what)); at++)
        found = at;
    return found;
}

/* The options that a sentence of ours names are advice for the user, as is the count of attempts
 * that it begins with. What it quotes stands before the options. */
static void add_without_options(str *out, const char *sentence)
{
    static const char *const counts[] = { " failed too: ", "the only attempt failed: " };
    const char *open = find_last(sentence, " (--"), *advice = find_last(sentence, "; --");
    const char *close = open ? strchr(open, ')') : NULL;
    const char *begin = sentence, *end = sentence + strlen(sentence);

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *found = strstr(sentence, counts[i]);
        if (begin == sentence && found && (found == sentence || !strncmp(sentence, "attempt ", 8)))
            begin = found + strlen(counts[i]);
    }

    if (advice)
        end = advice;
    if (close && close <= end) {
        str_append(out, begin, (size_t)(open - begin));
        begin = close + 1;
    }
    str_append(out, begin, (size_t)(end - begin));
}

/* The answer to a program that was given ends with that, which the turn has already. */
static void take_answer(str *out, const run *r)
{
    const str *answer = &r->reply->answer;
    const char *program = r->reply->is_given ? strstr(str_text(answer), "\n\n```") : NULL;

    if (answer->len > 0) {
        str_append(out, answer->data, program ? (size_t)(program - answer->data) : answer->len);
        return;
    }
    str_add(out, no_answer);
    add_without_options(out, str_text(&r->reply->error));
}

int turn_take(turn *t, const run *r)
{
    const attempt *last = reply_best(r->reply);

    take_question(&t->question, r);
    take_answer(&t->answer, r);
    if (last) {
        str_add_str(&t->code, &last->code);
        take_output(&t->output, r, last);
    }
    return str_error(&t->question) || str_error(&t->answer) || str_error(&t->code) ||
                   str_error(&t->output)
               ? SNUG_ENOMEM
               : SNUG_OK;
}

/* ---- what prompts have ---- */

static void add_part(str *out, const char *title, const char *text, size_t len)
{
    if (len == 0)
        return;
    str_add(out, title);
    clip_append(out, text, len, MOST_TURN_BYTES, 0);
    str_add(out, "\n");
}

static size_t trimmed(const char *text, size_t len)
{
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        len--;
    return len;
}

/* Of what the program gave: the end of it that is the answer stands there. */
static size_t find_answer(const turn *t)
{
    const char *output = str_text(&t->output);
    const size_t len = trimmed(output, t->output.len);
    const size_t answer_len = trimmed(str_text(&t->answer), t->answer.len);

    if (answer_len == 0 || len < answer_len)
        return t->output.len;
    const size_t begin = len - answer_len;
    if (memcmp(output + begin, t->answer.data, answer_len) != 0)
        return t->output.len;
    return begin == 0 || output[begin - 1] == '\n' ? begin : t->output.len;
}

static void turn_tell(str *out, const turn *t)
{
    const char *answer = str_text(&t->answer);
    const int has_answer = strncmp(answer, no_answer, sizeof no_answer - 1) != 0;

    add_part(out, "Question:\n", str_text(&t->question), t->question.len);
    add_part(out, "Program:\n", str_text(&t->code), t->code.len);
    add_part(out, "It gave:\n", str_text(&t->output), find_answer(t));
    add_part(out, has_answer ? "Answer:\n" : "", answer, t->answer.len);
    str_add(out, "\n");
}

/* ---- what the model reads ---- */

size_t history_bytes(const run *r)
{
    if (r->limits.history_tokens >= MOST_HISTORY_BYTES / BYTES_PER_TOKEN)
        return MOST_HISTORY_BYTES;
    return (size_t)r->limits.history_tokens * BYTES_PER_TOKEN;
}

/* What the summary leaves of that for turns. */
static size_t turn_bytes(const run *r)
{
    const size_t most = history_bytes(r);
    const size_t taken = r->agent->conversation.summary.len;
    return most > taken ? most - taken : 0;
}

/* The turn from which on all fit into room; at least `first`. */
static size_t find_first(const snug_agent *agent, size_t first, size_t room)
{
    size_t at = agent->turn_count, used = 0;

    while (at > first) {
        str text = { 0 };
        turn_tell(&text, &agent->turns[at - 1]);
        used += text.len;
        str_free(&text);
        if (used > room)
            break;
        at--;
    }

    return at;
}

/* Turns that neither a summary nor the history has: the model shall not take it for whole. */
static void tell_cut(str *out, size_t count)
{
    if (count == 1)
        str_add(out, "(An earlier question is left out here.)\n\n");
    else if (count > 1)
        str_printf(out, "(%zu earlier questions are left out here.)\n\n", count);
}

int history_tell(str *out, const run *r)
{
    const snug_agent *agent = r->agent;
    const conversation *c = &agent->conversation;
    const size_t first = find_first(agent, c->told_from, turn_bytes(r));

    if (c->note.len > 0)
        str_printf(out, "(The conversation goes on in a new process:\n%s)\n\n", c->note.data);
    if (c->summary.len > 0)
        str_printf(out, "Summary of what came before:\n%s\n\n", c->summary.data);
    tell_cut(out, first - c->told_from);
    for (size_t i = first; i < agent->turn_count; i++)
        turn_tell(out, &agent->turns[i]);
    return str_error(out) ? error_no_memory() : SNUG_OK;
}

/* ---- the summary ---- */

/* It is made from the one before, and the turns up to `end`. */
static int write_summary_request(str *out, const snug_agent *agent, size_t end)
{
    const conversation *c = &agent->conversation;
    str older = { 0 }, turns = { 0 };

    if (c->summary.len > 0)
        str_printf(&older, "Summary of what came before:\n%s\n\n", c->summary.data);
    for (size_t i = c->told_from; i < end; i++)
        turn_tell(&turns, &agent->turns[i]);
    clip_append(&older, str_text(&turns), turns.len, MOST_SUMMARISED_BYTES, 0);

    const template_values values = { .history = str_text(&older) };
    int error = str_error(&turns) || str_error(&older)
                    ? error_no_memory()
                    : template_render(out, agent->templates, "summarise", &values);
    str_free(&turns);
    str_free(&older);
    return error;
}

static int take_summary(run *r, size_t end, size_t most)
{
    extracted said;
    conversation *c = &r->agent->conversation;
    str summary = { 0 };

    if (extract_code(&said, str_text(&r->said.text), r->said.text.len) != SNUG_OK)
        return error_no_memory();
    const str *text = said.prose.len > 0 ? &said.prose : &r->said.text;
    int error = clip_append(&summary, str_text(text), text->len, most, 0);
    extracted_free(&said);
    if (error || summary.len == 0) {
        str_free(&summary);
        if (error)
            return error_no_memory();
        return SNUG_OK;
    }

    str_free(&c->summary);
    c->summary = summary;
    c->told_from = end;
    return SNUG_OK;
}

/* A summary that fails ends nothing: whether there is still time and money for the
 * question is asked again with its first request. */
static loop_outcome summarise(run *r, size_t end, size_t most)
{
    model_message message = { .role = MODEL_USER };
    str event = event_begin(r, "summarise");

    json_put_number(&event, "turns", (double)(end - r->agent->conversation.told_from));
    event_send(r, "summarise", &event);
    int error = write_summary_request(&message.text, r->agent, end);
    loop_outcome outcome;
    if (error)
        outcome = run_break(r, error);
    else
        outcome = request_ask(r, USE_EVALUATION, TIME_GENERATE, &message, 1);

    str_free(&message.text);

    if (outcome == WENT) {
        error = take_summary(r, end, most);
        if (error)
            return run_break(r, error);
        return WENT;
    }

    if (outcome != STOPPED)
        return outcome;

    event_fault(r, "summary", str_text(&r->reply->error));
    str_clear(&r->reply->error);
    r->reply->status = SNUG_AGENT_STATUS_TERMINAL_ERROR;
    return WENT;
}

loop_outcome history_fit(run *r)
{
    const snug_agent *agent = r->agent;
    const conversation *c = &agent->conversation;
    const size_t most = history_bytes(r);

    if (find_first(agent, c->told_from, turn_bytes(r)) == c->told_from)
        return WENT;
    /* Half of the room stays free, so that not each question needs a summary. */
    return summarise(r, find_first(agent, c->told_from, most / 2), most / 4);
}
