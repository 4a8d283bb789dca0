/*
 * markdown.c - a reply as a report for people. The headings and their order are what users of
 * such reports know; a heading with nothing below it is left out.
 */
#include <string.h>

#include "agent/reply/facts.h"
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

/* The first cause that the model named. */
static int add_cause(str *out, const snug_reply *reply)
{
    str cause = { 0 };
    int error = SNUG_OK;

    for (size_t i = 0; !error && i < reply->attempt_count && cause.len == 0; i++) {
        const str *analysis = &reply->attempts[i].analysis;
        if (analysis->len == 0)
            continue;
        jsontext_span given = { analysis->data, analysis->len };
        error = jsontext_string(&cause, jsontext_member(given, "root_cause")) == SNUG_ENOMEM;
    }

    error = error || add_section(out, "Root Cause", str_text(&cause));
    str_free(&cause);
    return error;
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

/* How grave the first failure was, and what it reached. */
static int add_impact(str *out, const snug_reply *reply, size_t index)
{
    str scope = { 0 };
    int error = facts_scope(&scope, reply, index) ||
                str_printf(out, "\n## Impact\n\n- Severity: %s\n- Scope: %s\n",
                           facts_severity(reply, index), str_text(&scope));
    str_free(&scope);
    return error;
}

/* Those of all failures. */
static int add_recommendations(str *out, const snug_reply *reply)
{
    str list = { 0 };
    int error = SNUG_OK;

    for (size_t i = 0; !error && i < reply->attempt_count; i++)
        error = facts_advice(&list, reply, i);
    if (!error && list.len > 0)
        error = str_printf(out, "\n## Recommendations\n\n%s", list.data);
    str_free(&list);
    return error;
}

static int add_errors(str *out, const snug_reply *reply)
{
    const size_t failed = facts_first_failure(reply);

    if (failed == reply->attempt_count)
        return add_section(out, "Error", str_text(&reply->error));
    return add_failed_attempt(out, &reply->attempts[failed]) || add_cause(out, reply) ||
           add_impact(out, reply, failed) || add_recommendations(out, reply);
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

/* The first line, so that a list stays one. */
static int add_first_line(str *out, const char *text)
{
    return str_append(out, text, strcspn(text, "\n"));
}

/* What came of an attempt, and how the next one mends it. */
static int add_history_line(str *out, const snug_reply *reply, size_t index)
{
    const attempt *a = &reply->attempts[index];
    const int has_failed = a->failure.len > 0;
    str fix = { 0 };
    int error = str_printf(out, "- Attempt %llu: ", (unsigned long long)a->n) ||
                add_first_line(out, has_failed ? a->failure.data : "passed") || str_add(out, "\n");

    if (!error && a->reruns > 0)
        error = str_printf(out, "  - Run again in a new worker, %llu time%s: %s\n",
                           (unsigned long long)a->reruns, a->reruns == 1 ? "" : "s",
                           str_text(&a->fault));
    if (!error && has_failed)
        error = facts_fix(&fix, reply, index);
    if (!error && fix.len > 0)
        error = str_printf(out, "  - Fix: %s\n", fix.data);

    str_free(&fix);
    return error;
}

static int has_history(const snug_reply *reply)
{
    for (size_t i = 0; i < reply->attempt_count; i++)
        if (reply->attempts[i].reruns > 0)
            return 1;
    return facts_first_failure(reply) < reply->attempt_count;
}

static int add_history(str *out, const snug_reply *reply)
{
    if (!has_history(reply))
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

static int add_outcome(str *out, const snug_reply *reply)
{
    str text = { 0 };
    int error = facts_outcome(&text, reply);
    if (!error && text.len > 0)
        error = str_printf(out, "\n%s\n", text.data);
    str_free(&text);
    return error;
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
    return add_outcome(out, reply);
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
