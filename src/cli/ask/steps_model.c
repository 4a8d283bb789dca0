/* Of steps.h: what a model is asked, and what it says. */
#include "cli/ask/steps_shown.h"

#include <string.h>

#include "cli/ask/member.h"

enum { BYTES_OF_TOKEN = 4 /* on an average, of English and code */ };

/* ---- a request ---- */

static const struct {
    const char *use, *title;
} titles[] = { { "evaluation", "evaluate" }, { "review", "review" }, { "cell", "ask_model" } };

static const char *title_of(const str *use)
{
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strcmp(str_text(use), titles[i].use) == 0)
            return titles[i].title;
    return "generate";
}

static void put_title(steps *s)
{
    if (s->is_titled)
        return;
    steps_title(s, str_text(&s->title));
    fputs(" ...", stderr);
    s->is_titled = 1;
}

void steps_show_generate(steps *s, span event)
{
    str use = member_text(event, "for"), model = member_text(event, "model");
    const char *title = title_of(&use);
    clean one = { 0 };

    s->is_for_code = strcmp(title, "generate") == 0;
    s->is_titled = 0;
    s->bytes = s->code_shown = 0;
    streamed_code_clear(&s->streamed);
    str_clear(&s->title);
    str_printf(&s->title, "%s by ", title);
    clean_text(&s->title, &one, str_text(&model), model.len, 0);
    if (s->is_live)
        str_add_str(&s->begins, &s->title);
    else
        put_title(s);
    str_free(&model);
    str_free(&use);
}

void steps_show_generated(steps *s, span event)
{
    const int is_cached = jsontext_is(jsontext_member(event, "cached"), "true");

    s->ends = 1;
    if (s->is_titled && s->is_live) {
        steps_end_line(s);
        fputc(' ', stderr);
    }
    put_title(s);
    s->is_inside = 1; /* also where retries have ended the line */
    if (is_cached)
        fputs(" from the cache", stderr);
    else
        fprintf(stderr, " %.1f s, %.0f tokens in, %.0f out",
                member_number(event, "duration_ms") / 1000, member_number(event, "input_tokens"),
                member_number(event, "output_tokens"));
    if (!is_cached)
        member_put("\n  ", event, "message");
    steps_end_line(s);
}

void steps_show_retry(steps *s, span event)
{
    const double tokens = member_number(event, "reply_tokens");

    if (tokens > 0) {
        steps_title(s, "again with");
        fprintf(stderr, " %.0f reply tokens:", tokens);
    } else {
        steps_title(s, "again in");
        fprintf(stderr, " %.1f s:", member_number(event, "wait_ms") / 1000);
    }
    member_put(" ", event, "reason");
    steps_end_line(s);
    s->bytes = 0;
    streamed_code_clear(&s->streamed);
    s->code_shown = 0;
}

/* ---- a reply ---- */

static code_look look_of(const steps *s, code_language language)
{
    return (code_look){ s->theme, language, term_on(&s->colors, stderr, TERM_PLACE),
                        term_on(&s->colors, stderr, TERM_OFF) };
}

static void put_code(const steps *s, code_language language, const str *code, size_t from)
{
    const code_look look = look_of(s, language);
    const size_t number = 1 + code_lines_count(language, str_text(code), from);

    code_lines_put(stderr, &look, str_text(code), code->len, from, number);
}

/* The code that has come, below the title. */
static void put_streamed(steps *s)
{
    if (s->streamed.code.len == s->code_shown)
        return;
    put_title(s);
    steps_end_line(s);
    put_code(s, s->streamed.language, &s->streamed.code, s->code_shown);
    s->code_shown = s->streamed.code.len;
}

static void say_tokens(steps *s)
{
    str text = { 0 };

    str_printf(&text, "%s, about %zu tokens", str_text(&s->title), s->bytes / BYTES_OF_TOKEN + 1);
    ticker_say(&s->ticker, str_text(&text));
    str_free(&text);
}

void steps_show_delta(steps *s, span event)
{
    str text = member_text(event, "text");

    s->bytes += text.len;
    if (s->is_verbose) {
        put_title(s);
        term_put(stderr, str_text(&text), text.len);
        s->is_inside = 1;
    } else if (s->is_live) {
        say_tokens(s);
        if (s->is_for_code && streamed_code_take(&s->streamed, str_text(&text), text.len) > 0)
            put_streamed(s);
    }
    str_free(&text);
}

/* Of code that has not come as a stream, or that was chosen from more of it. */
void steps_show_extract(steps *s, span event)
{
    str code = member_text(event, "code");

    if (s->is_live && !s->is_verbose && streamed_code_end(&s->streamed) > 0)
        put_streamed(s);
    if (code.len > 0) {
        steps_end_line(s);
        const int is_there =
            s->code_shown > 0 && streamed_code_is(&s->streamed, code.data, code.len);
        if (!is_there)
            put_code(s, s->streamed.language, &code, 0);
        str_clear(&s->code);
        str_add_str(&s->code, &code);
    } else {
        const int is_answer = jsontext_is(jsontext_member(event, "words"), "true");
        steps_title(s, is_answer ? "an answer in words" : "no code in the reply");
        steps_end_line(s);
    }
    if (jsontext_member(event, "left_out").text) {
        steps_title(s, "left out:");
        member_put(" ", event, "left_out");
        steps_end_line(s);
    }
    str_free(&code);
}

/* The messages of a request, as they are sent. */
void steps_show_prompt(steps *s, span event)
{
    jsontext j;
    span message;

    if (!jsontext_enter(&j, jsontext_member(event, "messages")))
        return;
    while (jsontext_item(&j, NULL, &message)) {
        str text = member_text(message, "text");
        steps_title(s, "prompt,");
        member_put(" ", message, "role");
        steps_put_lines(s, "  > ", str_text(&text), text.len, 0);
        str_free(&text);
    }
}
