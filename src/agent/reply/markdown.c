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
    return str_printf(out, "%.*s%s\n", fence, ticks, info) || str_append(out, data, text->len) ||
           str_printf(out, "%s%.*s\n", has_end ? "" : "\n", fence, ticks);
}

static int add_fenced_section(str *out, const char *title, const char *info, const str *text)
{
    if (text->len == 0)
        return SNUG_OK;
    return str_printf(out, "\n## %s\n\n", title) || reply_add_fenced(out, info, text);
}

static int add_section(str *out, const char *title, const char *text)
{
    if (*text)
        return str_printf(out, "\n## %s\n\n%s\n", title, text);
    return SNUG_OK;
}

/* What the model says of the failure of an attempt, where its next program came with that. */
static jsontext_span analysed(const snug_reply *reply, size_t index, const char *member)
{
    const attempt *next = reply_next_attempt(reply, index);

    if (!next || next->analysis.len == 0)
        return (jsontext_span){ 0 };
    return jsontext_member((jsontext_span){ next->analysis.data, next->analysis.len }, member);
}

/* The first line, so that a list stays one. */
static int add_first_line(str *out, const str *text)
{
    return str_append(out, str_text(text), strcspn(str_text(text), "\n"));
}

/* A text, or each text of a list; nothing where it is neither. */
static int add_said(str *out, const char *before, const char *after, jsontext_span value)
{
    str text = { 0 };
    jsontext_span item;
    jsontext j;
    int failed = 0;

    if (value.text && value.text[0] == '[' && jsontext_enter(&j, value))
        while (!failed && jsontext_item(&j, NULL, &item))
            failed = item.text[0] == '"' && add_said(out, before, after, item);
    if (value.text && value.text[0] == '"' && jsontext_string(&text, value) == SNUG_OK && text.len)
        failed = str_add(out, before) || add_first_line(out, &text) || str_add(out, after);
    str_free(&text);
    return failed;
}

static int add_failed_attempt(str *out, const attempt *failed)
{
    const char *class = failed->class ? failed->class : "runtime";
    const char *traceback = "";
    size_t len = 0;
    str text = { 0 };
    int error;

    if (failed->result)
        traceback = snug_result_text(failed->result, SNUG_STREAM_TRACEBACK, &len);
    if (len > 0)
        error = str_append(&text, traceback, len);
    else
        error = str_add_str(&text, &failed->failure);

    if (!error)
        error = add_fenced_section(out, "Error", "text", &text);
    if (!error)
        error = str_printf(out, "\n## Error Type\n\n%s (%s)\n", class, str_text(&failed->category));
    str_free(&text);
    return error;
}

/* What the model said of all failures below one heading. */
static int add_said_section(str *out, const snug_reply *reply, const char *title,
                            const char *const members[][2])
{
    str text = { 0 };
    int failed = 0;

    for (size_t i = 0; !failed && i < reply->attempt_count; i++)
        for (size_t k = 0; !failed && members[k][0]; k++)
            failed = add_said(&text, members[k][1], "\n", analysed(reply, i, members[k][0]));
    if (!failed && text.len > 0)
        failed = str_printf(out, "\n## %s\n\n%s", title, text.data);
    str_free(&text);
    return failed;
}

static int add_errors(str *out, const snug_reply *reply)
{
    static const char *const cause[][2] = { { "root_cause", "" }, { NULL, NULL } };
    static const char *const impact[][2] = { { "severity", "- Severity: " },
                                             { "scope", "- Scope: " },
                                             { NULL, NULL } };
    static const char *const advice[][2] = { { "recommendations", "- " }, { NULL, NULL } };
    size_t failed = 0;

    while (failed < reply->attempt_count && reply->attempts[failed].failure.len == 0)
        failed++;
    if (failed == reply->attempt_count)
        return add_section(out, "Error", str_text(&reply->error));
    return add_failed_attempt(out, &reply->attempts[failed]) ||
           add_said_section(out, reply, "Root Cause", cause) ||
           add_said_section(out, reply, "Impact", impact) ||
           add_said_section(out, reply, "Recommendations", advice);
}

static const char *fence_word(const snug_reply *reply)
{
    return reply->is_in_bash ? "bash" : "python";
}

static int add_improvements(str *out, const snug_reply *reply)
{
    if (reply->attempt_count < 2)
        return SNUG_OK;
    return str_printf(out, "\n## Improvement Attempts\n\n%zu\n", reply->attempt_count - 1) ||
           add_fenced_section(out, "Improved Code", fence_word(reply), &reply_best(reply)->code);
}

