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

static const attempt *first_failure(const snug_reply *reply)
{
    for (size_t i = 0; i < reply->attempt_count; i++)
        if (reply->attempts[i].failure.len > 0)
            return &reply->attempts[i];
    return NULL;
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

static int add_errors(str *out, const snug_reply *reply)
{
    const attempt *failed = first_failure(reply);

    if (!failed)
        return add_section(out, "Error", str_text(&reply->error));
    if (add_failed_attempt(out, failed))
        return SNUG_ENOMEM;
    return add_cause(out, reply);
}

static int add_improvements(str *out, const snug_reply *reply)
{
    if (reply->attempt_count < 2)
        return SNUG_OK;
    return str_printf(out, "\n## Improvement Attempts\n\n%zu\n", reply->attempt_count - 1) ||
           add_fenced_section(out, "Improved Code", "python", &reply_best(reply)->code);
}

static int add_performance(str *out, const snug_reply *reply)
{
    const uint64_t *ns = reply->time_ns;
    const uint64_t models_ns =
        ns[TIME_GENERATE] + ns[TIME_IMPROVE] + ns[TIME_EVALUATE] + ns[TIME_REPLY];

    if (str_printf(out, "\n## Performance\n\n- Generation: %.2f s\n- Execution: %.3f s\n",
                   (double)models_ns / 1e9, (double)ns[TIME_EXECUTE] / 1e9) ||
        str_printf(out, "- Total: %.2f s\n", (double)reply->total_ns / 1e9) ||
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

static int add_history(str *out, const snug_reply *reply)
{
    if (!first_failure(reply))
        return SNUG_OK;
    int error = str_add(out, "\n## Improvement History\n\n");
    for (size_t i = 0; !error && i < reply->attempt_count; i++) {
        const attempt *a = &reply->attempts[i];
        error = str_printf(out, "- Attempt %llu: ", (unsigned long long)a->n) ||
                add_first_line(out, a->failure.len > 0 ? a->failure.data : "passed");
        if (!error && a->improvement.len > 0)
            error = str_add(out, ". Fix: ") || add_first_line(out, a->improvement.data);
        error = error || str_add(out, "\n");
    }

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
    if (reply->unsupported.len > 0)
        return str_printf(out, "\nNot supported by the run: %s\n", reply->unsupported.data);
    return SNUG_OK;
}

int reply_write_markdown(str *out, snug_reply *reply)
{
    const attempt *first = reply->attempt_count ? &reply->attempts[0] : NULL;
    const attempt *last = reply_best(reply);
    int error = add_head(out, reply);

    if (!error && first)
        error = add_fenced_section(out, "Generated Code", "python", &first->code);
    if (!error)
        error = add_errors(out, reply);
    if (!error)
        error = add_improvements(out, reply);
    if (!error && last)
        error = add_fenced_section(out, "Execution Result", "text", &last->output);
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
