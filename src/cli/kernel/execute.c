/* A cell: run, shown to everybody, answered. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <snug/snug.h>
#include <snug/task.h>

#include "base/ascii.h"
#include "base/error.h"
#include "cli/kernel/content.h"
#include "cli/kernel/kernel.h"
#include "cli/packages/modules.h"
#include "cli/program/limit_magic.h"
#include "cli/prompt/approve.h"
#include "cli/tools/call_text.h"

/* ---- failure ---- */

/* An error of a cell as front ends show it: name, value, and a traceback whose lines
 * have colours. */

#define RED    "\x1b[1;31m"
#define CYAN   "\x1b[36m"
#define YELLOW "\x1b[33m"
#define OFF    "\x1b[0m"

/* A line of a traceback, coloured up to its byte `styled`. */
static void add_line(content *c, const char *colour, const char *line, size_t styled, size_t len)
{
    str text = { 0 };

    c->has_failed |= str_add(&text, colour) || str_append(&text, line, styled) ||
                     (*colour && str_add(&text, OFF)) ||
                     str_append(&text, line + styled, len - styled);
    content_next(c);
    content_quote(c, str_text(&text), text.len);
    str_free(&text);
}

/* "ZeroDivisionError: division by zero", "KeyboardInterrupt", "mod.Odd: ..." */
static size_t exception_name(const char *line, size_t len)
{
    size_t n = 0;
    while (n < len && (is_word(line[n]) || line[n] == '.'))
        n++;
    return n < len && line[n] != ':' ? 0 : n;
}

static void add_traceback_line(content *c, const char *line, size_t len)
{
    size_t indent = strspn(line, " |");
    if (indent > len)
        indent = len;

    if (!strncmp(line + indent, "File \"", 6))
        add_line(c, CYAN, line, len, len);
    else if (indent < len && strspn(line + indent, "^~") == len - indent)
        add_line(c, RED, line, len, len);
    else if (indent == 0 && exception_name(line, len) > 0)
        add_line(c, RED, line, exception_name(line, len), len);
    else
        add_line(c, "", line, 0, len);
}

static void add_error(content *c, const char *name, const char *value)
{
    str line = { 0 };

    c->has_failed |= str_add(&line, name) || (*value && str_printf(&line, ": %s", value));
    for (const char *at = str_text(&line); *at;) {
        size_t len = strcspn(at, "\n");
        add_line(c, RED, at, at == line.data ? strlen(name) : 0, len);
        at += len + (at[len] == '\n');
    }
    str_free(&line);
}

static void add_hint(content *c, const char *hint)
{
    str line = { 0 };
    c->has_failed |= str_printf(&line, "Hint: %s", hint) != SNUG_OK;
    add_line(c, YELLOW, str_text(&line), strlen("Hint: "), line.len);
    str_free(&line);
}

/* The members "ename", "evalue" and "traceback". what_to_do stands below it; NULL: nothing. */
static void failure_of_result(content *c, const snug_result *result, const char *what_to_do)
{
    const char *name = snug_result_error_name(result), *value = snug_result_error_value(result);
    const char *traceback = snug_result_text(result, SNUG_STREAM_TRACEBACK, NULL);
    const char *hint = snug_result_error_hint(result);

    content_text(c, "ename", name);
    content_text(c, "evalue", value);
    content_member(c, "traceback", "[");
    for (const char *at = traceback; *at;) {
        size_t len = strcspn(at, "\n");
        add_traceback_line(c, at, len);
        at += len + (at[len] == '\n');
    }
    if (!*traceback)
        add_error(c, name, value);
    if (what_to_do)
        add_hint(c, what_to_do);
    else if (*hint && strcmp(hint, value) != 0)
        add_hint(c, hint);
    content_add(c, "]");
}

/* The same of an error that no cell has made. */
static void failure_of_kernel(content *c, const char *name, const char *value,
                              const char *what_to_do)
{
    content_text(c, "ename", name);
    content_text(c, "evalue", value);
    content_member(c, "traceback", "[");
    add_error(c, name, value);
    if (what_to_do)
        add_hint(c, what_to_do);
    content_add(c, "]");
}

