/*
 * evaluate.c - the step evaluate: does what the program gave answer the question?
 *
 * The caller's checks come first, then the caller's hook, then a model. Checks run aside, after
 * the program: they leave no names.
 */
#include <regex.h>
#include <string.h>

#include "agent/loop/loop.h"
#include "agent/prompt/prompt.h"
#include "agent/text/clip.h"
#include "agent/trace/trace.h"
#include "base/clock.h"
#include "base/error.h"

static loop_outcome fail_logically(run *r, const char *category)
{
    return run_fail(r, r->is_in_words ? "no_code" : "repair", "logical", category);
}

static void tell_verdict(const run *r, const char *by, const char *value, const char *reason)
{
    str event = event_begin(r, "evaluate");
    json_put_word(&event, "by", by);
    json_put_word(&event, "verdict", value);
    json_put_word(&event, "reason", reason);
    event_send(r, "evaluate", &event);
}

/* ---- the caller's ---- */

/* SystemExit ends a cell without an error, and an == of the program's own may raise it: a check has
 * held only where the line behind it has run. */
static const char last_line[] = "\n'checked'", last_value[] = "'checked'";

static int run_between(snug_result **out, run *r, const char *before, const char *check,
                       const char *behind)
{
    str source = { 0 };
    int error = str_printf(&source, "%s%s%s%s", before, check, behind, last_line);

    error = error ? error_no_memory() : run_cell(out, r, source.data, source.len, 1);
    str_free(&source);
    return error;
}

static int run_to_end(snug_result **out, run *r, const char *check)
{
    /* There the exit status of the last command is what a check says, also by exit. */
    if (is_in_bash(r->agent))
        return run_cell(out, r, check, strlen(check), 1);

    /* `total == 42` says what shall be, and not only that it can be compared; a false value of
     * numpy's is False in words alone. */
    int error = run_between(out, r, "assert '%s' % ((", check, "\n),) != 'False', 'it is False'");
    if (error || !*out || strcmp(snug_result_error_name(*out), "SyntaxError") != 0)
        return error;
    snug_result_free(*out);
    return run_between(out, r, "", check, ""); /* statements */
}

static int has_ended(const run *r, const snug_result *result)
{
    return is_in_bash(r->agent) || snug_result_status(result) != SNUG_STATUS_OK ||
           strcmp(snug_result_text(result, SNUG_STREAM_VALUE, NULL), last_value) == 0;
}

static loop_outcome fail_unended(run *r, const char *check)
{
    loop_outcome outcome = fail_logically(r, "assertion");
    str *sentence = &r->failure.sentence;
    if (outcome == FAILED &&
        (str_add(sentence, "the check `") || clip_append(sentence, check, strlen(check), 300, 0) ||
         str_add(sentence, "` was left by SystemExit")))
        return run_break(r, error_no_memory());
    return outcome;
}

static loop_outcome fail_check(run *r, const char *check, const snug_result *result)
{
    loop_outcome outcome = fail_logically(r, snug_result_error_category(result));
    if (outcome != FAILED)
        return outcome;

    size_t len;
    const char *traceback = snug_result_text(result, SNUG_STREAM_TRACEBACK, &len);
    const char *value = snug_result_error_value(result);
    str *sentence = &r->failure.sentence;
    str_add(sentence, "the check `");
    clip_append(sentence, check, strlen(check), 300, 0);
    str_printf(sentence, "` failed: %s%s", snug_result_error_name(result), *value ? ": " : "");
    if (clip_append(sentence, value, strlen(value), 300, 0) ||
        str_append(&r->failure.traceback, traceback, len))
        return run_break(r, error_no_memory());
    return FAILED;
}

static loop_outcome run_check(run *r, const char *check)
{
    snug_result *result;
    loop_outcome outcome = WENT;
    int error = run_to_end(&result, r, check);
    if (error)
        return run_break(r, error);

    if (!result)
        return run_look(r);

    if (snug_result_state(result) == SNUG_STATE_LOST)
        outcome =
            run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR, "the session was lost in a check: %.500s",
                     snug_result_error_value(result));
    else if (!has_ended(r, result))
        outcome = fail_unended(r, check);
    else if (snug_result_status(result) != SNUG_STATUS_OK)
        outcome = fail_check(r, check, result);

    snug_result_free(result);
    return outcome;
}

