/* Of steps.h: what becomes of a program. */
#include "cli/ask/steps_shown.h"

#include <stdio.h>

#include "cli/ask/member.h"

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
    steps_put_lines(s, "      ", str_text(&excerpt), excerpt.len, 0);

    member_put("    Hint: ", finding, "hint");
    s->is_inside = jsontext_member(finding, "hint").len > 2;
    steps_end_line(s);
    str_free(&excerpt);
}

void steps_show_scan(steps *s, span event)
{
    jsontext j;
    span finding;

    if (jsontext_is(jsontext_member(event, "ok"), "true"))
        return;
    steps_title(s, "scan: refused, nothing was run");
    steps_end_line(s);
    if (!jsontext_enter(&j, jsontext_member(event, "findings")))
        return;

    while (jsontext_item(&j, NULL, &finding))
        show_finding(s, finding);
}

void steps_show_execute(steps *s, span event)
{
    (void)event;
    str_add(&s->begins, "the program runs");
}

void steps_show_output(steps *s, span event)
{
    str text = member_text(event, "text"), what = { 0 };
    const int is_of_stderr = jsontext_is(jsontext_member(event, "stream"), "\"stderr\"");

    if (!s->output.is_inside)
        steps_end_line(s);
    program_output_take(&s->output, is_of_stderr, str_text(&text), text.len);
    s->is_inside = s->is_live && s->output.is_inside && s->output.bytes_hid == 0;
    if (s->output.bytes_hid > 0) {
        if (s->output.lines_hid > 0)
            str_printf(&what, "the program runs, %zu more line%s", s->output.lines_hid,
                       s->output.lines_hid == 1 ? "" : "s");
        else
            str_printf(&what, "the program runs, %.1f kB more", (double)s->output.bytes_hid / 1000);
        ticker_say(&s->ticker, str_text(&what));
    }
    str_free(&what);
    str_free(&text);
}

void steps_show_executed(steps *s, span event)
{
    span result = jsontext_member(event, "result"), error = jsontext_member(result, "error");
    span value = jsontext_member(result, "value");
    str text = member_text(value, "text");

    s->ends = 1;
    program_output_end(&s->output);
    s->is_inside = 0;
    if (text.len > 0)
        steps_put_lines(s, "  = ", text.data, text.len, s->output.most_rows);
    steps_title(s, "run:");
    if (jsontext_is(jsontext_member(event, "cached"), "true")) {
        fputs(" from the cache", stderr);
        steps_end_line(s);
        str_free(&text);
        return;
    }

    member_put(" ", event, "status");
    fprintf(stderr, ", %.1f ms", member_number(jsontext_member(result, "usage"), "wall_ms"));
    if (error.text && *error.text == '{') {
        steps_put_on(s, TERM_ERROR);
        member_put("\n  ", error, "name");
        steps_put_on(s, TERM_OFF);
        member_put(": ", error, "value");
    }

    steps_end_line(s);
    str_free(&text);
}

void steps_show_tool_call(steps *s, span event)
{
    steps_title(s, "tool");
    member_put(" ", event, "name");
    member_put(": ", event, "status");
    fprintf(stderr, ", %.1f ms", member_number(event, "duration_ms"));
    steps_end_line(s);
}

void steps_show_rerun(steps *s, span event)
{
    steps_title(s, "run again in a new worker");
    fprintf(stderr, ", %.0f of %.0f", member_number(event, "rerun"), member_number(event, "of"));
    member_put(": ", event, "reason");
    steps_end_line(s);
}