static const char fresh_hint[] =
    "The session is lost with all its names. The next cell runs in a fresh one: run the cells that "
    "it needs again.";

/* What was asked for. */
typedef struct execution {
    const kernel_message *request;
    str source; /* as it was sent, for the history */
    str code;   /* without the kernel's own lines */
    int is_silent, is_stored, takes_input, stops_on_error;
    uint64_t number;
    int has_failed;
    content error;       /* members of an error; empty: there is none */
    content expressions; /* the answers to user_expressions */
} execution;

/* ---- callbacks ---- */

void kernel_on_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    kernel *k = payload;
    if (!k->is_quiet)
        iopub_text(&k->publisher, stream, text, len);
}

static void publish_display(kernel *k, const char *type, const snug_display *display)
{
    content c = { 0 };

    content_add(&c, "{");
    content_bundle(&c, display);
    content_member(&c, "transient", "{");
    if (*display->id)
        content_text(&c, "display_id", display->id);
    content_add(&c, "}}");
    iopub_send(&k->publisher, k->cell, type, &c);
    content_free(&c);
}

void kernel_on_display(void *payload, snug_display_event event, const snug_display *display)
{
    kernel *k = payload;

    if (k->is_quiet)
        return;
    switch (event) {
    case SNUG_DISPLAY_EVENT_SHOW:
        publish_display(k, "display_data", display);
        break;
    case SNUG_DISPLAY_EVENT_UPDATE:
        publish_display(k, "update_display_data", display);
        break;
    case SNUG_DISPLAY_EVENT_CLEAR:
        iopub_clear(&k->publisher);
        break;
    }
}

void kernel_on_input(void *payload, snug_call *call, const char *prompt)
{
    kernel *k = payload;

    if (!k->takes_input || !k->cell) {
        snug_call_return_line(call, NULL, 0);
        return;
    }
    iopub_flush(&k->publisher);
    attendant_ask(&k->attendant, k->cell, call, prompt, 0);
}

void kernel_on_approval(void *payload, snug_call *call)
{
    kernel *k = payload;
    str prompt = { 0 };

    if (!k->takes_input || !k->cell) {
        snug_call_approve(call, SNUG_APPROVAL_REFUSE,
                          "nobody can be asked: the front end takes no input for this cell");
        return;
    }
    int error = str_add(&prompt, "Call ");
    if (!error)
        error = call_text_write(&prompt, call);
    if (!error)
        error = str_add(&prompt, APPROVE_CHOICES);
    if (error) {
        snug_call_approve(call, SNUG_APPROVAL_REFUSE, "out of memory for the question");
    } else {
        iopub_flush(&k->publisher);
        attendant_ask(&k->attendant, k->cell, call, prompt.data, 1);
    }
    str_free(&prompt);
}

/* ---- the session ---- */

static void say(kernel *k, const char *sentence)
{
    iopub_text(&k->publisher, SNUG_STREAM_STDERR, sentence, strlen(sentence));
}

/* A lost session gets a fresh one in its place. SNUG_OK, or an error: then the next cell tries
 * again. */
static int renew_session(kernel *k)
{
    int error = snug_session_reset(k->session);
    if (error) {
        kernel_log("no fresh session can take the place of the lost one: %s", error_message());
        return error;
    }

    history_next_session(&k->history);
    k->is_renewed = 1;
    return SNUG_OK;
}

/* The error of a cell that did not run. */
static void fail_unrun(execution *e, const char *name, const char *value, const char *hint)
{
    e->has_failed = 1;
    content_clear(&e->error);
    failure_of_kernel(&e->error, name, value, hint);
}

/* ---- user_expressions ---- */

static const snug_display *main_result(const snug_result *result)
{
    size_t count = snug_result_display_count(result);
    const snug_display *last = count > 0 ? snug_result_display(result, count - 1) : NULL;
    return last && last->is_main_result ? last : NULL;
}

