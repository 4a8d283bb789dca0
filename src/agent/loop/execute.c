/*
 * execute.c - the step execute: runs a program in the session, and takes from the result what
 * it gave, or why it failed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/loop/loop.h"
#include "agent/text/clip.h"
#include "agent/trace/trace.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/jsontext.h"

static const char no_output[] = "(No output)";

/* ---- what it gave ---- */

static int sets_result(const snug_result *result)
{
    const snug_change *change;
    for (size_t i = 0; (change = snug_result_change(result, i)); i++)
        if (strcmp(change->name, "result") == 0 && strcmp(change->op, "deleted") != 0)
            return 1;
    return 0;
}

/* The variable `result`, where the program left its result in that. */
static int add_result_variable(str *out, run *r, const snug_result *result)
{
    static const char source[] = "result";
    snug_result *aside;
    size_t len;

    if (is_in_bash(r->agent) || !sets_result(result))
        return SNUG_OK;
    int error = run_cell(&aside, r, source, sizeof source - 1, 1);
    if (error || !aside)
        return error;

    const char *value = snug_result_text(aside, SNUG_STREAM_VALUE, &len);
    error = str_append(out, value, len);
    snug_result_free(aside);
    return error ? error_no_memory() : SNUG_OK;
}

/* What display() showed, as text. */
static void add_displays(str *out, snug_result *result)
{
    for (size_t i = 0; i < snug_result_display_count(result); i++) {
        const snug_display *d = snug_result_display(result, i);
        for (size_t k = 0; d && !d->is_main_result && k < d->part_count; k++) {
            const snug_mime *part = &d->parts[k];
            if (strcmp(part->type, "text/plain") != 0)
                continue;
            str_append(out, part->data, part->len);
            str_add(out, "\n");
        }
    }
}

static void add_stream(str *out, const snug_result *result, snug_stream stream)
{
    size_t len;
    const char *text = snug_result_text(result, stream, &len);

    if (stream == SNUG_STREAM_STDERR && len > 0)
        str_add(out, ATTEMPT_ON_STDERR);
    str_append(out, text, len);
}

/* The value, else the variable `result`, else what was printed or displayed, else what went to
 * stderr. */
static int keep_output(str *out, run *r, snug_result *result)
{
    str_clear(out);
    add_stream(out, result, SNUG_STREAM_VALUE);
    int error = out->len == 0 ? add_result_variable(out, r, result) : SNUG_OK;
    if (error)
        return error;

    if (out->len == 0) {
        add_stream(out, result, SNUG_STREAM_STDOUT);
        add_displays(out, result);
    }
    if (out->len == 0)
        add_stream(out, result, SNUG_STREAM_STDERR);
    if (out->len == 0)
        str_add(out, no_output);
    return str_error(out) ? error_no_memory() : SNUG_OK;
}

/* What a program had printed when it failed; the error of one in bash has the end of stderr. */
static int keep_printed(str *out, const run *r, const snug_result *result)
{
    str_clear(out);
    add_stream(out, result, SNUG_STREAM_STDOUT);
    if (out->len == 0 && !is_in_bash(r->agent))
        add_stream(out, result, SNUG_STREAM_STDERR);
    return str_error(out) ? error_no_memory() : SNUG_OK;
}

/* Before an item of a list; the title is before the first one. */
static void add_comma(str *out, const char *title, size_t index)
{
    if (index > 0)
        str_add(out, ", ");
    else
        str_printf(out, "%s%s: ", out->len > 0 ? "; " : "", title);
}

/* Names, files and calls that the program leaves behind, also where it failed. */
static int keep_changes(str *out, const snug_result *result, int has_names)
{
    const snug_artifact *artifact;
    const snug_change *change;

    str_clear(out);
    for (size_t i = 0; has_names && (change = snug_result_change(result, i)); i++) {
        add_comma(out, "names", i);
        str_printf(out, "%s (%s)", change->name, change->op);
    }

    for (size_t i = 0; (artifact = snug_result_artifact(result, i)); i++) {
        add_comma(out, "files", i);
        str_add(out, artifact->path);
    }

    for (size_t i = 0; i < snug_result_tool_call_count(result); i++) {
        const snug_tool_call *call = snug_result_tool_call(result, i);
        add_comma(out, "calls of tools", i);
        str_printf(out, "%s (%s)", call->name, call->status);
    }

    return str_error(out) ? error_no_memory() : SNUG_OK;
}

