#include "cli/ask/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"
#include "base/str.h"
#include "cli/terminal/term.h"

/* ---- pieces of an event ---- */

typedef jsontext_span span;

/* The text of a member, for the caller to free; "" where there is none. */
static str member_text(span event, const char *name)
{
    str text = { 0 };
    span value = jsontext_member(event, name);
    if (value.text && jsontext_string(&text, value) == SNUG_EINVAL)
        str_append(&text, value.text, value.len);
    return text;
}

static double member_number(span event, const char *name)
{
    str text = member_text(event, name);
    double number = text.len > 0 ? strtod(text.data, NULL) : 0;
    str_free(&text);
    return number;
}

static void put_on(steps *s, term_style style)
{
    fputs(term_on(&s->colors, stderr, style), stderr);
}

void steps_end(steps *s)
{
    if (s->is_inside)
        fputc('\n', stderr);
    s->is_inside = 0;
}

/* Each line behind a mark of its own. */
static void put_lines(steps *s, const char *mark, const char *text, size_t len, int has_numbers)
{
    size_t number = 0;

    steps_end(s);
    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        size_t line = end ? (size_t)(end - text) : len;

        put_on(s, TERM_PLACE);
        if (has_numbers)
            fprintf(stderr, "%6zu ", ++number);
        else
            fputs(mark, stderr);
        put_on(s, TERM_OFF);
        term_put(stderr, text, line);
        fputc('\n', stderr);

        size_t taken = end ? line + 1 : line;
        text += taken;
        len -= taken;
    }
}

static void begin_title(steps *s, const char *what)
{
    steps_end(s);
    put_on(s, TERM_IN);
    fprintf(stderr, "- %s", what);
    put_on(s, TERM_OFF);
    s->is_inside = 1;
}

static void put_member_text(const char *before, span event, const char *name)
{
    str text = member_text(event, name);
    if (text.len > 0) {
        fputs(before, stderr);
        term_put(stderr, text.data, text.len);
    }
    str_free(&text);
}

/* ---- events ---- */

static void show_generate(steps *s, span event)
{
    str use = member_text(event, "for");
    begin_title(s, strcmp(str_text(&use), "evaluation") == 0 ? "evaluate" : "generate");
    put_member_text(" by ", event, "model");
    fputs(" ...", stderr);
    str_free(&use);
}

static void show_generated(steps *s, span event)
{
    s->is_inside = 1; /* also where retries have ended the line */
    if (jsontext_is(jsontext_member(event, "cached"), "true")) {
        fputs(" from the cache", stderr);
        steps_end(s);
        return;
    }

    fprintf(stderr, " %.1f s, %.0f tokens in, %.0f out", member_number(event, "duration_ms") / 1000,
            member_number(event, "input_tokens"), member_number(event, "output_tokens"));
    put_member_text("\n  ", event, "message");
    steps_end(s);
}

static void show_retrieve(steps *s, span event)
{
    jsontext j;
    span match;
    const char *before = " ";

    begin_title(s, "library:");
    if (jsontext_enter(&j, jsontext_member(event, "matches")))
        while (jsontext_item(&j, NULL, &match)) {
            put_member_text(before, match, "name");
            before = ", ";
        }

    if (strcmp(before, " ") == 0)
        fputs(" nothing", stderr);
    steps_end(s);
}

static void show_summarise(steps *s, span event)
{
    begin_title(s, "summarise");
    put_member_text(" ", event, "turns");
    fputs(" earlier questions", stderr);
    steps_end(s);
}

static void show_without(steps *s, span event)
{
    begin_title(s, "without the");
    put_member_text(" ", event, "about");
    put_member_text(": ", event, "message");
    steps_end(s);
}

static void show_delta(steps *s, span event)
{
    str text = member_text(event, "text");
    if (s->is_verbose) {
        term_put(stderr, str_text(&text), text.len);
        s->is_inside = 1;
    }
    str_free(&text);
}

static void show_retry(steps *s, span event)
{
    begin_title(s, "again in");
    fprintf(stderr, " %.1f s:", member_number(event, "wait_ms") / 1000);
    put_member_text(" ", event, "reason");
    steps_end(s);
}

static void show_plan(steps *s, span event)
{
    jsontext j;
    span step;
    size_t number = 0;

    begin_title(s, "plan");
    steps_end(s);
    if (!jsontext_enter(&j, jsontext_member(event, "steps")))
        return;

    while (jsontext_item(&j, NULL, &step)) {
        str text = { 0 };
        jsontext_string(&text, step);
        fprintf(stderr, "  %zu. ", ++number);
        term_put(stderr, str_text(&text), text.len);
        fputc('\n', stderr);
        str_free(&text);
    }
}

static void show_extract(steps *s, span event)
{
    str code = member_text(event, "code");

    if (code.len > 0)
        put_lines(s, "", code.data, code.len, 1);
    else {
        begin_title(s, "no code in the reply");
        steps_end(s);
    }
    str_free(&code);
}

static void show_scan(steps *s, span event)
{
    jsontext j;
    span finding;

    if (jsontext_is(jsontext_member(event, "ok"), "true"))
        return;
    begin_title(s, "scan: refused, nothing was run");
    steps_end(s);
    if (!jsontext_enter(&j, jsontext_member(event, "findings")))
        return;

    while (jsontext_item(&j, NULL, &finding)) {
        put_member_text("  line ", finding, "line");
        put_member_text(": ", finding, "message");
        fputc('\n', stderr);
    }
}