static void add_expression(content *c, const snug_result *result)
{
    const snug_display *value = main_result(result);

    if (snug_result_status(result) == SNUG_STATUS_OK) {
        content_add(c, "{\"status\":\"ok\"");
        if (value)
            content_bundle(c, value);
        else
            content_add(c, ",\"data\":{},\"metadata\":{}");
    } else {
        content_add(c, "{\"status\":\"error\"");
        failure_of_result(c, result, NULL);
    }
    content_add(c, "}");
}

static void answer_expression(kernel *k, execution *e, const jsontext_token *name,
                              jsontext_span source)
{
    str text = { 0 }, key = { 0 };
    snug_result *result = NULL;
    int error = jsontext_token_string(&key, name);

    if (!error && (error = jsontext_string(&text, source)) == SNUG_EINVAL)
        error_set(error, "an expression must be a string");
    if (!error)
        error = snug_session_run_aside(&result, k->session, str_text(&text), text.len, &k->limits);

    content_next(&e->expressions);
    content_quote(&e->expressions, str_text(&key), key.len);
    content_add(&e->expressions, ":");
    if (result)
        add_expression(&e->expressions, result);
    else
        content_error(&e->expressions, snug_error_name(error), error_message());
    snug_result_free(result);
    str_free(&text);
    str_free(&key);
}

static void answer_expressions(kernel *k, execution *e)
{
    jsontext_span all = kernel_message_member(e->request, "user_expressions"), source;
    jsontext_token name;
    jsontext j;

    content_add(&e->expressions, "{");
    if (!e->has_failed && all.text && all.text[0] == '{' && jsontext_enter(&j, all)) {
        k->is_quiet = 1;
        while (jsontext_item(&j, &name, &source))
            answer_expression(k, e, &name, source);
        k->is_quiet = 0;
    }
    content_add(&e->expressions, "}");
}

/* ---- the cell ---- */

static void publish_input(kernel *k, const execution *e)
{
    content c = { 0 };

    content_add(&c, "{");
    content_text(&c, "code", str_text(&e->code));
    content_printf(&c, ",\"execution_count\":%" PRIu64 "}", e->number);
    iopub_send(&k->publisher, e->request, "execute_input", &c);
    content_free(&c);
}

static void publish_value(kernel *k, const execution *e, const snug_display *value)
{
    content c = { 0 };

    content_add(&c, "{");
    content_bundle(&c, value);
    content_printf(&c, ",\"execution_count\":%" PRIu64 "}", e->number);
    iopub_send(&k->publisher, e->request, "execute_result", &c);
    content_free(&c);
}

/* Front ends keep what they are shown: where there is more, the session's file has it. */
static void tell_left_out(kernel *k, const snug_result *result, const uint64_t left_out[2])
{
    static const snug_stream streams[] = { SNUG_STREAM_STDOUT, SNUG_STREAM_STDERR };

    for (int i = 0; i < 2; i++) {
        const char *spill = result ? snug_result_spill(result, streams[i]) : NULL;
        char text[512];
        if (left_out[i] == 0)
            continue;
        snprintf(text, sizeof text, "snug: %" PRIu64 " more bytes of %s are not shown here%s%s\n",
                 left_out[i], i ? "stderr" : "stdout", spill ? "; all of it is in " : "",
                 spill ? spill : "");
        say(k, text);
    }
}

static void tell_displays_left_out(kernel *k, const snug_result *result)
{
    const uint64_t count = snug_result_displays_left_out(result);
    char text[200];

    if (count == 0)
        return;
    snprintf(text, sizeof text,
             "snug: %" PRIu64 " more display%s not shown: %%limit displays=SIZE allows more\n",
             count, count == 1 ? " is" : "s are");
    say(k, text);
}