/* ---- why it failed ---- */

/* The words of error.class in snug.result/1; static. */
static const char *class_of(snug_result *result)
{
    static const struct {
        const char *json, *name;
    } classes[] = {
        { "\"syntax\"", "syntax" },   { "\"runtime\"", "runtime" },
        { "\"logical\"", "logical" }, { "\"environment\"", "environment" },
        { "\"import\"", "import" },
    };
    size_t len;
    const char *json = snug_result_json(result, &len);
    if (!json)
        return "runtime";

    jsontext_span error = jsontext_member((jsontext_span){ json, len }, "error");
    jsontext_span class = jsontext_member(error, "class");
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (class.text && jsontext_is(class, classes[i].json))
            return classes[i].name;

    return "runtime";
}

static loop_outcome fail_result(run *r, snug_result *result)
{
    size_t len;
    loop_outcome outcome =
        run_fail(r, "repair", class_of(result), snug_result_error_category(result));
    if (outcome != FAILED)
        return outcome;

    failure *f = &r->failure;
    const char *traceback = snug_result_text(result, SNUG_STREAM_TRACEBACK, &len);
    const char *value = snug_result_error_value(result);
    str_printf(&f->sentence, "%s: ", snug_result_error_name(result));
    if (clip_append(&f->sentence, value, strlen(value), 600, 0) ||
        str_append(&f->traceback, traceback, len) ||
        str_add(&f->hint, snug_result_error_hint(result)))
        return run_break(r, error_no_memory());

    return FAILED;
}

/* The hint of a lost session is for those who must open another one. */
static loop_outcome explain_loss(run *r, const attempt *a)
{
    str *hint = &r->failure.hint;

    str_clear(hint);
    if (str_add(hint, "The program ended the process that it ran in") ||
        (a->reruns > 0 && str_printf(hint, ", each of the %llu times that it ran",
                                     (unsigned long long)a->reruns + 1)) ||
        str_add(hint, ". The session is again what it was before: do it in another way."))
        return run_break(r, error_no_memory());
    return FAILED;
}

static loop_outcome judge_result(run *r, attempt *a)
{
    snug_result *result = a->result;
    loop_outcome looked = run_look(r);
    if (looked != WENT)
        return looked;

    if (snug_result_state(result) == SNUG_STATE_LOST && !a->is_restored &&
        !*snug_result_error_name(result))
        return run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR,
                        "the session was lost: the program has ended its %s",
                        is_in_bash(r->agent) ? "shell" : "interpreter");
    if (snug_result_state(result) == SNUG_STATE_LOST && !a->is_restored)
        return run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR, "the session was lost: %s: %.500s",
                        snug_result_error_name(result), snug_result_error_value(result));

    switch (snug_result_status(result)) {
    case SNUG_STATUS_OK:
        return WENT;
    case SNUG_STATUS_INTERRUPTED:
        return run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR, "the program was interrupted");
    case SNUG_STATUS_ERROR:
    case SNUG_STATUS_DENIED:
    case SNUG_STATUS_TIMEOUT:
    case SNUG_STATUS_MEMORY:
    case SNUG_STATUS_CRASHED:
    case SNUG_STATUS_STALLED:
        break;
    }

    loop_outcome failed = fail_result(r, result);
    if (failed == FAILED && a->is_restored)
        return explain_loss(r, a);
    return failed;
}

/* ---- events ---- */

/* Of the others there was an event when they ended. */
static void tell_denied_calls(const run *r, const snug_result *result)
{
    for (size_t i = 0; i < snug_result_tool_call_count(result); i++) {
        const snug_tool_call *call = snug_result_tool_call(result, i);
        if (strcmp(call->status, "denied") == 0)
            event_tool_call(r, call);
    }
}

static void tell_result(const run *r, const attempt *a)
{
    str event = event_begin(r, "executed");

    const char *json = snug_result_json(a->result, NULL);
    json_put_word(&event, "status", snug_status_name(snug_result_status(a->result)));
    if (json)
        json_put_raw(&event, "result", json);
    event_send(r, "executed", &event);
}

/* ---- the step ---- */

