#include "cli/ask/closing.h"

#include <stdio.h>

#include "base/jsontext.h"
#include "cli/ask/member.h"

typedef jsontext_span span;

/* ---- times ---- */

static void tell_times(span reply)
{
    static const struct {
        const char *member, *name;
    } rows[] = { { "generate", "generation" },
                 { "execute", "execution" },
                 { "evaluate", "evaluation" },
                 { "improve", "improvement" },
                 { "reply", "wording" } };
    const span timing = jsontext_member(reply, "timing_ms");
    const char *const first = "- times: ", *before = first;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double ms = member_number(timing, rows[i].member);
        if (ms <= 0)
            continue;
        fprintf(stderr, "%s%s %.2f s", before, rows[i].name, ms / 1000);
        before = ", ";
    }

    if (before != first)
        fputc('\n', stderr);
}

/* ---- what was made ---- */

/* 1: it goes with the session. */
static int tell_made_file(span file)
{
    const int is_kept = member_put("made: ", file, "at");

    if (!is_kept && !member_put("made: ", file, "path"))
        member_put("made: a figure, ", file, "mime");
    fprintf(stderr, ", %.0f bytes\n", member_number(file, "bytes"));
    return !is_kept;
}

static int tell_made(span reply, const char *list)
{
    jsontext j;
    span file;
    int lost = 0;

    if (jsontext_enter(&j, jsontext_member(reply, list)))
        while (jsontext_item(&j, NULL, &file))
            lost += tell_made_file(file);
    return lost;
}

void closing_tell(closing *c, const snug_reply *reply, int is_handed_over)
{
    size_t len;
    const char *json = snug_reply_text(reply, SNUG_REPLY_JSON, &len);
    if (!json)
        return;

    const span whole = { json, len };
    if (member_put("- ", whole, "outcome"))
        fputc('\n', stderr);
    tell_times(whole);

    if (is_handed_over)
        return;
    const int lost = tell_made(whole, "files") + tell_made(whole, "figures");
    if (lost == 0 || c->keeps_files || c->has_warned)
        return;
    c->has_warned = 1;
    fputs("snug: what was made goes with the session at the end; --out DIR and --workdir DIR keep "
          "it\n",
          stderr);
}