/* Where the package is, of an import that fails; malloc'ed, or NULL. */
static char *advice_on_import(const kernel *k, const snug_result *result)
{
    missing m = { 0 };
    str text = { 0 };

    if (k->options->isolation != AS_FULL &&
        missing_add_error(&m, snug_result_error_name(result), snug_result_error_value(result),
                          k->options, snug_host_report(k->host)) == 1 &&
        m.items[0].is_installed && usual_has(m.items[0].module))
        str_printf(&text,
                   "%s is installed here: use the kernel snug-full, which snug kernel install "
                   "--all installs.",
                   m.items[0].module);
    missing_free(&m);
    return text.len ? str_take(&text) : NULL;
}

static void take_result(kernel *k, execution *e, const snug_result *result)
{
    const snug_display *value = main_result(result);

    if (e->is_stored)
        e->number = snug_result_execution_count(result);
    if (value && !e->is_silent)
        publish_value(k, e, value);
    if (e->is_stored)
        history_add(&k->history, e->number, str_text(&e->source),
                    value ? snug_result_text(result, SNUG_STREAM_VALUE, NULL) : NULL);
    if (snug_result_status(result) == SNUG_STATUS_OK)
        return;

    char *advice = advice_on_import(k, result);
    e->has_failed = 1;
    failure_of_result(&e->error, result,
                      snug_result_state(result) == SNUG_STATE_LOST ? fresh_hint : advice);
    free(advice);
}

/* An error that is not the cell's. */
static void fail_run(execution *e, int error)
{
    str why = { 0 };

    if (str_add(&why, error_message()))
        str_free(&why);
    if (error == SNUG_EDEAD)
        fail_unrun(e, "SessionLost", str_text(&why), fresh_hint);
    else
        fail_unrun(e, snug_error_name(error), str_text(&why), NULL);
    str_free(&why);
}

static int run_source(snug_result **out, kernel *k, const execution *e)
{
    const char *code = str_text(&e->code);

    if (e->is_stored)
        return snug_session_run(out, k->session, code, e->code.len, &k->limits);
    return snug_session_run_unrecorded(out, k->session, code, e->code.len, &k->limits);
}

/* Answers whether the session is lost. */
static int run_cell(kernel *k, execution *e)
{
    snug_result *result = NULL;
    uint64_t left_out[2];
    int is_lost = 0;

    attendant_begin_cell(&k->attendant);
    const int error = run_source(&result, k, e);
    attendant_end_cell(&k->attendant);
    if (error) {
        fail_run(e, error);
        is_lost = error == SNUG_EDEAD;
    } else {
        is_lost = snug_result_state(result) == SNUG_STATE_LOST;
    }

    iopub_left_out(&k->publisher, left_out);
    if (result && !e->is_silent)
        tell_left_out(k, result, left_out);
    if (result && !e->is_silent)
        tell_displays_left_out(k, result);
    iopub_end(&k->publisher);
    if (result)
        take_result(k, e, result);
    snug_result_free(result);
    return is_lost;
}

/* The lines of the kernel's own in front of the cell. */
static void take_magics(kernel *k, execution *e)
{
    str text = { 0 };
    int error = limit_magic_take(&e->code, &text, &k->limits, &k->options->limits);

    if (text.len > 0 && !e->is_silent)
        iopub_text(&k->publisher, SNUG_STREAM_STDOUT, text.data, text.len);
    if (error)
        fail_unrun(e, "UsageError", error_message(), NULL);
    str_free(&text);
}

static int is_session_there(kernel *k, execution *e)
{
    if (snug_session_activity(k->session) != SNUG_ACTIVITY_LOST || !renew_session(k))
        return 1;
    fail_unrun(e, "SessionLost", error_message(), "Restart the kernel.");
    return 0;
}

/* ---- the reply ---- */

