/*
 * code.c - the steps extract and scan: from what a model said to a program that may run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/loop/loop.h"
#include "agent/run/run.h"
#include "agent/text/line.h"
#include "agent/text/shellcode.h"
#include "agent/trace/trace.h"
#include "base/bashread.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"

/* ---- bash syntax ---- */

/* In the session's sandbox and beside its shell. message stays empty where there is
 * no fault, or nobody can say: then bash finds it when it reads the program to run it. *at_line:
 * 0 where it is not known. An error of snug.h. */
static int bash_syntax_check(str *message, unsigned *at_line, run *r, const str *code)
{
    str source = { 0 };
    snug_result *result = NULL;
    int error;

    *at_line = 0;
    if (memchr(str_text(code), '\0', code->len))
        return SNUG_OK;
    if (bashread_write(&source, str_text(code), code->len)) {
        error = error_no_memory();
        goto done;
    }

    r->agent->is_catching_up = 1; /* nobody hears it */
    error = run_cell(&result, r, source.data, source.len, 1);
    r->agent->is_catching_up = 0;

    if (!error && result && snug_result_status(result) == SNUG_STATUS_ERROR &&
        bashread_complaint(message, at_line, snug_result_error_value(result)))
        error = error_no_memory();

done:
    snug_result_free(result);
    str_free(&source);
    return error;
}

/* ---- extract ---- */

/* The programs of all calls of the reply as one; *unknown: a tool that there is not. */
static int join_calls(run *r, const char **unknown)
{
    str joined = { 0 };
    int error = SNUG_OK;

    for (size_t i = 0; !error && i < r->said.call_count; i++) {
        const model_call *call = &r->said.calls[i];
        extracted one;
        if (strcmp(str_text(&call->name), "run_python") != 0) {
            *unknown = str_text(&call->name);
            continue;
        }
        if ((error = extract_arguments(&one, str_text(&call->arguments), call->arguments.len)))
            break;
        str_add(&joined, joined.len > 0 && one.code.len > 0 ? "\n\n" : "");
        error = str_add_str(&joined, &one.code);
        extracted_free(&one);
    }

    if (!error && joined.len > 0) {
        str_free(&r->code.code);
        r->code.code = joined;
        return SNUG_OK;
    }

    str_free(&joined);
    return error;
}

/* A reply without code; is_answer: it is the answer all the same. */
static void tell_no_code(const run *r, int is_answer)
{
    str event = event_begin(r, "extract");
    json_put_bool(&event, "found", 0);
    json_put_word(&event, "code", "");
    json_put_bool(&event, "words", is_answer);
    event_send(r, "extract", &event);
}

static void tell_code(const run *r, const attempt *a)
{
    str event = event_begin(r, "extract");
    json_put_bool(&event, "found", a->code.len > 0);
    json_put_str(&event, "code", &a->code);
    if (a->left_out.len > 0)
        json_put_str(&event, "left_out", &a->left_out);
    event_send(r, "extract", &event);
}

static attempt *begin_attempt(run *r, const str *code)
{
    attempt *a = attempt_begin(r, str_text(code), code->len);
    if (!a || str_add_str(&a->left_out, &r->left_out))
        return NULL;
    return a;
}

static void tell_analysis(const run *r, const str *analysis)
{
    if (analysis->len == 0)
        return;

    str event = event_begin(r, "analyse");
    json_put_raw(&event, "analysis", analysis->data);
    event_send(r, "analyse", &event);
}

/* What the model says that it has changed, and how it analysed the error. */
static int keep_explanation(run *r, attempt *a)
{
    const extracted *code = &r->code;

    if (r->reply->attempt_count < 2)
        return SNUG_OK;
    tell_analysis(r, &code->analysis_json);
    if (str_add_str(&a->analysis, &code->analysis_json) ||
        str_add_str(&a->improvement, &code->prose))
        return error_no_memory();

    return SNUG_OK;
}

