/*
 * markdown.c - a reply as a report for people. The headings and their order are what users of
 * such reports know; a heading with nothing below it is left out.
 */
#include <string.h>

#include "agent/reply/reply.h"
#include "base/jsontext.h"

/* A fence longer than any run of backticks in the text. */
static size_t fence_len(const char *text)
{
    size_t longest = 2;

    for (const char *at = text; *at;) {
        size_t run = strspn(at, "`");
        if (run > longest)
            longest = run;
        at += run ? run : 1;
    }

    return longest + 1;
}

int reply_add_fenced(str *out, const char *info, const str *text)
{
    static const char ticks[] = "````````````````````````````````";
    const char *data = str_text(text);
    size_t len = fence_len(data);
    int fence = (int)(len < sizeof ticks - 1 ? len : sizeof ticks - 1);
    const int has_end = text->len > 0 && data[text->len - 1] == '\n';

    str_printf(out, "%.*s%s\n", fence, ticks, info);
    str_append(out, data, text->len);
    return str_printf(out, "%s%.*s\n", has_end ? "" : "\n", fence, ticks);
}

static void add_fenced_section(str *out, const char *title, const char *info, const str *text)
{
    if (text->len == 0)
        return;
    str_printf(out, "\n## %s\n\n", title);
    reply_add_fenced(out, info, text);
}

static void add_section(str *out, const char *title, const char *text)
{
    if (*text)
        str_printf(out, "\n## %s\n\n%s\n", title, text);
}

/* The first line, so that a list stays one. */
static void add_first_line(str *out, const char *before, const str *text)
{
    str_add(out, before);
    str_append(out, str_text(text), strcspn(str_text(text), "\n"));
    str_add(out, "\n");
}

/* A text, or each text of a list; nothing where it is neither. */
static void add_said(str *out, const char *before, jsontext_span value)
{
    str text = { 0 };
    jsontext_span item;
    jsontext j;

    if (value.text && value.text[0] == '[' && jsontext_enter(&j, value))
        while (jsontext_item(&j, NULL, &item))
            if (item.text[0] == '"')
                add_said(out, before, item);
    if (jsontext_string(&text, value) == SNUG_OK && text.len > 0)
        add_first_line(out, before, &text);
    str_free(&text);
}

/* What the model said of all failures below one heading, with the programs that came next. */
static void add_said_section(str *out, const snug_reply *reply, const char *title,
                             const char *const members[][2])
{
    str text = { 0 };

    for (size_t i = 1; i < reply->attempt_count; i++) {
        const str *analysis = &reply->attempts[i].analysis;
        const jsontext_span given = { analysis->data, analysis->len };
        for (size_t k = 0; analysis->len > 0 && members[k][0]; k++)
            if (reply_next_attempt(reply, i - 1))
                add_said(&text, members[k][1], jsontext_member(given, members[k][0]));
    }
    if (text.len > 0)
        str_printf(out, "\n## %s\n\n%s", title, text.data);
    str_free(&text);
}

static void add_failed_attempt(str *out, const attempt *failed)
{
    size_t len = 0;
    str text = { 0 };

    if (failed->result) {
        const char *traceback = snug_result_text(failed->result, SNUG_STREAM_TRACEBACK, &len);
        str_append(&text, traceback, len);
    }
    add_fenced_section(out, "Error", "text", text.len > 0 ? &text : &failed->failure);
    str_printf(out, "\n## Error Type\n\n%s (%s)\n", failed->class ? failed->class : "runtime",
               str_text(&failed->category));
    str_free(&text);
}

static void add_errors(str *out, const snug_reply *reply)
{
    static const char *const cause[][2] = { { "root_cause", "" }, { NULL, NULL } };
    static const char *const impact[][2] = { { "severity", "- Severity: " },
                                             { "scope", "- Scope: " },
                                             { NULL, NULL } };
    static const char *const advice[][2] = { { "recommendations", "- " }, { NULL, NULL } };
    size_t failed = 0;

    while (failed < reply->attempt_count && reply->attempts[failed].failure.len == 0)
        failed++;
    if (failed == reply->attempt_count) {
        add_section(out, "Error", str_text(&reply->error));
        return;
    }
    add_failed_attempt(out, &reply->attempts[failed]);
    add_said_section(out, reply, "Root Cause", cause);
    add_said_section(out, reply, "Impact", impact);
    add_said_section(out, reply, "Recommendations", advice);
}