/* Models' time and that of the programs, by what it was for. */
static int add_times(str *out, const snug_reply *reply)
{
    static const struct {
        reply_time time;
        const char *name;
    } rows[] = { { TIME_GENERATE, "Generation" },
                 { TIME_EXECUTE, "Execution" },
                 { TIME_EVALUATE, "Evaluation" },
                 { TIME_IMPROVE, "Improvement" },
                 { TIME_REPLY, "Wording" } };
    int error = SNUG_OK;

    for (size_t i = 0; !error && i < sizeof rows / sizeof *rows; i++)
        error = str_printf(out, "- %s: %.3f s\n", rows[i].name,
                           (double)reply->time_ns[rows[i].time] / 1e9);
    return error || str_printf(out, "- Total: %.3f s\n", (double)reply->total_ns / 1e9);
}

/* Those that came from the cache have not run. */
static int add_runs(str *out, const snug_reply *reply)
{
    int error = SNUG_OK;

    for (size_t i = 0; !error && i < reply->attempt_count; i++) {
        const attempt *a = &reply->attempts[i];
        if (a->result)
            error =
                str_printf(out, "- Run of attempt %llu: %.3f s, %.1f MiB at its peak\n",
                           (unsigned long long)a->n, (double)snug_result_wall_ns(a->result) / 1e9,
                           (double)snug_result_peak_bytes(a->result) / (1 << 20));
    }

    return error;
}

static int add_performance(str *out, const snug_reply *reply)
{
    if (str_add(out, "\n## Performance\n\n") || add_times(out, reply) || add_runs(out, reply) ||
        str_printf(out, "- Requests: %llu, tokens: %llu in, %llu out%s\n",
                   (unsigned long long)reply->requests, (unsigned long long)reply->input_tokens,
                   (unsigned long long)reply->output_tokens,
                   reply->is_estimated ? " (estimated)" : ""))
        return SNUG_ENOMEM;

    if (reply->has_cost && reply->cost_usd > 0)
        return str_printf(out, "- Cost: %.6f US dollars\n", reply->cost_usd);
    return SNUG_OK;
}

static int add_debug(str *out, const snug_reply *reply)
{
    static const char *const names[TIMES] = { "generate", "scan",     "execute",
                                              "improve",  "evaluate", "reply" };
    int error = str_printf(out, "\n## Debug Information\n\n- Status: %s\n- Models: %s\n",
                           snug_agent_status_name(reply->status), str_text(&reply->models)) ||
                (reply->language.len > 0 &&
                 str_printf(out, "- Language: %s\n", str_text(&reply->language)));

    for (int i = 0; !error && i < TIMES; i++)
        error =
            str_printf(out, "- Time of %s: %.1f ms\n", names[i], (double)reply->time_ns[i] / 1e6);

    return error || str_printf(out, "- Tokens: %llu in (%llu cached), %llu out\n",
                               (unsigned long long)reply->input_tokens,
                               (unsigned long long)reply->cached_tokens,
                               (unsigned long long)reply->output_tokens);
}

/* What came of an attempt, and how the next one mends it. */
static int add_history_line(str *out, const snug_reply *reply, size_t index)
{
    const str passed = { .data = (char[]){ "passed" }, .len = 6 };
    const attempt *a = &reply->attempts[index], *next = reply_next_attempt(reply, index);
    const int has_failed = a->failure.len > 0;
    int failed = str_printf(out, "- Attempt %llu: ", (unsigned long long)a->n) ||
                 add_first_line(out, has_failed ? &a->failure : &passed) || str_add(out, "\n");

    if (!failed && a->reruns > 0)
        failed = str_printf(out, "  - Run again in a new worker, %llu time%s: %s\n",
                            (unsigned long long)a->reruns, a->reruns == 1 ? "" : "s",
                            str_text(&a->fault));
    if (!failed && has_failed && next && next->improvement.len > 0)
        failed = str_add(out, "  - Fix: ") || add_first_line(out, &next->improvement) ||
                 str_add(out, "\n");
    return failed;
}

static int add_history(str *out, const snug_reply *reply)
{
    size_t told = 0;

    for (size_t i = 0; i < reply->attempt_count; i++)
        told += reply->attempts[i].reruns > 0 || reply->attempts[i].failure.len > 0;
    if (told == 0)
        return SNUG_OK;

    int error = str_add(out, "\n## Improvement History\n\n");
    for (size_t i = 0; !error && i < reply->attempt_count; i++)
        error = add_history_line(out, reply, i);
    return error;
}

/* ---- files and figures ---- */

/* Bytes of a name that mean something there, or would begin another line, are written so that they
 * do not. */