static void reply_execution(kernel *k, const execution *e)
{
    content c = { 0 };

    content_add(&c, e->has_failed ? "{\"status\":\"error\"" : "{\"status\":\"ok\"");
    content_printf(&c, ",\"execution_count\":%" PRIu64, e->number);
    if (e->has_failed) {
        content_add(&c, ",");
        content_add(&c, str_text(&e->error.text));
    }
    content_member(&c, "user_expressions", str_text(&e->expressions.text));
    content_add(&c, ",\"payload\":[]}");
    c.has_failed |= e->error.has_failed || e->expressions.has_failed;
    kernel_reply(k, CHANNEL_SHELL, k->signer, e->request, "execute_reply", &c);
    content_free(&c);
}

static void publish_error(kernel *k, const execution *e)
{
    content c = { 0 };

    content_add(&c, "{");
    content_add(&c, str_text(&e->error.text));
    content_add(&c, "}");
    c.has_failed |= e->error.has_failed;
    iopub_send(&k->publisher, e->request, "error", &c);
    content_free(&c);
}

/* ---- the request ---- */

enum { SHOWN_TIMES = 16 };

/* Of each stream: a front end keeps it all. */
static uint64_t shown_bytes(const kernel *k)
{
    uint64_t kept =
        k->limits.output_bytes ? k->limits.output_bytes : k->options->limits.output_bytes;

    if (kept == 0)
        kept = limit_magic_default(offsetof(snug_limits, output_bytes));
    if (kept == SNUG_NONE)
        return 0;
    return kept > UINT64_MAX / SHOWN_TIMES ? UINT64_MAX : kept * SHOWN_TIMES;
}

static void run_shown(kernel *k, execution *e, int *is_lost)
{
    k->cell = e->request;
    k->takes_input = e->takes_input;
    k->is_quiet = e->is_silent;
    iopub_begin(&k->publisher, e->request);
    if (!e->is_silent)
        publish_input(k, e);

    if (is_session_there(k, e) && k->is_renewed && !e->is_silent) {
        say(k, "snug: a fresh session has taken the place of the lost one; the names of earlier "
               "cells are gone\n");
        k->is_renewed = 0;
    }

    if (!e->has_failed)
        take_magics(k, e);
    iopub_bound(&k->publisher, shown_bytes(k));
    if (!e->has_failed)
        *is_lost = run_cell(k, e);
    else
        iopub_end(&k->publisher);
    answer_expressions(k, e);
    if (e->has_failed && !e->is_silent)
        publish_error(k, e);
    k->cell = NULL;
}

static int read_execution(execution *out, const kernel *k, const kernel_message *request)
{
    *out = (execution){ .request = request,
                        .is_silent = kernel_message_flag(request, "silent", 0),
                        .takes_input = kernel_message_flag(request, "allow_stdin", 0),
                        .stops_on_error = kernel_message_flag(request, "stop_on_error", 1),
                        .number = snug_session_execution_count(k->session) + 1 };
    out->is_stored = !out->is_silent && kernel_message_flag(request, "store_history", 1);
    const int error = kernel_message_text(&out->source, request, "code");
    if (error)
        return error;
    return str_add_str(&out->code, &out->source) ? error_no_memory() : SNUG_OK;
}

void kernel_execute(kernel *k, const kernel_message *request)
{
    execution e;
    int is_lost = 0;

    if (read_execution(&e, k, request)) {
        fail_unrun(&e, "ValueError", error_message(), NULL);
        answer_expressions(k, &e);
    } else {
        run_shown(k, &e, &is_lost);
    }

    if (e.has_failed && e.stops_on_error)
        kernel_stop_waiting(k);
    reply_execution(k, &e);
    if (is_lost)
        renew_session(k);
    str_free(&e.source);
    str_free(&e.code);
    content_free(&e.error);
    content_free(&e.expressions);
}

/* Without a number, as in ipykernel: front ends write it beside the cell, as if it had run. */
void kernel_abort(kernel *k, const kernel_message *request)
{
    content c = { 0 };

    content_add(&c,
                "{\"status\":\"aborted\",\"ename\":\"Aborted\",\"evalue\":\"a cell before this one "
                "has failed\",\"traceback\":[]}");
    kernel_reply(k, CHANNEL_SHELL, k->signer, request, "execute_reply", &c);
    content_free(&c);
}