static loop_outcome fail_without_code(run *r, const char *unknown)
{
    const char *template = unknown ? "unknown_tool" : "no_code";
    loop_outcome outcome = run_fail(r, template, "syntax", "syntax");
    if (outcome != FAILED)
        return outcome;

    if (unknown)
        str_printf(&r->failure.sentence, "there is no tool \"%.100s\"", unknown);
    else
        str_add(&r->failure.sentence, "there is no code in the reply");
    if (r->left_out.len > 0)
        str_printf(&r->failure.sentence, ". %s", r->left_out.data);

    return attempt_fail(r);
}

static loop_outcome extract_act(run *r)
{
    if (r->call_count == 0) {
        str_clear(&r->left_out);
        loop_outcome outcome = act_take_reply(r);
        if (outcome != WENT) {
            tell_no_code(r, outcome == MORE);
            return outcome;
        }
    }

    if (!act_has_steps(r)) { /* one reply may have more calls than there are steps */
        int error = act_drop_calls(r);
        return error ? run_break(r, error) : FAILED;
    }

    const pending_call *call = &r->calls[r->call_at++];
    attempt *a = begin_attempt(r, &call->code);
    if (!a)
        return run_break(r, error_no_memory());
    tell_code(r, a);
    return WENT;
}

/* Of the text of the reply. */
static int extract_text(run *r)
{
    const str *said = &r->said.text;
    int error;

    if (r->has_code)
        extracted_free(&r->code);
    if (is_in_bash(r->agent))
        error = shellcode_extract(&r->code, str_text(said), said->len);
    else
        error = extract_code(&r->code, str_text(said), said->len);

    r->has_code = !error;
    return error;
}

loop_outcome step_extract(run *r)
{
    const char *unknown = NULL;

    words_forget(r);
    if (r->mode == SNUG_AGENT_MODE_ACT)
        return extract_act(r);

    if (extract_text(r))
        return run_break(r, error_no_memory());
    int error = reading_judge(r, &r->code);
    if (error)
        return run_break(r, error);
    if (r->reply->wants_bash)
        return reading_refuse_bash(r);
    if (join_calls(r, &unknown))
        return run_break(r, error_no_memory());

    attempt *a = begin_attempt(r, &r->code.code);
    if (!a || keep_explanation(r, a))
        return run_break(r, error_no_memory());

    if (a->code.len > 0) {
        r->words_asked_again = 0;
        str_clear(&r->reply->unsupported); /* of words before it */
        tell_code(r, a);
        return WENT;
    }

    loop_outcome outcome = unknown ? FAILED : words_take(r);
    tell_no_code(r, outcome == MORE);
    return outcome == FAILED ? fail_without_code(r, unknown) : outcome;
}

/* ---- scan ---- */

typedef struct findings {
    str json; /* a list */
    str text; /* for the prompt */
    size_t count;
    const char *first_rule;
    int is_import; /* all of them are of imports */
} findings;

/* As the model reads it: the sentence, the place, and what helps. */
static void add_finding_text(str *out, const snug_finding *found)
{
    if (found->line > 0)
        str_printf(out, "line %u: ", found->line);
    str_printf(out, "%s\n", found->message);

    for (const char *at = found->excerpt; *at;) {
        const size_t len = strcspn(at, "\n");
        str_printf(out, "    %.*s\n", (int)len, at);
        at += len + (at[len] == '\n');
    }

    if (*found->hint)
        str_printf(out, "  Hint: %s\n", found->hint);
}

/* A failure sticks to both texts. */
static void add_finding(findings *f, const snug_finding *found)
{
    if (f->count == 0)
        f->first_rule = found->rule;
    f->count++;
    f->is_import &= strcmp(found->rule, "import") == 0;

    json_open(&f->json, NULL, '{');
    json_put_word(&f->json, "rule", found->rule);
    json_put_number(&f->json, "line", found->line);
    json_put_number(&f->json, "column", found->column);
    json_put_word(&f->json, "subject", found->subject);
    json_put_word(&f->json, "message", found->message);
    json_put_word(&f->json, "hint", found->hint);
    json_put_word(&f->json, "excerpt", found->excerpt);
    json_close(&f->json, '}');
    add_finding_text(&f->text, found);
}