static loop_outcome run_checks(run *r)
{
    const char *const *checks = r->options->checks;
    loop_outcome outcome = WENT;
    for (size_t i = 0; outcome == WENT && checks && checks[i]; i++)
        outcome = run_check(r, checks[i]);
    return outcome;
}

static loop_outcome match_expected(run *r)
{
    regex_t pattern;
    const char *expect = r->options->expect;
    if (!expect)
        return WENT;

    if (regcomp(&pattern, expect, REG_EXTENDED | REG_NOSUB) != 0)
        return run_break(
            r, error_set(SNUG_EINVAL, "expect is not a regular expression: %.200s", expect));

    const char *given = str_text(r->has_final ? &r->final_answer : &run_attempt(r)->output);
    int found = regexec(&pattern, given, 0, NULL, 0) == 0;
    regfree(&pattern);
    if (found)
        return WENT;

    loop_outcome outcome = fail_logically(r, "assertion");
    if (outcome == FAILED &&
        str_printf(&r->failure.sentence, "what the program gave does not match the pattern %.300s",
                   expect))
        return run_break(r, error_no_memory());

    return outcome;
}

static int keep_verdict(run *r, snug_agent_verdict value, const char *reason)
{
    r->reply->has_verdict = 1;
    r->reply->verdict = value;
    for (int i = 0; i < VERDICT_MARKS; i++)
        r->reply->marks[i] = -1;
    str_clear(&r->reply->reason);
    return str_add(&r->reply->reason, reason);
}

static loop_outcome fail_with_reason(run *r, const char *reason)
{
    loop_outcome outcome = fail_logically(r, "assertion");
    if (outcome == FAILED && clip_append(&r->failure.sentence, reason, strlen(reason), 1000, 0))
        return run_break(r, error_no_memory());
    return outcome;
}

/* Sets *is_judged where the caller has decided, and no model needs to be asked. */
static loop_outcome judge_by_caller(run *r, int *is_judged)
{
    char reason[SNUG_AGENT_REASON_BYTES] = "";
    const snug_agent_options *options = &r->agent->options;
    const attempt *a = run_attempt(r);

    if (!options->on_evaluate || r->is_in_words)
        return WENT;

    snug_agent_verdict value =
        options->on_evaluate(options->payload, r->question, str_text(&a->code), a->result, reason);
    reason[sizeof reason - 1] = '\0';
    if (value == SNUG_AGENT_VERDICT_UNSURE)
        return WENT;

    *is_judged = 1;
    tell_verdict(r, "caller", reply_verdict_name(value), reason);
    if (keep_verdict(r, value, reason))
        return run_break(r, error_no_memory());

    if (value == SNUG_AGENT_VERDICT_PASS)
        return WENT;
    return fail_with_reason(r, *reason ? reason : "the caller rejects it");
}

/* ---- the model's ---- */

int verdict_read_reply(verdict *out, const model_reply *said)
{
    int error = verdict_read(out, str_text(&said->text), said->text.len);

    for (size_t i = 0; !error && !out->is_read && i < said->call_count; i++) {
        const str *arguments = &said->calls[i].arguments;
        verdict_free(out);
        error = verdict_read(out, str_text(arguments), arguments->len);
    }

    return error;
}

static int read_verdict(run *r)
{
    if (r->has_verdict)
        verdict_free(&r->verdict);
    r->has_verdict = 0;

    if (verdict_read_reply(&r->verdict, &r->said))
        return error_no_memory();
    r->has_verdict = 1;
    return SNUG_OK;
}

static loop_outcome ask_for_judgement(run *r, const char *template)
{
    int error = talk_say_prompt(r, MODEL_USER, template, NULL, 0);
    if (error)
        return run_break(r, error);

    loop_outcome outcome = talk_ask_aside(r, USE_EVALUATION, TIME_EVALUATE);
    if (outcome != WENT)
        return outcome;

    error = read_verdict(r);
    return error ? run_break(r, error) : WENT;
}

/* r->verdict. One that cannot be read is asked for once more: a guess may let a wrong answer out,
 * or have a right program repaired. */
static loop_outcome ask_for_verdict(run *r)
{
    int error = talk_ensure(r);
    if (error)
        return run_break(r, error);

    const size_t mark = talk_mark(r);
    loop_outcome outcome = ask_for_judgement(r, "evaluate");
    if (outcome == WENT && !r->verdict.is_read)
        outcome = ask_for_judgement(r, "evaluate_again");
    talk_return(r, mark);
    return outcome;
}