static int add_link_part(str *out, const char *text, const char *special)
{
    int error = SNUG_OK;

    for (; *text && !error; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            error = str_printf(out, "%%%02X", (unsigned char)*text);
        else
            error = (strchr(special, *text) && str_add(out, "\\")) || str_append(out, text, 1);
    }
    return error;
}

/* A path with other characters is written between angle brackets. */
static int add_link(str *out, const char *mark, const char *name, const char *at)
{
    const int is_plain = strcspn(at, " ()<>\\") == strlen(at);

    return str_printf(out, "%s[", mark) || add_link_part(out, name, "[]\\") ||
           str_add(out, is_plain ? "](" : "](<") || add_link_part(out, at, "<>\\") ||
           str_add(out, is_plain ? ")" : ">)");
}

static const char unkept[] = "not kept: a folder that is named (--out, --workdir) keeps it";

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

static int add_made_file(str *out, const made_file *file)
{
    const char *name = name_of_made(file);
    const int is_picture = strncmp(str_text(&file->mime), "image/", 6) == 0;
    const unsigned long long bytes = file->bytes;

    if (file->at.len > 0 && file->display)
        return str_add(out, "\n") || add_link(out, "!", name, file->at.data) || str_add(out, "\n");
    if (file->at.len > 0)
        return add_link(out, is_picture ? "- !" : "- ", name, file->at.data) ||
               str_printf(out, ", %llu bytes\n", bytes);
    return str_add(out, "- ") || add_link_part(out, name, "[]\\") ||
           str_printf(out, ", %llu bytes; %s\n", bytes, unkept);
}

static int add_made(str *out, const char *title, const snug_reply *reply, int are_figures)
{
    int error = SNUG_OK, count = 0;

    for (size_t i = 0; !error && i < reply->made_count; i++) {
        if ((reply->made[i].display != NULL) != are_figures)
            continue;
        if (count++ == 0)
            error = str_printf(out, "\n## %s\n%s", title,
                               reply->made[i].at.len > 0 && are_figures ? "" : "\n");
        error = error || add_made_file(out, &reply->made[i]);
    }

    return error;
}

/* ---- the report ---- */

static int add_result(str *out, const attempt *last)
{
    if (add_fenced_section(out, "Execution Result", "text", &last->output))
        return SNUG_ENOMEM;
    if (last->cached.len > 0)
        return str_add(out, "\nFrom the cache: the program gave this in an earlier run.\n");
    return SNUG_OK;
}

static int add_head(str *out, const snug_reply *reply)
{
    const int is_fine = reply->status == SNUG_AGENT_STATUS_ANSWERED;
    const int has_answer = reply->answer.len > 0;

    if (str_printf(out, "# Execution %s\n\n", is_fine ? "Successful" : "Failed"))
        return SNUG_ENOMEM;
    if (has_answer && (str_add_str(out, &reply->answer) || str_add(out, "\n")))
        return SNUG_ENOMEM;
    if (!is_fine && has_answer && str_add(out, "\n"))
        return SNUG_ENOMEM;
    if (!is_fine && (str_add_str(out, &reply->error) || str_add(out, "\n")))
        return SNUG_ENOMEM;
    if (reply->is_without_program && str_add(out, "\nMade without a program.\n"))
        return SNUG_ENOMEM;
    if (reply->doubt.len > 0 && str_printf(out, "\nNot certain: %s\n", reply->doubt.data))
        return SNUG_ENOMEM;
    if (reply->unsupported.len > 0 &&
        str_printf(out, "\nNot supported by the run: %s\n", reply->unsupported.data))
        return SNUG_ENOMEM;
    return reply_add_outcome(out, "\n", reply);
}

int reply_write_markdown(str *out, snug_reply *reply)
{
    const attempt *first = reply->attempt_count ? &reply->attempts[0] : NULL;
    const attempt *last = reply_best(reply);
    int error = add_head(out, reply);

    if (!error && first)
        error = add_fenced_section(out, "Generated Code", fence_word(reply), &first->code);
    if (!error)
        error = add_errors(out, reply);
    if (!error)
        error = add_improvements(out, reply);
    if (!error && last)
        error = add_result(out, last);
    if (!error)
        error = add_made(out, "Figures", reply, 1);
    if (!error)
        error = add_made(out, "Files", reply, 0);
    if (!error)
        error = add_section(out, "Explanation", str_text(&reply->explanation));
    if (!error && !reply->has_no_metrics)
        error = add_performance(out, reply);
    if (!error && !reply->has_no_history)
        error = add_history(out, reply);
    if (!error && reply->has_debug_info)
        error = add_debug(out, reply);
    return error ? SNUG_ENOMEM : SNUG_OK;
}