/* One that is about all of the program. */
static void add_whole_finding(findings *f, const char *rule, const char *message)
{
    const snug_finding found = { rule, 0, 0, "", message, "", "" };
    add_finding(f, &found);
}

static void check_length(findings *f, const run *r, const attempt *a)
{
    char message[120];
    size_t lines = line_count(str_text(&a->code));
    if (r->limits.code_lines == SNUG_UNLIMITED || lines <= r->limits.code_lines)
        return;

    snprintf(message, sizeof message, "the program has %zu lines, and may have %llu", lines,
             (unsigned long long)r->limits.code_lines);
    add_whole_finding(f, "length", message);
}

/* The scan does not know which names earlier programs have taken. */
static int holds(const run *r, const snug_finding *found)
{
    return strcmp(found->rule, "tool") != 0 ||
           bound_tools_is_kept(r->agent->session, found->subject);
}

static int scan_with_snug(findings *f, const run *r, const attempt *a)
{
    snug_scan_options options = SNUG_SCAN_OPTIONS_INIT;
    snug_scan *report;

    options.profile = r->agent->profile;
    options.allow = (const char *const *)r->agent->allow;
    options.max_source_bytes = r->agent->cell_limits.source_bytes;
    options.forbid = (const char *const *)r->agent->forbid;
    options.tools = (const char *const *)r->agent->tools.heads;
    if (is_in_bash(r->agent))
        options.kind = SNUG_KIND_BASH;
    int error = snug_host_scan(&report, r->agent->host, str_text(&a->code), a->code.len, &options);
    if (error)
        return error;

    for (size_t i = 0; i < snug_scan_finding_count(report); i++)
        if (holds(r, snug_scan_finding(report, i)))
            add_finding(f, snug_scan_finding(report, i));

    snug_scan_free(report);
    return SNUG_OK;
}

static int check_syntax(findings *f, run *r, const attempt *a)
{
    str message = { 0 };
    unsigned at_line;
    int error = bash_syntax_check(&message, &at_line, r, &a->code);

    if (!error && message.len > 0) {
        const snug_finding found = { "syntax", at_line, 0, "", str_text(&message), "", "" };
        add_finding(f, &found);
    }
    str_free(&message);
    return error;
}

/* What is only half there has a message of its own. */
static int scan_bash(findings *f, run *r, const attempt *a)
{
    int whole = snug_session_is_complete(r->agent->session, str_text(&a->code), a->code.len);
    if (whole < 0)
        return whole;

    if (whole > 0)
        return check_syntax(f, r, a);
    add_whole_finding(f, "syntax", "the program ends within a quote, a here-document or a command");
    return SNUG_OK;
}

static void scan_with_caller(findings *f, const run *r, const attempt *a)
{
    char reason[SNUG_AGENT_REASON_BYTES] = "";
    const snug_agent_options *options = &r->agent->options;
    if (!options->on_scan || f->count > 0 ||
        options->on_scan(options->payload, str_text(&a->code), a->code.len, reason))
        return;

    reason[sizeof reason - 1] = '\0';
    const char *message = reason;
    if (!*reason)
        message = "the program is not wanted, for no reason that was given";
    add_whole_finding(f, "caller", message);
}

static loop_outcome fail_scan(run *r, const findings *f)
{
    const char *class = "environment", *category = "policy";

    if (strcmp(f->first_rule, "syntax") == 0)
        class = category = "syntax";
    else if (strcmp(f->first_rule, "review") == 0)
        category = "review";
    else if (strcmp(f->first_rule, "tool") == 0)
        category = "tool";
    else if (f->is_import)
        class = category = "import";

    loop_outcome outcome = run_fail(r, "findings", class, category);
    if (outcome != FAILED)
        return outcome;

    const char *text = str_text(&f->text);
    const int first_line = (int)strcspn(text, "\n");
    const char *and_more = f->count > 1 ? " (and more)" : "";
    if (strcmp(f->first_rule, "length") == 0)
        and_more = " (--max-code-lines)";
    if (str_add_str(&r->failure.findings, &f->text) ||
        str_printf(&r->failure.sentence, "the scan found: %.*s%s", first_line, text, and_more))
        return run_break(r, error_no_memory());

    outcome = attempt_fail(r);
    if (outcome == FAILED && r->mode == SNUG_AGENT_MODE_ACT)
        return act_observe(r, "findings");
    return outcome;
}

