#include "cli/ask/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"
#include "base/str.h"
#include "cli/ask/member.h"
#include "cli/terminal/term.h"

/* ---- pieces of an event ---- */

typedef jsontext_span span;

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

/* ---- events ---- */

static void show_generate(steps *s, span event)
{
    str use = member_text(event, "for");
    if (strcmp(str_text(&use), "evaluation") == 0)
        begin_title(s, "evaluate");
    else if (strcmp(str_text(&use), "review") == 0)
        begin_title(s, "review");
    else if (strcmp(str_text(&use), "cell") == 0)
        begin_title(s, "ask_model");
    else
        begin_title(s, "generate");
    member_put(" by ", event, "model");
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
    member_put("\n  ", event, "message");
    steps_end(s);
}

static void show_retrieve(steps *s, span event)
{
    jsontext j;
    span match;
    const char *before = " ";

    begin_title(s, "material:");
    if (jsontext_enter(&j, jsontext_member(event, "matches")))
        while (jsontext_item(&j, NULL, &match)) {
            member_put(before, match, "name");
            before = ", ";
        }

    if (strcmp(before, " ") == 0)
        fputs(" nothing", stderr);
    steps_end(s);
}

static void show_summarise(steps *s, span event)
{
    begin_title(s, "summarise");
    member_put(" ", event, "turns");
    fputs(" earlier questions", stderr);
    steps_end(s);
}

static void show_without(steps *s, span event)
{
    begin_title(s, "without the");
    member_put(" ", event, "about");
    member_put(": ", event, "message");
    steps_end(s);
}

static void show_missing(steps *s, span event)
{
    begin_title(s, "missing:");
    member_put(" ", event, "message");
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
    const double tokens = member_number(event, "reply_tokens");

    if (tokens > 0) {
        begin_title(s, "again with");
        fprintf(stderr, " %.0f reply tokens:", tokens);
    } else {
        begin_title(s, "again in");
        fprintf(stderr, " %.1f s:", member_number(event, "wait_ms") / 1000);
    }
    member_put(" ", event, "reason");
    steps_end(s);
}

static void show_plan(steps *s, span event)
{
    jsontext j;
    span step;
    size_t number = 0;
    const double count = member_number(event, "count");

    begin_title(s, "plan:");
    fprintf(stderr, " %.0f step%s", count, count == 1 ? "" : "s");
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

    if (code.len > 0) {
        put_lines(s, "", code.data, code.len, 1);
    } else {
        const int is_answer = jsontext_is(jsontext_member(event, "words"), "true");
        begin_title(s, is_answer ? "an answer in words" : "no code in the reply");
        steps_end(s);
    }
    if (jsontext_member(event, "left_out").text) {
        begin_title(s, "left out:");
        member_put(" ", event, "left_out");
        steps_end(s);
    }
    str_free(&code);
}

static void show_finding(steps *s, span finding)
{
    str excerpt = member_text(finding, "excerpt");
    const char *before = "  ";

    if (member_number(finding, "line") > 0) {
        member_put("  line ", finding, "line");
        before = ": ";
    }
    member_put(before, finding, "message");
    fputc('\n', stderr);
    put_lines(s, "      ", str_text(&excerpt), excerpt.len, 0);

    member_put("    Hint: ", finding, "hint");
    s->is_inside = jsontext_member(finding, "hint").len > 2;
    steps_end(s);
    str_free(&excerpt);
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

    while (jsontext_item(&j, NULL, &finding))
        show_finding(s, finding);
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
    if (jsontext_is(jsontext_member(event, "cached"), "true")) {
        fputs(" from the cache", stderr);
        steps_end(s);
        str_free(&text);
        return;
    }

    member_put(" ", event, "status");
    fprintf(stderr, ", %.1f ms", member_number(jsontext_member(result, "usage"), "wall_ms"));
    if (error.text && *error.text == '{') {
        put_on(s, TERM_ERROR);
        member_put("\n  ", error, "name");
        put_on(s, TERM_OFF);
        member_put(": ", error, "value");
    }

    steps_end(s);
    str_free(&text);
}

static void show_tool_call(steps *s, span event)
{
    begin_title(s, "tool");
    member_put(" ", event, "name");
    member_put(": ", event, "status");
    fprintf(stderr, ", %.1f ms", member_number(event, "duration_ms"));
    steps_end(s);
}

static void show_evaluate(steps *s, span event)
{
    begin_title(s, "judged by the");
    member_put(" ", event, "by");
    member_put(": ", event, "verdict");
    member_put(": ", event, "reason");
    steps_end(s);
}