static const char *fence_word(const snug_reply *reply)
{
    return reply->is_in_bash ? "bash" : "python";
}

/* Models' time and that of the programs, by what it was for; of those that ran, for one that came
 * from the cache has not. */
static void add_performance(str *out, const snug_reply *reply)
{
    static const struct {
        reply_time time;
        const char *name;
    } rows[] = { { TIME_GENERATE, "Generation" },
                 { TIME_EXECUTE, "Execution" },
                 { TIME_EVALUATE, "Evaluation" },
                 { TIME_IMPROVE, "Improvement" },
                 { TIME_REPLY, "Wording" } };

    str_add(out, "\n## Performance\n\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        str_printf(out, "- %s: %.3f s\n", rows[i].name, (double)reply->time_ns[rows[i].time] / 1e9);
    str_printf(out, "- Total: %.3f s\n", (double)reply->total_ns / 1e9);

    for (size_t i = 0; i < reply->attempt_count; i++) {
        const attempt *a = &reply->attempts[i];
        if (a->result)
            str_printf(out, "- Run of attempt %llu: %.3f s, %.1f MiB at its peak\n",
                       (unsigned long long)a->n, (double)snug_result_wall_ns(a->result) / 1e9,
                       (double)snug_result_peak_bytes(a->result) / (1 << 20));
    }

    str_printf(out, "- Requests: %llu, tokens: %llu in, %llu out%s\n",
               (unsigned long long)reply->requests, (unsigned long long)reply->input_tokens,
               (unsigned long long)reply->output_tokens, reply->is_estimated ? " (estimated)" : "");
    if (reply->has_cost && reply->cost_usd > 0)
        str_printf(out, "- Cost: %.6f US dollars\n", reply->cost_usd);
}

static void add_debug(str *out, const snug_reply *reply)
{
    static const char *const names[TIMES] = { "generate", "scan",     "execute",
                                              "improve",  "evaluate", "reply" };

    str_printf(out, "\n## Debug Information\n\n- Status: %s\n- Models: %s\n",
               snug_agent_status_name(reply->status), str_text(&reply->models));
    if (reply->language.len > 0)
        str_printf(out, "- Language: %s\n", str_text(&reply->language));
    for (int i = 0; i < TIMES; i++)
        str_printf(out, "- Time of %s: %.1f ms\n", names[i], (double)reply->time_ns[i] / 1e6);
    str_printf(out, "- Tokens: %llu in (%llu cached), %llu out\n",
               (unsigned long long)reply->input_tokens, (unsigned long long)reply->cached_tokens,
               (unsigned long long)reply->output_tokens);
}

/* What came of an attempt, and how the next one mends it. */
static void add_history_line(str *out, const snug_reply *reply, size_t index)
{
    const str passed = { .data = (char[]){ "passed" }, .len = 6 };
    const attempt *a = &reply->attempts[index], *next = reply_next_attempt(reply, index);
    const int has_failed = a->failure.len > 0;

    str_printf(out, "- Attempt %llu: ", (unsigned long long)a->n);
    add_first_line(out, "", has_failed ? &a->failure : &passed);
    if (a->reruns > 0)
        str_printf(out, "  - Run again in a new worker, %llu time%s: %s\n",
                   (unsigned long long)a->reruns, a->reruns == 1 ? "" : "s", str_text(&a->fault));
    if (has_failed && next && next->improvement.len > 0)
        add_first_line(out, "  - Fix: ", &next->improvement);
}

static void add_history(str *out, const snug_reply *reply)
{
    size_t told = 0;

    for (size_t i = 0; i < reply->attempt_count; i++)
        told += reply->attempts[i].reruns > 0 || reply->attempts[i].failure.len > 0;
    if (told == 0)
        return;

    str_add(out, "\n## Improvement History\n\n");
    for (size_t i = 0; i < reply->attempt_count; i++)
        add_history_line(out, reply, i);
}

/* ---- files and figures ---- */

/* Bytes of a name that mean something there, or would begin another line, are written so that they
 * do not. */
static void add_link_part(str *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            str_printf(out, "%%%02X", (unsigned char)*text);
        else
            str_printf(out, "%s%c", strchr(special, *text) ? "\\" : "", *text);
    }
}