static void tell_scan(const run *r, const attempt *a, size_t count)
{
    str event = event_begin(r, "scan");
    json_put_bool(&event, "ok", count == 0);
    json_put_raw(&event, "findings", str_text(&a->findings));
    event_send(r, "scan", &event);
}

/* What is found without a model. */
static int scan_program(findings *f, run *r, const attempt *a)
{
    int error = SNUG_OK;

    check_length(f, r, a);
    if (is_in_bash(r->agent))
        error = scan_bash(f, r, a);
    if (!error)
        error = scan_with_snug(f, r, a);
    if (!error)
        scan_with_caller(f, r, a);
    return error;
}

/* By a model, where nothing else was found. */
static loop_outcome review(findings *f, run *r)
{
    str reason = { 0 };
    loop_outcome outcome = WENT;

    if (f->count == 0 && review_is_wanted(r))
        outcome = review_program(r, &reason);
    if (outcome == FAILED) {
        add_whole_finding(f, "review", str_text(&reason));
        outcome = WENT;
    }
    str_free(&reason);
    return outcome;
}

/* FAILED where something was found. */
static loop_outcome scan_once(run *r)
{
    const uint64_t start_ns = clock_now_ns();
    attempt *a = run_attempt(r);
    findings f = { .is_import = 1 };

    json_open(&f.json, NULL, '[');
    int error = scan_program(&f, r, a);
    r->reply->time_ns[TIME_SCAN] += clock_now_ns() - start_ns;
    str_clear(&a->findings);
    loop_outcome outcome = error ? run_break(r, error) : review(&f, r);
    if (outcome != WENT)
        goto done;

    json_close(&f.json, ']');
    if (str_add_str(&a->findings, &f.json) || str_error(&f.text)) {
        outcome = run_break(r, error_no_memory());
        goto done;
    }

    a->is_scanned = f.count == 0;
    tell_scan(r, a, f.count);
    if (f.count > 0) {
        if (r->mode == SNUG_AGENT_MODE_ACT)
            r->step_cells++; /* a step is taken, though nothing runs */
        outcome = fail_scan(r, &f);
    }

done:
    str_free(&f.json);
    str_free(&f.text);
    return outcome;
}

loop_outcome step_scan(run *r)
{
    loop_outcome outcome;

    do {
        outcome = scan_once(r);
        if (outcome == WENT)
            outcome = consent_to_program(r);
    } while (outcome == MORE);
    return outcome;
}

/* ---- the program in a reply ---- */

/* The hint that a cell gets which would install something. */
static int add_install_hint(str *out, const run *r)
{
    static const char cell[] = "!pip install it";
    snug_scan_options options = SNUG_SCAN_OPTIONS_INIT;
    snug_scan *report;

    options.profile = r->agent->profile;
    options.allow = (const char *const *)r->agent->allow;
    int error = snug_host_scan(&report, r->agent->host, cell, sizeof cell - 1, &options);
    if (error)
        return error;

    const snug_finding *first = snug_scan_finding(report, 0);
    if (first && *first->hint && str_printf(out, " %s", first->hint))
        error = error_no_memory();
    snug_scan_free(report);
    return error;
}

static int tell_left_out(run *r, const str *other)
{
    const char *sentence = "The block that installs packages was not run.";
    const int is_install = shellcode_only_installs(str_text(other), other->len);

    if (is_in_bash(r->agent))
        sentence = "The block in Python was not run: programs are in bash here.";
    else if (!is_install)
        sentence = "The block for a shell was not run: programs are in Python here, and there is "
                   "no shell.";

    if (str_add(&r->left_out, sentence))
        return error_no_memory();
    return is_install && !is_in_bash(r->agent) ? add_install_hint(&r->left_out, r) : SNUG_OK;
}