/* An answer that goes out though nobody is sure of it says so. */
static int keep_doubt(run *r)
{
    str *doubt = &r->reply->doubt;
    const str *reason = &r->verdict.reason;
    const char *what = r->verdict.is_read ? "the evaluation is unsure of this answer"
                                          : "what the evaluation said could not be read, twice";

    if (r->verdict.value != SNUG_AGENT_VERDICT_UNSURE || doubt->len > 0)
        return SNUG_OK;
    if (r->mode == SNUG_AGENT_MODE_PLAN)
        str_printf(doubt, "step %zu: ", r->step + 1);
    str_add(doubt, what);
    if (reason->len == 0)
        return str_error(doubt);

    const size_t begin = doubt->len + 2;
    str_add(doubt, ": ");
    if (clip_append(doubt, str_text(reason), reason->len, 300, 0))
        return SNUG_ENOMEM;
    doubt->len = begin + clip_line(doubt->data + begin, doubt->len - begin);
    doubt->data[doubt->len] = '\0';
    return SNUG_OK;
}

static loop_outcome judge_by_model(run *r)
{
    loop_outcome outcome = ask_for_verdict(r);
    if (outcome != WENT)
        return outcome;

    const char *reason = str_text(&r->verdict.reason);
    if (keep_verdict(r, r->verdict.value, reason) || keep_doubt(r))
        return run_break(r, error_no_memory());
    memcpy(r->reply->marks, r->verdict.marks, sizeof r->reply->marks);
    if (r->reply->language.len == 0 && str_add_str(&r->reply->language, &r->verdict.language))
        return run_break(r, error_no_memory());

    tell_verdict(r, "model", reply_verdict_name(r->verdict.value), reason);
    if (r->verdict.value == SNUG_AGENT_VERDICT_FAIL)
        return fail_with_reason(r, *reason ? reason : "the evaluation rejects it");
    return WENT;
}

static int wants_model(const run *r)
{
    if (r->agent->options.has_no_evaluation || r->mode == SNUG_AGENT_MODE_CHAIN)
        return 0;

    /* A version of a program that was given is judged by what that gave. */
    return !r->reply->best && *r->question;
}

/* ---- the step ---- */

/* The verdict of the checks, which need no words of a model. */
static loop_outcome conclude_checks(run *r, loop_outcome outcome)
{
    const char *reason = "";
    snug_agent_verdict value = SNUG_AGENT_VERDICT_PASS;

    if (outcome == FAILED) {
        reason = str_text(&r->failure.sentence);
        value = SNUG_AGENT_VERDICT_FAIL;
    }

    tell_verdict(r, "checks", reply_verdict_name(value), reason);
    if (keep_verdict(r, value, reason))
        return run_break(r, error_no_memory());
    return outcome;
}

/* The caller's checks and pattern; what a version gives is compared where there are none. */
static loop_outcome judge_by_checks(run *r)
{
    const int has_checks = r->options->checks || r->options->expect;
    const uint64_t start_ns = clock_now_ns();
    loop_outcome outcome = run_checks(r);

    if (outcome == WENT)
        outcome = match_expected(r);
    if (outcome == WENT && !has_checks && r->reply->best)
        outcome = given_compare(r);
    r->reply->time_ns[TIME_EVALUATE] += clock_now_ns() - start_ns;

    if (has_checks && (outcome == WENT || outcome == FAILED))
        return conclude_checks(r, outcome);
    return outcome;
}

static loop_outcome judge_program(run *r)
{
    int is_judged = 0;

    if (r->has_verdict)
        verdict_free(&r->verdict);
    r->has_verdict = 0;                  /* of another attempt */
    if (r->mode != SNUG_AGENT_MODE_PLAN) /* whose answer rests on all steps */
        str_clear(&r->reply->doubt);

    loop_outcome outcome = judge_by_checks(r);
    if (outcome == WENT)
        outcome = judge_by_caller(r, &is_judged);
    if (outcome == WENT && !is_judged && wants_model(r))
        outcome = judge_by_model(r);
    return outcome;
}

