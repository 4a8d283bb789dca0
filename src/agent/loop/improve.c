/*
 * improve.c - a program that is there already: repaired, made faster, or made to hold for more.
 *
 * It takes the place of the first program that a model would write. With the focus fix_errors it
 * goes the way of any other; with the others, once it passes, versions of it are asked for, and
 * one is taken only where it was measured to be better.
 */
#include "agent/loop/loop.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/prompt/prompt.h"
#include "agent/text/line.h"
#include "agent/trace/trace.h"
#include "base/clock.h"
#include "base/error.h"

int given_is_there(const run *r)
{
    return r->options->code != NULL;
}

int given_is_improved(const run *r)
{
    return given_is_there(r) && r->agent->options.focus != SNUG_AGENT_FOCUS_FIX_ERRORS;
}

static int is_for_speed(const run *r)
{
    return r->agent->options.focus == SNUG_AGENT_FOCUS_OPTIMIZE;
}

static attempt *best_attempt(const run *r)
{
    return &r->reply->attempts[r->reply->best - 1];
}

/* Of the processor, which other programs do not share. */
static double run_ms(const attempt *a)
{
    return a->result ? (double)snug_result_cpu_ns(a->result) / (double)NS_PER_MS : 0;
}

/* ---- begin ---- */

int given_begin(run *r)
{
    const char *code = r->options->code;

    /* The limit is for what models write; a version may add that much to what is there. */
    if (r->limits.code_lines != SNUG_UNLIMITED)
        r->limits.code_lines += line_count(code);
    r->reply->is_given = 1;
    attempt *a = attempt_begin(r, code, strlen(code));
    if (!a)
        return error_no_memory();
    event_text(r, "extract", "code", code, a->code.len);
    return talk_begin(r); /* with the names that there are before it has run */
}

static int renew_data(run *r)
{
    int error = snug_session_rollback(r->agent->session);

    str_clear(&r->inputs);
    if (error)
        return error;
    return inputs_bind(r);
}

loop_outcome given_renew(run *r)
{
    if (renew_data(r))
        return run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR, "the data could not be put back: %s",
                        error_message());
    return WENT;
}

/* ---- a version that is not taken ---- */

static void tell_version(const run *r, int is_taken, const char *reason)
{
    const snug_reply *reply = r->reply;
    str event = event_begin(r, "improve");

    json_put_bool(&event, "taken", is_taken);
    json_put_word(&event, "reason", reason);
    if (reply->original_ms > 0)
        json_put_number(&event, "original_ms", reply->original_ms);
    if (is_taken && reply->improved_ms > 0)
        json_put_number(&event, "improved_ms", reply->improved_ms);
    event_send(r, "improve", &event);
}

__attribute__((format(printf, 2, 3))) static loop_outcome reject_version(run *r, const char *format,
                                                                         ...)
{
    char sentence[300];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    loop_outcome outcome = run_fail(r, "repair", "logical", "assertion");
    if (outcome == FAILED && str_add(&r->failure.sentence, sentence))
        return run_break(r, error_no_memory());
    return outcome;
}

static loop_outcome reject_attempt(run *r)
{
    loop_outcome outcome = attempt_fail(r);
    if (outcome == FAILED)
        tell_version(r, 0, str_text(&r->failure.sentence));
    return outcome;
}

loop_outcome given_compare(run *r)
{
    const attempt *last = run_attempt(r);
    if (strcmp(str_text(&last->output), str_text(&best_attempt(r)->output)) == 0)
        return WENT;
    return reject_version(r, "it does not give what the program gave");
}

/* The times of the runs that both had as attempts. */
static loop_outcome compare_speed(run *r, const attempt *candidate)
{
    const double before = run_ms(best_attempt(r)), after = run_ms(candidate);

    r->reply->original_ms = before;
    if (after > 0.9 * before)
        return reject_version(r, "it is not faster by 10 %% or more: %.3g ms, and %.3g ms before",
                              after, before);
    r->reply->improved_ms = after;
    return WENT;
}

/* ---- the step ---- */

/* Nothing tells a right version from a wrong one. */
static int is_blind(const run *r)
{
    return !r->options->checks && !r->options->expect && best_attempt(r)->has_no_output;
}

static void take_best(run *r)
{
    r->reply->best = r->reply->attempt_count;
    r->has_best_verdict = r->reply->has_verdict;
    r->best_verdict = r->reply->verdict;
}

