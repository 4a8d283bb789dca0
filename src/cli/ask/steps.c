#include "cli/ask/steps_shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/ask/member.h"
#include "cli/terminal/columns.h"
#include "cli/terminal/term.h"

/* ---- pieces ---- */

void steps_put_on(steps *s, term_style how)
{
    fputs(term_on(&s->colors, stderr, how), stderr);
}

void steps_end_line(steps *s)
{
    if (s->is_inside) {
        fputc('\n', stderr);
        program_output_leave_line(&s->output);
    }
    s->is_inside = 0;
}

void steps_put_lines(steps *s, const char *mark, const char *text, size_t len, size_t most)
{
    steps_end_line(s);
    for (size_t number = 0; len > 0; number++) {
        const char *end = memchr(text, '\n', len);
        const size_t line = end ? (size_t)(end - text) : len, taken = end ? line + 1 : line;

        steps_put_on(s, TERM_PLACE);
        fputs(mark, stderr);
        if (most > 0 && number == most) {
            fprintf(stderr, "... %.1f kB more ...", (double)len / 1000);
            len = 0;
        }
        steps_put_on(s, TERM_OFF);
        term_put(stderr, text, len > 0 ? line : 0);
        fputc('\n', stderr);
        text += taken;
        len -= len > 0 ? taken : 0;
    }
}

void steps_title(steps *s, const char *what)
{
    steps_end_line(s);
    steps_put_on(s, TERM_IN);
    fprintf(stderr, "- %s", what);
    steps_put_on(s, TERM_OFF);
    s->is_inside = 1;
}

/* ---- events ---- */

static void show_retrieve(steps *s, span event)
{
    jsontext j;
    span match;
    const char *before = " ";

    steps_title(s, "material:");
    if (jsontext_enter(&j, jsontext_member(event, "matches")))
        while (jsontext_item(&j, NULL, &match)) {
            member_put(before, match, "name");
            before = ", ";
        }

    if (strcmp(before, " ") == 0)
        fputs(" nothing", stderr);
    steps_end_line(s);
}

static void show_step(steps *s, span event)
{
    steps_title(s, "step");
    fprintf(stderr, " %.0f of %.0f", member_number(event, "step"), member_number(event, "of"));
    member_put(": ", event, "text");
    steps_end_line(s);
}

static void show_summarise(steps *s, span event)
{
    steps_title(s, "summarise");
    member_put(" ", event, "turns");
    fputs(" earlier questions", stderr);
    steps_end_line(s);
}

static void show_without(steps *s, span event)
{
    steps_title(s, "without the");
    member_put(" ", event, "about");
    member_put(": ", event, "message");
    steps_end_line(s);
}

static void show_missing(steps *s, span event)
{
    steps_title(s, "missing:");
    member_put(" ", event, "message");
    steps_end_line(s);
}

