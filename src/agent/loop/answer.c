/*
 * answer.c - the step reply: the words of the answer, whose numbers must come from the run.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/loop/loop.h"
#include "agent/prompt/prompt.h"
#include "agent/store/retrieve.h"
#include "agent/text/figures.h"
#include "agent/trace/trace.h"
#include "base/error.h"

static int set_answer(run *r, const char *text, size_t len)
{
    while (len > 0 && strchr(" \t\r\n", text[0])) {
        text++;
        len--;
    }

    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        len--;

    str_clear(&r->reply->answer);
    return str_append(&r->reply->answer, text, len) ? error_no_memory() : SNUG_OK;
}

/* What the model said, without its thinking. Where that is nothing, the answer stays that there is,
 * or is what the program gave. */
static int set_said(run *r)
{
    extracted said;
    if (extract_code(&said, str_text(&r->said.text), r->said.text.len) != SNUG_OK)
        return error_no_memory();
    const str *text = said.prose.len > 0 ? &said.prose : &r->said.text;
    int error = SNUG_OK;
    if (strspn(str_text(text), " \t\r\n") < text->len)
        error = set_answer(r, str_text(text), text->len);
    else if (r->reply->answer.len == 0)
        error = set_answer(r, str_text(&run_attempt(r)->output), run_attempt(r)->output.len);
    extracted_free(&said);
    return error;
}

/* ---- where numbers may come from ---- */

/* In act mode and in a plan each program has given something; else the last one has. */
static int is_source(const run *r, const attempt *a)
{
    const int is_last = a == &r->reply->attempts[r->reply->attempt_count - 1];
    return attempt_has_run(a) &&
           (is_last || r->mode == SNUG_AGENT_MODE_ACT || r->mode == SNUG_AGENT_MODE_PLAN);
}

/* NULL if memory ran out. */
static const char **gather_sources(const run *r, size_t *count)
{
    const snug_agent *agent = r->agent;
    const size_t most = 3 + 4 * r->reply->attempt_count + 2 * agent->turn_count;
    const char **sources = calloc(most, sizeof *sources);
    size_t n = 0;

    if (!sources)
        return NULL;

    sources[n++] = r->question;
    sources[n++] = retrieve_context(r);
    for (size_t i = 0; i < r->reply->attempt_count; i++) {
        const attempt *a = &r->reply->attempts[i];
        if (!is_source(r, a))
            continue;
        sources[n++] = str_text(&a->output);
        if (a->result) {
            sources[n++] = snug_result_text(a->result, SNUG_STREAM_STDOUT, NULL);
            sources[n++] = snug_result_text(a->result, SNUG_STREAM_STDERR, NULL);
            sources[n++] = snug_result_text(a->result, SNUG_STREAM_VALUE, NULL);
        } else {
            sources[n++] = str_text(&a->printed);
        }
    }

    /* What was said of earlier runs had to come from those. */
    if (agent->conversation.summary.len > 0)
        sources[n++] = agent->conversation.summary.data;
    for (size_t i = 0; i < agent->turn_count; i++) {
        sources[n++] = str_text(&agent->turns[i].question);
        sources[n++] = str_text(&agent->turns[i].output);
    }

    *count = n;
    return sources;
}

/* The first item of a list, "1, 2, 3": its length; *next is behind it. */
static size_t first_item(const char *list, const char **next)
{
    const char *comma = strstr(list, ", ");

    if (!comma) {
        *next = list + strlen(list);
        return strlen(list);
    }

    *next = comma + 2;
    return (size_t)(comma - list);
}

static int is_listed(const char *list, const char *text, size_t len)
{
    for (const char *next; *list; list = next)
        if (first_item(list, &next) == len && memcmp(list, text, len) == 0)
            return 1;
    return 0;
}

/* A number of a final answer that does not stand in the program was computed by it. */
static int keep_typed(str *unsupported, const char *answer, const char *code)
{
    str computed = { 0 }, kept = { 0 };
    const char *next;
    int error = figures_unsupported(&computed, answer, &code, 1);

    for (const char *at = str_text(unsupported); !error && *at; at = next) {
        size_t len = first_item(at, &next);
        if (is_listed(str_text(&computed), at, len))
            continue;
        if (kept.len > 0)
            error = str_add(&kept, ", ");
        if (!error)
            error = str_append(&kept, at, len);
    }

    str_free(&computed);
    str_free(unsupported);
    *unsupported = kept;
    return error;
}

int answer_find_unsupported(str *out, const run *r, const char *text)
{
    size_t count;
    const char **sources = gather_sources(r, &count);
    if (!sources)
        return error_no_memory();

    int error = figures_unsupported(out, text, sources, count);
    free(sources);
    return error ? error_no_memory() : SNUG_OK;
}

/* is_final: the answer is what a cell gave to final_answer. */
static int find_unsupported(run *r, int is_final)
{
    str *unsupported = &r->reply->unsupported;
    const char *answer = str_text(&r->reply->answer);

    str_clear(unsupported);
    int error = answer_find_unsupported(unsupported, r, answer);
    if (error || !is_final || unsupported->len == 0)
        return error;

    if (keep_typed(unsupported, answer, str_text(&run_attempt(r)->code)))
        return error_no_memory();
    return SNUG_OK;
}