/* The first reply has a program for a shell, and none in Python. */
static int wants_bash(const run *r, const extracted *code)
{
    const str *other = &code->other;

    return run_may_be_bash(r) && r->reply->attempt_count == 0 && code->code.len == 0 &&
           strspn(str_text(other), " \t\n") < other->len &&
           !shellcode_only_installs(str_text(other), other->len);
}

loop_outcome reading_refuse_bash(run *r)
{
    return run_stop(r, SNUG_AGENT_STATUS_REFUSED,
                    "the model answers with a program in bash, and the session is of Python: bash "
                    "needs a session of its own (--language bash, or --isolation bash)");
}

int reading_judge(run *r, const extracted *code)
{
    int error = SNUG_OK;

    str_clear(&r->left_out);
    if (strspn(str_text(&code->other), " \t\n") < code->other.len)
        error = tell_left_out(r, &code->other);
    r->reply->wants_bash = !error && wants_bash(r, code);
    return error;
}

/* ---- the caller's word before a program runs: on_program ---- */

/* How long somebody thinks does not count for the question. */
static void leave_out_time(run *r, uint64_t ns)
{
    r->started_ns += ns;
    if (r->deadline_ns < UINT64_MAX - ns)
        r->deadline_ns += ns;
}

static snug_agent_consent ask_caller(run *r, const str *code)
{
    const snug_agent_options *options = &r->agent->options;
    const uint64_t start_ns = clock_now_ns();

    str_clear(&r->wanted);
    r->is_consenting = 1;
    snug_agent_consent consent = options->on_program(options->payload, str_text(code), code->len);
    r->is_consenting = 0;
    leave_out_time(r, clock_now_ns() - start_ns);
    return consent;
}

static loop_outcome refuse(run *r)
{
    loop_outcome outcome = run_look(r); /* it may have been cancelled meanwhile */
    if (outcome != WENT)
        return outcome;
    return run_stop(r, SNUG_AGENT_STATUS_REFUSED,
                    "the program was not to run: nothing of it has run");
}

/* The model of act mode goes on from what it has written itself. */
static int tell_model(run *r)
{
    if (r->mode != SNUG_AGENT_MODE_ACT)
        return SNUG_OK;
    str_clear(&r->left_out);
    return str_printf(&r->left_out,
                      "The program was changed by the user before it ran. This ran:\n"
                      "```%s\n%s\n```",
                      is_in_bash(r->agent) ? "bash" : "python", r->wanted.data);
}

static loop_outcome change(run *r)
{
    attempt *a = run_attempt(r);

    str_clear(&a->code);
    if (str_add_str(&a->code, &r->wanted) || tell_model(r))
        return run_break(r, error_no_memory());
    event_text(r, "changed", "code", a->code.data, a->code.len);
    return MORE;
}

loop_outcome consent_to_program(run *r)
{
    if (!r->agent->options.on_program)
        return WENT;

    switch (ask_caller(r, &run_attempt(r)->code)) {
    case SNUG_AGENT_CONSENT_RUN:
        return run_look(r);
    case SNUG_AGENT_CONSENT_CHANGED:
        if (r->wanted.len > 0)
            return change(r);
        break;
    case SNUG_AGENT_CONSENT_REFUSE:
        break;
    }
    return refuse(r);
}

int snug_agent_change_program(snug_agent *agent, const char *code, size_t len)
{
    size_t fault;
    run *r = agent ? agent->run : NULL;

    if (!r || !r->is_consenting || !code)
        return error_set(SNUG_EINVAL, "snug_agent_change_program: %s",
                         code ? "no program is being decided on" : "code is NULL");
    if (memchr(code, '\0', len) || utf8_check(code, len, &fault) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "the changed program is not text in UTF-8");
    str_clear(&r->wanted);
    return str_append(&r->wanted, code, len) ? error_no_memory() : SNUG_OK;
}
