#include "agent/loop/improve.h"
#include "agent/loop/loop.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/loop/consent.h"
#include "agent/loop/inputs.h"
#include "agent/prompt/talk.h"
#include "agent/reply/score.h"
#include "agent/reply/style.h"
#include "agent/reply/timing.h"
#include "agent/text/line.h"
#include "agent/trace/step_events.h"
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

static int is_for_style(const run *r)
{
    return r->agent->options.focus == SNUG_AGENT_FOCUS_STYLE;
}

static attempt *best_attempt(const run *r)
{
    return &r->reply->attempts[r->reply->best - 1];
}

/* ---- begin ---- */

int given_begin(run *r)
{
    const char *code = r->options->code;

    /* The limit is for what models write; a version may add that much to what is there. */
    if (r->limits.code_lines != SNUG_UNLIMITED)
        r->limits.code_lines += line_count(code);
    r->reply->is_given = 1;
    r->reply->faults_before = r->reply->faults_after = -1;
    r->reply->style_before = r->reply->style_after = -1;
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
    cJSON *event = event_begin(r, "improve");

    if (event) {
        json_add_bool(event, "taken", is_taken);
        json_add_text(event, "reason", reason);
        if (reply->original_ms > 0)
            json_add_number(event, "original_ms", reply->original_ms);
        if (is_taken && reply->improved_ms > 0)
            json_add_number(event, "improved_ms", reply->improved_ms);
        if (reply->faults_before >= 0)
            json_add_number(event, "faults_after", reply->faults_after);
        if (reply->style_before >= 0)
            json_add_number(event, "style_after", reply->style_after);
    }
    event_send(r, event);
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

/* ---- beside the session ---- */

/* Runs it aside, with the names and data of the first run: without this a run finds what the one
 * before has used up, or stored. *out is NULL unless the outcome is WENT. */
static loop_outcome run_afresh(snug_result **out, run *r, const str *source)
{
    *out = NULL;
    loop_outcome outcome = given_renew(r);
    if (outcome != WENT)
        return outcome;

    int error = run_cell(out, r, str_text(source), source->len, 1);
    if (error)
        return run_break(r, error);

    outcome = run_look(r);
    if (outcome == WENT && snug_result_state(*out) == SNUG_STATE_LOST)
        outcome = run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR, "the session was lost: %.500s",
                           snug_result_error_value(*out));

    if (outcome != WENT) {
        snug_result_free(*out);
        *out = NULL;
    }

    return outcome;
}

/* ---- speed ---- */

/* In ms; FAILED where it does not run to its end. */
static loop_outcome take_time(double *out, run *r, const attempt *a)
{
    snug_result *result;
    loop_outcome outcome = run_afresh(&result, r, &a->code);
    if (outcome != WENT)
        return outcome;

    *out = (double)snug_result_wall_ns(result) / (double)NS_PER_MS;
    if (snug_result_status(result) != SNUG_STATUS_OK)
        outcome = reject_version(r, "a program that is run again fails: %.100s",
                                 snug_result_error_name(result));

    snug_result_free(result);
    return outcome;
}

/* In turn, so that what else the machine does slows both. */
static loop_outcome take_times(double *before, double *after, size_t *count, run *r,
                               const attempt *candidate)
{
    const uint64_t start_ns = clock_now_ns();
    const uint64_t end_ns = clock_middle_ns(start_ns, r->deadline_ns); /* the answer needs time */
    loop_outcome outcome = WENT;

    for (*count = 0; *count < TIMING_RUNS; ++*count) {
        const uint64_t now_ns = clock_now_ns();
        uint64_t each_ns = 0;
        if (*count > 0)
            each_ns = (now_ns - start_ns) / *count;
        if (now_ns + each_ns > end_ns)
            break;

        outcome = take_time(&before[*count], r, best_attempt(r));
        if (outcome == WENT)
            outcome = take_time(&after[*count], r, candidate);
        if (outcome != WENT)
            break;
    }

    return outcome;
}

/* A version that stores what it found, in a module or a file, has done the work in its first run;
 * a module that is imported then takes its time too, which may be half of the program's. The
 * original was measured on a machine that may have been busier then. */
static int is_only_warm(const attempt *candidate, double before, double after)
{
    const double first = (double)snug_result_wall_ns(candidate->result) / (double)NS_PER_MS;
    return first > 0.5 * before && first > 3 * after;
}

static loop_outcome compare_speed(run *r, const attempt *candidate)
{
    snug_reply *reply = r->reply;
    double before[TIMING_RUNS], after[TIMING_RUNS];
    size_t count;
    loop_outcome outcome = take_times(before, after, &count, r, candidate);
    if (outcome != WENT)
        return outcome;

    if (count < TIMING_LEAST_RUNS)
        return reject_version(r, "there was no time left to measure it");

    const double improved_ms = timing_median(after, count);
    reply->original_ms = timing_median(before, count);
    if (!timing_is_faster(before, after, count))
        return reject_version(
            r, "it is not faster by 10 %% or more beyond noise: %.3g ms, and %.3g ms before",
            improved_ms, reply->original_ms);

    if (is_only_warm(candidate, reply->original_ms, improved_ms))
        return reject_version(r, "it is faster only when it is run again: it stores what it found");

    reply->improved_ms = improved_ms;
    return WENT;
}