/* Before each attempt: to what there was before the first one, where that is wanted. */
static loop_outcome go_back(run *r)
{
    snug_session *session = r->agent->session;
    const int is_wanted = r->agent->options.has_rollback || given_is_improved(r);
    int error;

    if (!is_wanted || r->mode == SNUG_AGENT_MODE_ACT)
        return WENT;
    if (r->has_checkpoint && given_is_improved(r))
        return given_renew(r);

    if (r->has_checkpoint)
        error = snug_session_rollback(session);
    else
        error = snug_session_checkpoint(session);

    r->agent->has_way_back = 0; /* a session has one checkpoint */
    r->has_checkpoint = 1;
    return error ? run_break(r, error) : WENT;
}

int execute_set_back(run *r)
{
    attempt *last = run_attempt(r);

    if (!r->has_checkpoint || !r->agent->options.has_rollback || given_is_improved(r))
        return SNUG_OK;
    int error = snug_session_rollback(r->agent->session);
    if (error || !last || !last->result)
        return error;

    error = keep_changes(&last->changed, last->result, 0);
    str_clear(&r->changed);
    if (!error && str_add_str(&r->changed, &last->changed))
        error = error_no_memory();
    return error;
}

/* The same cell with the same result again is told to the model, which else may go on so. */
static void count_same(const run *r, attempt *a)
{
    uint64_t count = 1;

    for (size_t i = 0; i + 1 < r->reply->attempt_count; i++) {
        const attempt *before = &r->reply->attempts[i];
        count += before->failure.len == 0 &&
                 strcmp(str_text(&before->code), str_text(&a->code)) == 0 &&
                 strcmp(str_text(&before->output), str_text(&a->output)) == 0;
    }

    if (count > 1)
        a->repeats = count;
}

/* A cell of act mode has run: the model hears what it gave, unless that is the final answer. */
static loop_outcome finish_cell(run *r, loop_outcome outcome)
{
    r->step_cells++;
    if (outcome == STOPPED || outcome == BROKEN)
        return outcome;

    if (outcome == WENT)
        count_same(r, run_attempt(r));
    const int is_answered = outcome == WENT && r->has_final;
    r->has_final = is_answered; /* a program that fails has not answered */
    if (!is_answered)
        return act_observe(r, "observe");

    int error = act_finish(r);
    return error ? run_break(r, error) : WENT;
}

/* What the program gave, printed and left behind. */
static int keep_result(run *r, attempt *a)
{
    int error = keep_changes(&a->changed, a->result, 1);

    if (!error && snug_result_status(a->result) == SNUG_STATUS_OK)
        error = keep_output(&a->output, r, a->result);
    else if (!error)
        error = keep_printed(&a->output, r, a->result);

    if (error)
        return error;

    a->has_no_output = strcmp(str_text(&a->output), no_output) == 0;
    return SNUG_OK;
}

static loop_outcome conclude_program(run *r, attempt *a)
{
    loop_outcome outcome = judge_result(r, a);

    if (outcome == WENT)
        reuse_keep(r, a);
    if (outcome == FAILED) {
        outcome = attempt_fail(r);
        if (str_add_str(&r->changed, &a->changed))
            return run_break(r, error_no_memory());
    }

    return outcome;
}

loop_outcome step_execute(run *r)
{
    attempt *a = run_attempt(r);
    loop_outcome outcome = go_back(r);
    if (outcome != WENT)
        return outcome;

    words_forget(r);
    run_forget_failure(r);
    event_text(r, "execute", NULL, NULL, 0);
    if (reuse_find(r, a))
        return WENT;

    const uint64_t start_ns = clock_now_ns();
    int error = rerun_program(r, a);
    if (!error && !a->result)
        return run_look(r);

    if (!error)
        error = keep_result(r, a);
    if (!error && r->mode == SNUG_AGENT_MODE_ACT && is_in_bash(r->agent))
        error = act_bash_take(r);
    r->reply->time_ns[TIME_EXECUTE] += clock_now_ns() - start_ns;
    if (error)
        return run_break(r, error);

    tell_denied_calls(r, a->result);
    tell_result(r, a);
    watch_result(r, a->result);
    outcome = conclude_program(r, a);
    if (r->mode == SNUG_AGENT_MODE_ACT)
        return finish_cell(r, outcome);
    return outcome;
}