static void show_plan(steps *s, span event)
{
    jsontext j;
    span step;
    size_t number = 0;
    const double count = member_number(event, "count");

    steps_title(s, "plan:");
    fprintf(stderr, " %.0f step%s", count, count == 1 ? "" : "s");
    steps_end_line(s);
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

static void show_evaluate(steps *s, span event)
{
    steps_title(s, "judged by the");
    member_put(" ", event, "by");
    member_put(": ", event, "verdict");
    member_put(": ", event, "reason");
    steps_end_line(s);
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

/* The last line of a traceback says what it was; other reasons say it in their first. */
static void put_cause(span event)
{
    enum { MOST_BYTES = 200 };
    str reason = member_text(event, "reason");
    size_t len = reason.len;

    while (len > 0 && reason.data[len - 1] == '\n')
        len--;
    const char *text = str_text(&reason), *last = memrchr(text, '\n', len);
    const int is_traceback = strncmp(text, "Traceback", strlen("Traceback")) == 0;
    if (is_traceback && last) {
        len -= (size_t)(last + 1 - text);
        text = last + 1;
    }
    const char *end = memchr(text, '\n', len);
    const size_t line = end ? (size_t)(end - text) : len;
    const size_t fits = columns_fit(text, line, MOST_BYTES);
    fputs(line > 0 ? ": " : "", stderr);
    term_put(stderr, text, fits);
    fputs(fits < line ? "..." : "", stderr);
    str_free(&reason);
}

static void show_repair(steps *s, span event)
{
    const unsigned long repeats = (unsigned long)member_number(event, "repeats");

    steps_title(s, "repair");
    member_put(" (", event, "class");
    member_put(", ", event, "category");
    fputs(")", stderr);
    if (repeats > 1)
        fprintf(stderr, ", the same for the %lu%s time", repeats, ordinal_ending(repeats));
    put_cause(event);
    steps_end_line(s);
}

static void show_route(steps *s, span event)
{
    steps_title(s, "route:");
    member_put(" ", event, "from");
    member_put(" -> ", event, "to");
    member_put(" (", event, "outcome");
    fputs(")", stderr);
    steps_end_line(s);
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
    steps_title(s, "used:");
    put_share(" ", event, "tokens", "max_tokens", " tokens");
    put_share(", ", event, "attempts", "max_attempts", " attempts");
    put_share(", ", event, "seconds", "max_seconds", " s");
    if (jsontext_member(event, "cost_usd").text)
        put_share(", ", event, "cost_usd", "max_cost_usd", " US dollars");
    steps_end_line(s);
}

/* What the model has made of an error. */
static void show_analyse(steps *s, span event)
{
    const span analysis = jsontext_member(event, "analysis");
    jsontext j;
    span item;

    steps_title(s, "cause:");
    member_put(" ", analysis, "root_cause");
    member_put(", severity ", analysis, "severity");
    steps_end_line(s);
    if (!jsontext_enter(&j, jsontext_member(analysis, "recommendations")))
        return;

    while (jsontext_item(&j, NULL, &item)) {
        str text = { 0 };
        jsontext_string(&text, item);
        steps_put_lines(s, "  > ", str_text(&text), text.len, 0);
        str_free(&text);
    }
}

static void show_anomaly(steps *s, span event)
{
    steps_title(s, "anomaly:");
    member_put(" ", event, "message");
    steps_end_line(s);
}

static void show_trace(steps *s, span event)
{
    steps_end_line(s);
    member_put("  ", event, "message");
    fputc('\n', stderr);
}

static void show_improve(steps *s, span event)
{
    int is_taken = jsontext_is(jsontext_member(event, "taken"), "true");
    steps_title(s, is_taken ? "version: taken" : "version: not taken");
    member_put(": ", event, "reason");
    steps_end_line(s);
}

static void show_total(steps *s, span event)
{
    const double requests = member_number(event, "requests");
    const int is_estimated = jsontext_is(jsontext_member(event, "estimated"), "true");

    steps_title(s, "in all:");
    fprintf(stderr, " %.0f request%s", requests, requests == 1 ? "" : "s");
    if (member_number(event, "model_calls") > 0)
        fprintf(stderr, " with %.0f of ask_model", member_number(event, "model_calls"));
    fprintf(stderr, ", %s%.0f tokens in, %.0f out, %.1f s", is_estimated ? "some " : "",
            member_number(event, "input_tokens"), member_number(event, "output_tokens"),
            member_number(event, "seconds"));
    if (jsontext_member(event, "cost_usd").text)
        fprintf(stderr, ", %.6f US dollars", member_number(event, "cost_usd"));
    steps_end_line(s);
}

static void show_fallback(steps *s, span event)
{
    steps_title(s, "instead by");
    member_put(" ", event, "model");
    member_put(": ", event, "reason");
    steps_end_line(s);
}

static const struct {
    const char *name;
    void (*show)(steps *s, span event);
} table[] = {
    { "generate", steps_show_generate },
    { "generated", steps_show_generated },
    { "delta", steps_show_delta },
    { "retry", steps_show_retry },
    { "plan", show_plan },
    { "extract", steps_show_extract },
    { "scan", steps_show_scan },
    { "output", steps_show_output },
    { "executed", steps_show_executed },
    { "retrieve", show_retrieve },
    { "summarise", show_summarise },
    { "without", show_without },
    { "tool_call", steps_show_tool_call },
    { "evaluate", show_evaluate },
    { "repair", show_repair },
    { "trace", show_trace },
    { "prompt", steps_show_prompt },
    { "route", show_route },
    { "budget", show_budget },
    { "anomaly", show_anomaly },
    { "improve", show_improve },
    { "execute", steps_show_execute },
    { "step", show_step },
    { "fallback", show_fallback },
    { "total", show_total },
    { "rerun", steps_show_rerun },
    { "analyse", show_analyse },
    { "missing", show_missing },
};

static void show_event(steps *s, const snug_agent_event *event)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, event->name) == 0)
            table[i].show(s, (span){ event->json, event->json_len });
    fflush(stderr);
}

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
    s->ends = 0;
    str_clear(&s->begins);
    steps_hold(s);
    show_event(s, event);
    steps_let_go(s);
    if (s->ends)
        ticker_end(&s->ticker);
    if (s->begins.len > 0)
        ticker_begin(&s->ticker, str_text(&s->begins));
}

int steps_have_shown(const steps *s, const char *code, size_t len)
{
    return !s->is_quiet && !s->is_json && s->code.len == len &&
           memcmp(str_text(&s->code), code, len) == 0;
}

void steps_hold(steps *s)
{
    ticker_hold(&s->ticker);
}

void steps_let_go(steps *s)
{
    ticker_let_go(&s->ticker, s->is_inside);
}

void steps_end(steps *s)
{
    ticker_end(&s->ticker);
    steps_end_line(s);
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

/* ---- life ---- */

enum { OUTPUT_ROWS = 20 };

void steps_open(steps *s, const options *o)
{
    *s = (steps){ .colors = term_open((term_mode)o->color),
                  .is_json = o->is_json,
                  .is_quiet = o->is_quiet,
                  .is_verbose = o->is_verbose };
    s->is_live = !o->is_json && !o->is_quiet && isatty(STDERR_FILENO) && term_has_sequences();
    s->theme = s->colors.err && s->is_live ? THEME_COLOURS : THEME_NONE;
    size_t most = o->output_rows ? o->output_rows : OUTPUT_ROWS;
    if (o->is_verbose || !s->is_live)
        most = 0;
    s->output = (program_output){ .stream = stderr,
                                  .is_live = s->is_live,
                                  .most_rows = most,
                                  .on = term_on(&s->colors, stderr, TERM_PLACE),
                                  .off = term_on(&s->colors, stderr, TERM_OFF) };
    if (s->is_live)
        ticker_open(&s->ticker, STDERR_FILENO, term_on(&s->colors, stderr, TERM_HINT),
                    term_on(&s->colors, stderr, TERM_OFF));
}

void steps_close(steps *s)
{
    ticker_close(&s->ticker);
    str_free(&s->begins);
    str_free(&s->title);
    str_free(&s->code);
    streamed_code_free(&s->streamed);
    program_output_free(&s->output);
}