/* ---- the step ---- */

static loop_outcome ask_for_answer(run *r, const char *template)
{
    int error = talk_ensure(r);
    const size_t mark = talk_mark(r);

    if (!error)
        error = talk_say_prompt(r, MODEL_USER, template, NULL, 0);
    if (error)
        return run_break(r, error);

    loop_outcome outcome = talk_ask_aside(r, USE_EVALUATION, TIME_REPLY);
    talk_return(r, mark);
    if (outcome != WENT)
        return outcome;
    error = set_said(r);
    return error ? run_break(r, error) : WENT;
}

/* An answer that needs no request, where there is one. */
static int take_ready_answer(run *r, int *is_there)
{
    const attempt *last = run_attempt(r);
    const int has_verdict = r->has_verdict && r->mode == SNUG_AGENT_MODE_SOLVE;

    *is_there = 1;
    if (r->has_final)
        return set_answer(r, str_text(&r->final_answer), r->final_answer.len);
    if (r->agent->options.answer == SNUG_AGENT_ANSWER_RESULT)
        return set_answer(r, str_text(&last->output), last->output.len);
    if (has_verdict && r->verdict.answer.len > 0)
        return set_answer(r, r->verdict.answer.data, r->verdict.answer.len);
    *is_there = 0;
    return SNUG_OK;
}

static void tell_answer(const run *r)
{
    const snug_reply *reply = r->reply;
    str event = event_begin(r, "reply");
    json_put_str(&event, "answer", &reply->answer);
    json_put_bool(&event, "supported", reply->unsupported.len == 0);
    event_send(r, "reply", &event);
}

/* An answer with numbers from elsewhere is asked for again, once. */
static loop_outcome support_numbers(run *r)
{
    int error = find_unsupported(r, r->has_final && !r->is_in_words);
    if (error)
        return run_break(r, error);

    if (r->reply->unsupported.len == 0)
        return WENT;

    loop_outcome outcome = ask_for_answer(r, "reply_again");
    if (outcome != WENT)
        return outcome;

    error = find_unsupported(r, 0);
    return error ? run_break(r, error) : WENT;
}

/* Where it fails, there is no explanation, and the answer stands. */
static loop_outcome explain_program(run *r)
{
    snug_reply *reply = r->reply;
    extracted said;
    loop_outcome outcome = talk_ask_apart(r, USE_EVALUATION, TIME_REPLY, "explain");
    if (outcome == STOPPED) {
        reply->status = SNUG_AGENT_STATUS_ANSWERED;
        event_text(r, "explain", "fault", str_text(&reply->error), reply->error.len);
        str_clear(&reply->error);
        return WENT;
    }

    if (outcome != WENT)
        return outcome;
    if (extract_code(&said, str_text(&r->said.text), r->said.text.len) != SNUG_OK)
        return run_break(r, error_no_memory());

    int error = str_add_str(&reply->explanation, &said.prose);
    extracted_free(&said);
    event_text(r, "explain", "text", str_text(&reply->explanation), reply->explanation.len);
    if (error)
        return run_break(r, error_no_memory());
    return WENT;
}

/* Whether the model has said all of it by itself. */
static int has_no_program(const run *r)
{
    const attempt *last = run_attempt(r);
    if (!r->is_in_words)
        return 0;
    return r->mode != SNUG_AGENT_MODE_ACT || !last || !attempt_has_run(last);
}

/* An answer that act mode was ended with is made from what there was. */
static int keep_limit(run *r)
{
    str *doubt = &r->reply->doubt;
    if (!r->is_last_asked || doubt->len > 0)
        return SNUG_OK;
    return str_printf(doubt,
                      "all %llu steps were taken before there was a final answer, which is "
                      "made from what there was (--max-steps)",
                      (unsigned long long)r->limits.steps);
}

static loop_outcome finish_answer(run *r)
{
    r->reply->is_without_program = has_no_program(r);
    if (keep_limit(r))
        return run_break(r, error_no_memory());

    r->reply->status = SNUG_AGENT_STATUS_ANSWERED;
    tell_answer(r);
    if (r->options->is_explained && !r->reply->is_without_program)
        return explain_program(r);
    return WENT;
}

/* What a model says of it is not asked for: the program is the answer. */
static loop_outcome reply_given(run *r)
{
    int error = given_answer(r);
    if (error)
        return run_break(r, error);
    given_settle(r);
    return finish_answer(r);
}

loop_outcome step_reply(run *r)
{
    loop_outcome outcome = WENT;
    int is_there;

    if (given_is_there(r))
        return reply_given(r);

    int error = take_ready_answer(r, &is_there);
    if (error)
        return run_break(r, error);

    if (!is_there)
        outcome = ask_for_answer(r, "reply");
    /* Numbers of words without a program were looked at, and asked about, when the words came. */
    if (outcome == WENT && r->agent->options.answer != SNUG_AGENT_ANSWER_RESULT &&
        !has_no_program(r))
        outcome = support_numbers(r);
    if (outcome == WENT)
        outcome = finish_answer(r);
    return outcome;
}