/* ---- fault inputs ---- */

static int add_trial_lines(str *out, const str *lines)
{
    if (lines->len == 0)
        return SNUG_OK;
    if (str_add_str(out, lines))
        return SNUG_ENOMEM;
    return str_add(out, "\n");
}

static int join_trial(str *out, const trial *t, const str *code)
{
    if (add_trial_lines(out, &t->before) || add_trial_lines(out, code) ||
        add_trial_lines(out, &t->after))
        return error_no_memory();
    return SNUG_OK;
}

static int add_failing(str *out, const trial *t, const snug_result *result)
{
    if (add_trial_lines(out, &t->before) || str_add(out, "# the program\n") ||
        add_trial_lines(out, &t->after) ||
        str_printf(out, "-> %s: %s\n\n", snug_result_error_name(result),
                   snug_result_error_value(result)))
        return error_no_memory();
    return SNUG_OK;
}

/* *failed: it did not run to its end. */
static loop_outcome try_trial(int *failed, str *failing, run *r, const trial *t, const str *code)
{
    str source = { 0 };
    snug_result *result = NULL;
    loop_outcome outcome;
    int error = join_trial(&source, t, code);

    if (error)
        outcome = run_break(r, error);
    else
        outcome = run_afresh(&result, r, &source);

    str_free(&source);
    if (outcome != WENT)
        return outcome;

    *failed = snug_result_status(result) != SNUG_STATUS_OK;
    if (*failed && add_failing(failing, t, result))
        outcome = run_break(r, SNUG_ENOMEM);
    snug_result_free(result);
    return outcome;
}

/* How many of them the program does not hold for; r->failing lists those. */
static loop_outcome try_trials(int *count, run *r, const attempt *a)
{
    str failing = { 0 };
    loop_outcome outcome = WENT;

    *count = 0;
    for (size_t i = 0; i < r->trials.count && outcome == WENT; i++) {
        int failed = 0;
        outcome = try_trial(&failed, &failing, r, &r->trials.items[i], &a->code);
        *count += failed;
    }

    if (outcome == WENT)
        outcome = given_renew(r); /* files are as they were again */
    if (outcome != WENT) {
        str_free(&failing);
        return outcome;
    }

    str_free(&r->failing);
    r->failing = failing;
    return WENT;
}

/* The program was agreed to; they are the model's too. */
static loop_outcome consent_to_trials(run *r)
{
    const str program = { .data = (char[]){ "# the program" }, .len = strlen("# the program") };
    loop_outcome outcome = WENT;

    for (size_t i = 0; i < r->trials.count && outcome == WENT; i++) {
        str source = { 0 };
        int error = join_trial(&source, &r->trials.items[i], &program);
        outcome = error ? run_break(r, error) : consent_to_source(r, &source);
        str_free(&source);
    }
    return outcome;
}

static loop_outcome ask_trials(run *r)
{
    loop_outcome outcome = talk_ask_apart(r, USE_CODE, TIME_IMPROVE, "faults");
    if (outcome != WENT)
        return outcome;

    if (trials_read(&r->trials, str_text(&r->said.text), r->said.text.len, run_most_items(r)))
        return run_break(r, error_no_memory());

    outcome = consent_to_trials(r);
    if (outcome == WENT)
        outcome = try_trials(&r->reply->faults_before, r, best_attempt(r));
    r->reply->faults_after = r->reply->faults_before;
    return outcome;
}

/* Nothing fails where all exceptions are swallowed, and nothing holds. */
static int swallows_exceptions(const attempt *a)
{
    return score_read(str_text(&a->code), a->code.len).swallows;
}

static loop_outcome compare_faults(run *r, const attempt *candidate)
{
    int count = 0;
    str before = { 0 };

    if (swallows_exceptions(candidate) && !swallows_exceptions(best_attempt(r)))
        return reject_version(r, "it swallows all exceptions: name those that are expected");
    if (str_add_str(&before, &r->failing))
        return run_break(r, error_no_memory());

    loop_outcome outcome = try_trials(&count, r, candidate);
    if (outcome == WENT && count < r->reply->faults_after) {
        r->reply->faults_after = count;
        str_free(&before);
        return WENT;
    }

    str_free(&r->failing);
    r->failing = before;
    if (outcome != WENT)
        return outcome;
    return reject_version(r, "it fails for %d of the %zu fault inputs, as many or more than before",
                          count, r->trials.count);
}

/* ---- style ---- */

/* r->failing lists where a program departs from the style guides. */
static loop_outcome count_departures(int *count, str *list, run *r, const attempt *a)
{
    size_t found;
    if (style_read(list, &found, str_text(&a->code), a->code.len))
        return run_break(r, error_no_memory());
    *count = found < 10000 ? (int)found : 10000;
    return WENT;
}