static loop_outcome finish_plan_step(run *r)
{
    const attempt *a = run_attempt(r);

    if (str_printf(&r->done, "Step %zu gave: ", r->step + 1) ||
        clip_append(&r->done, str_text(&a->output), a->output.len, 2000, 0) ||
        str_add(&r->done, "\n"))
        return run_break(r, error_no_memory());

    r->step++;
    r->step_attempt = r->reply->attempt_count;
    if (r->has_checkpoint)
        snug_session_forget_checkpoint(r->agent->session);
    r->has_checkpoint = 0;
    if (r->step == r->plan.count)
        return WENT;
    event_plan_step(r);
    return MORE;
}

/* The failure of an attempt that ran well. */
static loop_outcome reject_program(run *r)
{
    const int is_of_cell = r->mode != SNUG_AGENT_MODE_ACT || !r->is_in_words;
    loop_outcome outcome =
        is_of_cell ? attempt_fail(r) : FAILED; /* cells are right, words are not */
    if (outcome != FAILED)
        return outcome;

    if (r->mode == SNUG_AGENT_MODE_ACT)
        return act_reject(r);
    str_clear(&r->changed);
    if (str_add_str(&r->changed, &run_attempt(r)->changed))
        return run_break(r, error_no_memory());
    return FAILED;
}

loop_outcome step_evaluate(run *r)
{
    loop_outcome outcome = judge_program(r);

    if (outcome == FAILED)
        return reject_program(r);
    if (outcome == WENT && r->mode == SNUG_AGENT_MODE_PLAN)
        return finish_plan_step(r);
    return outcome;
}

/* ---- the review of a program before it runs ---- */

enum { MOST_REASON_BYTES = 600, MOST_REQUESTS = 2 };

int review_is_wanted(const run *r)
{
    return r->agent->options.reviews_programs != 0;
}

/* The last reply and the pictures are those of the program. */
static loop_outcome ask_reviewer(model_reply *said, run *r)
{
    const model_reply kept = r->said;
    const size_t images = r->image_count;
    model_message message = { .role = MODEL_USER };
    int error = prompt_make(&message.text, r, "review");

    r->said = (model_reply){ 0 };
    r->image_count = 0;
    loop_outcome outcome =
        error ? run_break(r, error) : request_ask(r, USE_EVALUATION, TIME_SCAN, &message, 1);
    model_message_free(&message);
    *said = r->said;
    r->said = kept;
    r->image_count = images;
    return outcome;
}

/* v is empty before. */
static loop_outcome ask_for_review(verdict *v, run *r)
{
    model_reply said;
    loop_outcome outcome = ask_reviewer(&said, r);

    if (outcome == WENT && verdict_read_reply(v, &said))
        outcome = run_break(r, error_no_memory());
    model_reply_free(&said);
    return outcome;
}

static loop_outcome fail_review(run *r, str *reason, const verdict *v)
{
    static const char none[] = "the review rejects it, and gives no reason";
    int error;

    if (v->reason.len > 0)
        error = clip_append(reason, v->reason.data, v->reason.len, MOST_REASON_BYTES, 0);
    else
        error = str_add(reason, none);
    if (error)
        return run_break(r, error_no_memory());

    reason->len = clip_line(reason->data, reason->len);
    reason->data[reason->len] = '\0';
    return FAILED;
}

/* A program runs though nobody is sure of it, and that is said. */
static void tell_doubt(const run *r, const verdict *v)
{
    str text = { 0 };

    if (!v->is_read)
        event_fault(r, "review", "what it said could not be read, twice");
    else if (!str_add(&text, "it is unsure") &&
             (v->reason.len == 0 || (!str_add(&text, ": ") && !str_add_str(&text, &v->reason)))) {
        text.len = clip_line(text.data, text.len);
        text.data[text.len] = '\0';
        event_fault(r, "review", text.data);
    }
    str_free(&text);
}

loop_outcome review_program(run *r, str *reason)
{
    verdict v = { 0 };
    loop_outcome outcome = WENT;

    for (int i = 0; outcome == WENT && !v.is_read && i < MOST_REQUESTS; i++) {
        verdict_free(&v);
        v = (verdict){ 0 };
        outcome = ask_for_review(&v, r);
    }

    if (outcome == WENT && v.value == SNUG_AGENT_VERDICT_FAIL)
        outcome = fail_review(r, reason, &v);
    else if (outcome == WENT && v.value == SNUG_AGENT_VERDICT_UNSURE)
        tell_doubt(r, &v);
    verdict_free(&v);
    return outcome;
}