/* 1st, 2nd, 3rd, 4th, 11th, 21st, ... */
static const char *ordinal_ending(unsigned long number)
{
    static const char endings[][3] = { "th", "st", "nd", "rd" };
    const unsigned long last = number % 10;

    if (number % 100 / 10 == 1 || last > 3)
        return "th";
    return endings[last];
}

static void show_repair(steps *s, span event)
{
    const unsigned long repeats = (unsigned long)member_number(event, "repeats");

    begin_title(s, "repair");
    member_put(" (", event, "class");
    member_put(", ", event, "category");
    fputs(")", stderr);
    if (repeats > 1)
        fprintf(stderr, ", the same for the %lu%s time", repeats, ordinal_ending(repeats));
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
        member_put(" ", message, "role");
        put_lines(s, "  > ", str_text(&text), text.len, 0);
        str_free(&text);
    }
}

static void show_route(steps *s, span event)
{
    begin_title(s, "route:");
    member_put(" ", event, "from");
    member_put(" -> ", event, "to");
    member_put(" (", event, "outcome");
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

/* What the model has made of an error. */
static void show_analyse(steps *s, span event)
{
    const span analysis = jsontext_member(event, "analysis");
    jsontext j;
    span item;

    begin_title(s, "cause:");
    member_put(" ", analysis, "root_cause");
    member_put(", severity ", analysis, "severity");
    steps_end(s);
    if (!jsontext_enter(&j, jsontext_member(analysis, "recommendations")))
        return;

    while (jsontext_item(&j, NULL, &item)) {
        str text = { 0 };
        jsontext_string(&text, item);
        put_lines(s, "  > ", str_text(&text), text.len, 0);
        str_free(&text);
    }
}

static void show_rerun(steps *s, span event)
{
    begin_title(s, "run again in a new worker");
    fprintf(stderr, ", %.0f of %.0f", member_number(event, "rerun"), member_number(event, "of"));
    member_put(": ", event, "reason");
    steps_end(s);
}

static void show_anomaly(steps *s, span event)
{
    begin_title(s, "anomaly:");
    member_put(" ", event, "message");
    steps_end(s);
}

static void show_trace(steps *s, span event)
{
    steps_end(s);
    member_put("  ", event, "message");
    fputc('\n', stderr);
}

static void show_improve(steps *s, span event)
{
    int is_taken = jsontext_is(jsontext_member(event, "taken"), "true");
    begin_title(s, is_taken ? "version: taken" : "version: not taken");
    member_put(": ", event, "reason");
    steps_end(s);
}

static void show_fallback(steps *s, span event)
{
    begin_title(s, "instead by");
    member_put(" ", event, "model");
    member_put(": ", event, "reason");
    steps_end(s);
}

static void show_total(steps *s, span event)
{
    const double requests = member_number(event, "requests");
    const int is_estimated = jsontext_is(jsontext_member(event, "estimated"), "true");

    begin_title(s, "in all:");
    fprintf(stderr, " %.0f request%s", requests, requests == 1 ? "" : "s");
    if (member_number(event, "model_calls") > 0)
        fprintf(stderr, " with %.0f of ask_model", member_number(event, "model_calls"));
    fprintf(stderr, ", %s%.0f tokens in, %.0f out, %.1f s", is_estimated ? "some " : "",
            member_number(event, "input_tokens"), member_number(event, "output_tokens"),
            member_number(event, "seconds"));
    if (jsontext_member(event, "cost_usd").text)
        fprintf(stderr, ", %.6f US dollars", member_number(event, "cost_usd"));
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
    { "fallback", show_fallback },   { "total", show_total },         { "rerun", show_rerun },
    { "analyse", show_analyse },     { "missing", show_missing },
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

/* An event of the command's own, of two texts. */
static void show_own(steps *s, const char *name, const char *const members[2],
                     const char *const texts[2])
{
    str text = { 0 };
    int error = str_printf(&text, "{\"event\":\"%s\",\"n\":0", name);

    for (int i = 0; i < 2 && !error; i++) {
        error = str_printf(&text, ",\"%s\":", members[i]);
        if (!error)
            error = jsontext_quote(&text, texts[i], strlen(texts[i]));
    }

    if (!error)
        error = str_add(&text, "}");
    if (!error) {
        const snug_agent_event event = { .name = name, .json = text.data, .json_len = text.len };
        steps_show(s, &event);
    }
    str_free(&text);
}

void steps_without(steps *s, const char *about, const char *message)
{
    show_own(s, "without", (const char *const[2]){ "about", "message" },
             (const char *const[2]){ about, message });
}

void steps_hint(steps *s, const char *module, const char *hint)
{
    show_own(s, "missing", (const char *const[2]){ "module", "message" },
             (const char *const[2]){ module, hint });
}