static loop_outcome begin_style(run *r)
{
    str_clear(&r->failing);
    loop_outcome outcome =
        count_departures(&r->reply->style_before, &r->failing, r, best_attempt(r));
    r->reply->style_after = r->reply->style_before;
    return outcome;
}

static loop_outcome compare_style(run *r, const attempt *candidate)
{
    str list = { 0 };
    int count = 0;
    loop_outcome outcome = count_departures(&count, &list, r, candidate);

    if (outcome == WENT && count < r->reply->style_after) {
        r->reply->style_after = count;
        str_free(&r->failing);
        r->failing = list;
        return WENT;
    }

    str_free(&list);
    if (outcome != WENT)
        return outcome;
    return reject_version(r,
                          "it departs from the style guides in %d places, as many or more than "
                          "before",
                          count);
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

/* The program passes, as it came or repaired. */
static loop_outcome begin_versions(run *r)
{
    take_best(r);
    r->step_attempt = r->reply->attempt_count;
    if (is_for_speed(r))
        return WENT;
    if (is_for_style(r))
        return begin_style(r);
    return ask_trials(r);
}

/* WENT: it is better, and taken. */
static loop_outcome compare_version(run *r)
{
    const attempt *candidate = run_attempt(r);
    loop_outcome outcome;

    if (candidate->failure.len > 0) {
        tell_version(r, 0, candidate->failure.data);
        return FAILED;
    }

    const uint64_t start_ns = clock_now_ns();
    if (is_for_speed(r))
        outcome = compare_speed(r, candidate);
    else if (is_for_style(r))
        outcome = compare_style(r, candidate);
    else
        outcome = compare_faults(r, candidate);

    r->reply->time_ns[TIME_EVALUATE] += clock_now_ns() - start_ns;
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
    if (run_attempts(r) >= r->limits.attempts)
        return 1;
    if (is_for_style(r))
        return is_blind(r) || r->reply->style_after == 0;
    if (!is_for_speed(r))
        return r->reply->faults_after == 0;
    return is_blind(r) || (r->reply->best > r->step_attempt && compared == WENT);
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
    loop_outcome outcome;

    if (r->reply->best == 0)
        outcome = begin_versions(r);
    else
        outcome = compare_version(r);

    if (outcome != WENT && outcome != FAILED)
        return outcome;
    if (is_improved_enough(r, outcome))
        return WENT;

    return ask_version(r, template);
}

/* ---- the end ---- */

static int describe_speed(str *out, const run *r)
{
    const snug_reply *reply = r->reply;

    if (is_blind(r))
        return str_add(out, "It gives nothing and there are no checks, so that no version can be "
                            "told to be right.");

    if (reply->improved_ms > 0)
        return str_printf(out, "It is %.1f times as fast: %.3g ms instead of %.3g ms.",
                          reply->original_ms / reply->improved_ms, reply->improved_ms,
                          reply->original_ms);
    return str_add(out, "No version was faster by 10 % or more beyond noise.");
}

static int describe_faults(str *out, const run *r)
{
    const int all = (int)r->trials.count, before = all - r->reply->faults_before;
    const int after = all - r->reply->faults_after;

    if (r->reply->faults_before < 0)
        return str_add(out, "No fault input was tried.");
    if (all == 0)
        return str_add(out, "The model named no fault inputs.");
    if (before == all)
        return str_printf(out, "It holds for all of %d fault inputs.", all);

    if (after > before)
        return str_printf(out, "It holds for %d of %d fault inputs, and held for %d.", after, all,
                          before);

    return str_printf(out, "No version held for more of the %d fault inputs than %d.", all, before);
}

static int describe_style(str *out, const run *r)
{
    const int before = r->reply->style_before, after = r->reply->style_after;

    if (before < 0)
        return str_add(out, "Its style was not looked at.");
    if (before == 0)
        return str_add(out, "It follows the style guides in all that was looked at.");
    if (is_blind(r))
        return str_add(out, "It gives nothing and there are no checks, so that no version can be "
                            "told to be right.");
    if (after < before)
        return str_printf(out, "It departs from the style guides in %d place%s, and did in %d.",
                          after, after == 1 ? "" : "s", before);
    return str_printf(out, "No version departed from the style guides in fewer places than %d.",
                      before);
}

static int describe_improvement(str *out, const run *r)
{
    if (is_for_speed(r))
        return describe_speed(out, r);
    return is_for_style(r) ? describe_style(out, r) : describe_faults(out, r);
}

/* What became of the program that was given. */
static int add_sentences(str *out, const run *r)
{
    const int is_improved = given_is_improved(r);
    const size_t first = is_improved ? r->step_attempt : r->reply->attempt_count;

    if (str_add(out, first > 1 ? "The program is repaired." : "The program passes."))
        return SNUG_ENOMEM;

    if (is_improved) {
        if (str_add(out, " "))
            return SNUG_ENOMEM;
        if (describe_improvement(out, r))
            return SNUG_ENOMEM;
    }

    if (r->reply->best == 1)
        return str_add(out, " It is unchanged.");
    return SNUG_OK;
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
    if (add_sentences(answer, r) || str_add(answer, "\n\n") ||
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