static void show_output(steps *s, span event)
{
    str text = member_text(event, "text");
    put_lines(s, "  | ", str_text(&text), text.len, 0);
    str_free(&text);
}

static void show_executed(steps *s, span event)
{
    span result = jsontext_member(event, "result"), error = jsontext_member(result, "error");
    span value = jsontext_member(result, "value");
    str text = member_text(value, "text");

    if (text.len > 0)
        put_lines(s, "  = ", text.data, text.len, 0);
    begin_title(s, "run:");
    put_member_text(" ", event, "status");
    fprintf(stderr, ", %.1f ms", member_number(jsontext_member(result, "usage"), "wall_ms"));
    if (error.text && *error.text == '{') {
        put_on(s, TERM_ERROR);
        put_member_text("\n  ", error, "name");
        put_on(s, TERM_OFF);
        put_member_text(": ", error, "value");
    }

    steps_end(s);
    str_free(&text);
}

static void show_tool_call(steps *s, span event)
{
    begin_title(s, "tool");
    put_member_text(" ", event, "name");
    put_member_text(": ", event, "status");
    fprintf(stderr, ", %.1f ms", member_number(event, "duration_ms"));
    steps_end(s);
}

static void show_evaluate(steps *s, span event)
{
    begin_title(s, "judged by the");
    put_member_text(" ", event, "by");
    put_member_text(": ", event, "verdict");
    put_member_text(": ", event, "reason");
    steps_end(s);
}

static void show_repair(steps *s, span event)
{
    double repeats = member_number(event, "repeats");

    begin_title(s, "repair");
    put_member_text(" (", event, "class");
    put_member_text(", ", event, "category");
    fputs(")", stderr);
    if (repeats > 1)
        fprintf(stderr, ", the same for the %.0f. time", repeats);
    steps_end(s);
}

/* The messages of a request, as they are sent. */
static void show_prompt(steps *s, span event)
{
    jsontext j;
    span message;

    if (!jsontext_enter(&j, jsontext_member(event, "messages")))
        return;
    while (jsontext_item(&j, NULL, &message)) {
        str text = member_text(message, "text");
        begin_title(s, "prompt,");
        put_member_text(" ", message, "role");
        put_lines(s, "  > ", str_text(&text), text.len, 0);
        str_free(&text);
    }
}

static void show_route(steps *s, span event)
{
    begin_title(s, "route:");
    put_member_text(" ", event, "from");
    put_member_text(" -> ", event, "to");
    put_member_text(" (", event, "outcome");
    fputs(")", stderr);
    steps_end(s);
}

static void put_share(const char *before, span event, const char *name, const char *limit,
                      const char *unit)
{
    span most = jsontext_member(event, limit);
    fprintf(stderr, "%s%g", before, member_number(event, name));
    if (most.text && !jsontext_is(most, "null"))
        fprintf(stderr, " of %g", member_number(event, limit));
    fputs(unit, stderr);
}

static void show_budget(steps *s, span event)
{
    begin_title(s, "used:");
    put_share(" ", event, "tokens", "max_tokens", " tokens");
    put_share(", ", event, "attempts", "max_attempts", " attempts");
    put_share(", ", event, "seconds", "max_seconds", " s");
    if (jsontext_member(event, "cost_usd").text)
        put_share(", ", event, "cost_usd", "max_cost_usd", " US dollars");
    steps_end(s);
}

static void show_anomaly(steps *s, span event)
{
    begin_title(s, "anomaly:");
    put_member_text(" ", event, "message");
    steps_end(s);
}

static void show_trace(steps *s, span event)
{
    steps_end(s);
    put_member_text("  ", event, "message");
    fputc('\n', stderr);
}

static void show_improve(steps *s, span event)
{
    int is_taken = jsontext_is(jsontext_member(event, "taken"), "true");
    begin_title(s, is_taken ? "version: taken" : "version: not taken");
    put_member_text(": ", event, "reason");
    steps_end(s);
}

static const struct {
    const char *name;
    void (*show)(steps *s, span event);
} table[] = {
    { "generate", show_generate },   { "generated", show_generated }, { "delta", show_delta },
    { "retry", show_retry },         { "plan", show_plan },           { "extract", show_extract },
    { "scan", show_scan },           { "output", show_output },       { "executed", show_executed },
    { "retrieve", show_retrieve },   { "summarise", show_summarise }, { "without", show_without },
    { "tool_call", show_tool_call }, { "evaluate", show_evaluate },   { "repair", show_repair },
    { "trace", show_trace },         { "prompt", show_prompt },       { "route", show_route },
    { "budget", show_budget },       { "anomaly", show_anomaly },     { "improve", show_improve },
};

void steps_show(void *payload, const snug_agent_event *event)
{
    steps *s = payload;
    if (s->is_json) {
        term_show(stdout, NULL, event->json, event->json_len, 0);
        putchar('\n');
        fflush(stdout);
        return;
    }

    if (s->is_quiet)
        return;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, event->name) == 0)
            table[i].show(s, (span){ event->json, event->json_len });
    fflush(stderr);
}