/* WENT: it is better, and taken. */
static loop_outcome compare_version(run *r)
{
    const attempt *candidate = run_attempt(r);
    loop_outcome outcome = WENT;

    if (candidate->failure.len > 0) {
        tell_version(r, 0, candidate->failure.data);
        return FAILED;
    }

    if (is_for_speed(r))
        outcome = compare_speed(r, candidate);
    else if (strcmp(str_text(&candidate->code), str_text(&best_attempt(r)->code)) == 0)
        outcome = reject_version(r, "it is the same program");
    if (outcome == FAILED)
        return reject_attempt(r);

    if (outcome == WENT) {
        take_best(r);
        tell_version(r, 1, "");
    }
    return outcome;
}

/* Nothing better is looked for. */
static int is_improved_enough(const run *r, loop_outcome compared)
{
    return run_attempts(r) >= r->limits.attempts || is_blind(r) ||
           (r->reply->best > r->step_attempt && compared == WENT);
}

/* It goes on with the talk, which has the versions that were not taken. */
static loop_outcome ask_version(run *r, const char *template)
{
    int error = talk_ensure(r);
    if (!error)
        error = talk_say_prompt(r, MODEL_USER, template, NULL, 0);
    if (error)
        return run_break(r, error);

    loop_outcome outcome = talk_ask(r, USE_REPAIR, TIME_IMPROVE);
    return outcome == WENT ? MORE : outcome;
}

loop_outcome step_improve(run *r)
{
    static const char *const templates[] = {
        [SNUG_AGENT_FOCUS_OPTIMIZE] = "optimise",
        [SNUG_AGENT_FOCUS_ROBUSTNESS] = "harden",
        [SNUG_AGENT_FOCUS_STYLE] = "restyle",
    };
    const char *template = templates[r->agent->options.focus];
    loop_outcome outcome = WENT;

    if (r->reply->best == 0) { /* it passes, as it came or repaired */
        take_best(r);
        r->step_attempt = r->reply->attempt_count;
    } else
        outcome = compare_version(r);

    if (outcome != WENT && outcome != FAILED)
        return outcome;
    if (is_improved_enough(r, outcome))
        return WENT;

    return ask_version(r, template);
}

/* ---- the end ---- */

static void describe_improvement(str *out, const run *r)
{
    const snug_reply *reply = r->reply;
    const int is_for_style = r->agent->options.focus == SNUG_AGENT_FOCUS_STYLE;

    if (is_blind(r))
        str_add(out, "It gives nothing and there are no checks, so that no version can be told to "
                     "be right.");
    else if (is_for_speed(r) && reply->improved_ms > 0)
        str_printf(out, "It is %.1f times as fast: %.3g ms instead of %.3g ms.",
                   reply->original_ms / reply->improved_ms, reply->improved_ms, reply->original_ms);
    else if (is_for_speed(r))
        str_add(out, "No version was faster by 10 % or more.");
    else if (reply->best > r->step_attempt)
        str_printf(out, "A version for %s gives the same.",
                   is_for_style ? "better style" : "more inputs");
    else
        str_add(out, "No version was better.");
}

/* What became of the program that was given. */
static void add_sentences(str *out, const run *r)
{
    const int is_improved = given_is_improved(r);
    const size_t first = is_improved ? r->step_attempt : r->reply->attempt_count;

    str_add(out, first > 1 ? "The program is repaired." : "The program passes.");
    if (is_improved) {
        str_add(out, " ");
        describe_improvement(out, r);
    }
    str_add(out, r->reply->best == 1 ? " It is unchanged." : "");
}

int given_answer(run *r)
{
    snug_reply *reply = r->reply;

    if (reply->best == 0)
        reply->best = reply->attempt_count;
    else if (reply->best < reply->attempt_count) {
        reply->has_verdict = r->has_best_verdict;
        reply->verdict = r->best_verdict;
        str_clear(&reply->reason);
    }

    str *answer = &reply->answer;
    str_clear(answer);
    add_sentences(answer, r);
    if (str_add(answer, "\n\n") ||
        reply_add_fenced(answer, is_in_bash(r->agent) ? "bash" : "python", &best_attempt(r)->code))
        return error_no_memory();

    answer->data[--answer->len] = '\0'; /* an answer ends without a line end */
    return SNUG_OK;
}

void given_settle(run *r)
{
    snug_result *result = NULL;
    const attempt *a = best_attempt(r);
    if (!given_is_improved(r) || r->reply->best == r->reply->attempt_count)
        return;
    if (renew_data(r) == SNUG_OK)
        run_cell(&result, r, str_text(&a->code), a->code.len, 0);
    snug_result_free(result);
}