/* A path with other characters is written between angle brackets. */
static void add_link(str *out, const char *mark, const char *name, const char *at)
{
    const int is_plain = strcspn(at, " ()<>\\") == strlen(at);

    str_printf(out, "%s[", mark);
    add_link_part(out, name, "[]\\");
    str_add(out, is_plain ? "](" : "](<");
    add_link_part(out, at, "<>\\");
    str_add(out, is_plain ? ")" : ">)");
}

/* A figure that was put somewhere may have no name of its own. */
static const char *name_of_made(const made_file *file)
{
    const char *slash = file->at.len > 0 ? strrchr(file->at.data, '/') : NULL;

    if (file->path.len > 0)
        return file->path.data;
    if (file->at.len > 0)
        return slash ? slash + 1 : file->at.data;
    return str_text(&file->mime);
}

static void add_made_file(str *out, const made_file *file)
{
    const char *name = name_of_made(file);
    const int is_picture = strncmp(str_text(&file->mime), "image/", 6) == 0;
    const unsigned long long bytes = file->bytes;

    if (file->at.len > 0 && file->display) {
        str_add(out, "\n");
        add_link(out, "!", name, file->at.data);
        str_add(out, "\n");
    } else if (file->at.len > 0) {
        add_link(out, is_picture ? "- !" : "- ", name, file->at.data);
        str_printf(out, ", %llu bytes\n", bytes);
    } else {
        str_add(out, "- ");
        add_link_part(out, name, "[]\\");
        str_printf(out,
                   ", %llu bytes; not kept: a folder that is named (--out, --workdir) keeps it\n",
                   bytes);
    }
}

static void add_made(str *out, const char *title, const snug_reply *reply, int are_figures)
{
    int count = 0;

    for (size_t i = 0; i < reply->made_count; i++) {
        const made_file *file = &reply->made[i];
        if ((file->display != NULL) != are_figures)
            continue;
        if (count++ == 0)
            str_printf(out, "\n## %s\n%s", title, file->at.len > 0 && are_figures ? "" : "\n");
        add_made_file(out, file);
    }
}

/* ---- the report ---- */

static void add_head(str *out, const snug_reply *reply)
{
    const int is_fine = reply->status == SNUG_AGENT_STATUS_ANSWERED;

    str_printf(out, "# Execution %s\n\n", is_fine ? "Successful" : "Failed");
    if (reply->answer.len > 0)
        str_printf(out, "%s\n%s", reply->answer.data, is_fine ? "" : "\n");
    if (!is_fine)
        str_printf(out, "%s\n", str_text(&reply->error));
    if (reply->is_without_program)
        str_add(out, "\nMade without a program.\n");
    if (reply->doubt.len > 0)
        str_printf(out, "\nNot certain: %s\n", reply->doubt.data);
    if (reply->unsupported.len > 0)
        str_printf(out, "\nNot supported by the run: %s\n", reply->unsupported.data);
    reply_add_outcome(out, "\n", reply);
}

void reply_write_markdown(str *out, const snug_reply *reply)
{
    const size_t count = reply->attempt_count;
    const attempt *last = reply_best(reply);

    add_head(out, reply);
    if (count > 0)
        add_fenced_section(out, "Generated Code", fence_word(reply), &reply->attempts[0].code);
    add_errors(out, reply);
    if (count > 1) {
        str_printf(out, "\n## Improvement Attempts\n\n%zu\n", count - 1);
        add_fenced_section(out, "Improved Code", fence_word(reply), &last->code);
    }
    if (last)
        add_fenced_section(out, "Execution Result", "text", &last->output);
    if (last && last->cached.len > 0)
        str_add(out, "\nFrom the cache: the program gave this in an earlier run.\n");
    add_made(out, "Figures", reply, 1);
    add_made(out, "Files", reply, 0);
    add_section(out, "Explanation", str_text(&reply->explanation));
    if (!reply->has_no_metrics)
        add_performance(out, reply);
    if (!reply->has_no_history)
        add_history(out, reply);
    if (reply->has_debug_info)
        add_debug(out, reply);
}
