#include "cli/batch/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"
#include "cli/program/quantity.h"
#include "wire/json.h"

typedef jsontext_span span;

/* The last: the host could not do the task, or what came is not a reply. */
static const char *const statuses[SUMMARY_STATUSES] = {
    "answered", "max_attempts", "budget", "terminal_error", "refused", "failed"
};
static const char *const times[SUMMARY_TIMES] = { "generate", "scan",     "execute",
                                                  "improve",  "evaluate", "reply" };
static const char *const scores[SUMMARY_SCORES] = { "quality", "robustness", "performance" };

/* ---- reading ---- */

static double member_value(span object, const char *name)
{
    span value = jsontext_member(object, name);
    if (value.text && strchr("-0123456789", *value.text))
        return strtod(value.text, NULL);
    return 0;
}

static size_t status_index(span reply)
{
    str status = { 0 };
    size_t i = 0;
    jsontext_string(&status, jsontext_member(reply, "status"));
    while (i < SUMMARY_STATUSES - 1 && strcmp(statuses[i], str_text(&status)) != 0)
        i++;
    str_free(&status);
    return i;
}

/* What the scan found; or one, where it failed otherwise. */
static double errors_of(span attempt)
{
    span findings = jsontext_member(jsontext_member(attempt, "scan"), "findings"), item;
    span failure = jsontext_member(attempt, "failure");
    jsontext j;
    double count = 0;

    if (jsontext_enter(&j, findings))
        while (jsontext_item(&j, NULL, &item))
            count++;

    if (count == 0 && failure.text && *failure.text == '{')
        count = 1;
    return count;
}

static void count_attempts(summary *s, span reply, int is_answered)
{
    span attempt;
    jsontext j;
    double count = 0, first = 0, last = 0;

    if (jsontext_enter(&j, jsontext_member(reply, "attempts")))
        while (jsontext_item(&j, NULL, &attempt)) {
            last = errors_of(attempt);
            if (count++ == 0)
                first = last;
        }

    s->first_errors += first;
    s->errors += last;
    s->first_failed += first > 0;
    s->saved += first > 0 && is_answered;
    if (is_answered)
        s->success_attempts += count;
}

void summary_add(summary *s, const char *line, size_t len)
{
    const span reply = { line, len };
    const span timing = jsontext_member(reply, "timing_ms");
    const span usage = jsontext_member(reply, "usage");
    const span score = jsontext_member(reply, "score");
    const span cost = jsontext_member(usage, "cost_usd");
    size_t status = status_index(reply);

    s->finished++;
    s->statuses[status]++;
    count_attempts(s, reply, status == 0);
    for (size_t i = 0; i < SUMMARY_TIMES; i++)
        s->times[i] += member_value(timing, times[i]);
    s->requests += member_value(usage, "requests");
    s->input_tokens += member_value(usage, "input_tokens");
    s->output_tokens += member_value(usage, "output_tokens");
    s->cost_usd += member_value(usage, "cost_usd");
    s->has_cost |= cost.text && !jsontext_is(cost, "null");
    s->scored += score.text && *score.text == '{';
    for (size_t i = 0; i < SUMMARY_SCORES; i++)
        s->scores[i] += member_value(score, scores[i]);
}

size_t summary_answered(const summary *s)
{
    return s->statuses[0];
}

/* ---- figures ---- */

/* A share of nothing is none. */
typedef struct figure {
    int is_there;
    double value;
} figure;

static figure ratio_of(double part, double whole)
{
    return whole > 0 ? (figure){ 1, part / whole } : (figure){ 0 };
}

static figure success_rate(const summary *s)
{
    return ratio_of((double)s->statuses[0], (double)s->finished);
}

static figure attempts_per_success(const summary *s)
{
    return ratio_of(s->success_attempts, (double)s->statuses[0]);
}

static figure improvement_efficiency(const summary *s)
{
    return ratio_of((double)s->saved, (double)s->first_failed);
}

static figure error_reduction(const summary *s)
{
    return ratio_of(s->first_errors - s->errors, s->first_errors);
}

static double all_times(const summary *s)
{
    double sum = 0;
    for (size_t i = 0; i < SUMMARY_TIMES; i++)
        sum += s->times[i];
    return sum;
}

/* ---- text ---- */

static void print_percent(FILE *stream, const char *title, figure f, const char *of)
{
    if (f.is_there)
        fprintf(stream, "%-23s %.0f %%%s\n", title, 100 * f.value, of);
}

static void print_statuses(const summary *s, FILE *stream)
{
    fprintf(stream, "%zu of %zu tasks", s->finished, s->tasks);
    const char *before = ": ";
    for (size_t i = 0; i < SUMMARY_STATUSES; i++) {
        if (s->statuses[i] == 0)
            continue;
        fprintf(stream, "%s%zu %s", before, s->statuses[i], statuses[i]);
        before = ", ";
    }

    if (s->resumed > 0)
        fprintf(stream, " (%zu had ended before)", s->resumed);
    fputc('\n', stream);
}

static void print_times(const summary *s, FILE *stream)
{
    double sum = all_times(s);
    const char *before = "";

    if (!(sum > 0))
        return;
    fprintf(stream, "%-23s ", "time");
    for (size_t i = 0; i < SUMMARY_TIMES; i++) {
        fprintf(stream, "%s%s %.0f %%", before, times[i], 100 * s->times[i] / sum);
        before = ", ";
    }
    fputc('\n', stream);
}

static void print_scores(const summary *s, FILE *stream)
{
    const char *before = "";

    if (s->scored == 0)
        return;
    fprintf(stream, "%-23s ", "score");
    for (size_t i = 0; i < SUMMARY_SCORES; i++) {
        fprintf(stream, "%s%s %.0f", before, scores[i], s->scores[i] / (double)s->scored);
        before = ", ";
    }
    fputc('\n', stream);
}

void summary_print(const summary *s, FILE *stream)
{
    char in[32], out[32], of[80];
    figure attempts = attempts_per_success(s);

    print_statuses(s, stream);
    print_percent(stream, "success rate", success_rate(s), "");
    if (attempts.is_there)
        fprintf(stream, "%-23s %.2f\n", "attempts per success", attempts.value);
    snprintf(of, sizeof of, " of %zu failed first attempts", s->first_failed);
    print_percent(stream, "improvement efficiency", improvement_efficiency(s), of);
    snprintf(of, sizeof of, " (%.0f errors in first attempts, %.0f in last ones)", s->first_errors,
             s->errors);
    print_percent(stream, "error reduction", error_reduction(s), of);
    print_times(s, stream);
    fprintf(stream, "%-23s %s in, %s out\n", "tokens",
            quantity_text(in, sizeof in, (uint64_t)s->input_tokens, ""),
            quantity_text(out, sizeof out, (uint64_t)s->output_tokens, ""));
    if (s->has_cost)
        fprintf(stream, "%-23s %.6f US dollars\n", "cost", s->cost_usd);
    print_scores(s, stream);
}

/* ---- JSON ---- */

static int add_quoted_path(cJSON *object, const char *name, const char *path)
{
    str quoted = { 0 };
    int failed = jsontext_quote(&quoted, path, strlen(path));
    if (!failed)
        failed = json_add_raw(object, name, str_text(&quoted));
    str_free(&quoted);
    return failed;
}

static int add_figure(cJSON *object, const char *name, figure f)
{
    if (f.is_there)
        return json_add_number(object, name, f.value);
    return json_add_null(object, name);
}

static int add_status_counts(cJSON *root, const summary *s)
{
    cJSON *object = json_add_object(root, "statuses");
    int failed = !object;
    for (size_t i = 0; i < SUMMARY_STATUSES && !failed; i++)
        failed = json_add_number(object, statuses[i], (double)s->statuses[i]);
    return failed;
}

static int add_times(cJSON *root, const summary *s)
{
    cJSON *ms = json_add_object(root, "timing_ms"), *shares = json_add_object(root, "time_share");
    double sum = all_times(s);
    int failed = !ms || !shares;

    for (size_t i = 0; i < SUMMARY_TIMES; i++) {
        failed |= json_add_number(ms, times[i], s->times[i]);
        failed |= add_figure(shares, times[i], ratio_of(s->times[i], sum));
    }

    return failed;
}

static int add_token_usage(cJSON *root, const summary *s)
{
    cJSON *usage = json_add_object(root, "usage");
    int failed = json_add_number(usage, "requests", s->requests);

    failed |= json_add_number(usage, "input_tokens", s->input_tokens);
    failed |= json_add_number(usage, "output_tokens", s->output_tokens);
    failed |= add_figure(usage, "cost_usd", (figure){ s->has_cost, s->cost_usd });
    return failed;
}

static int add_scores(cJSON *root, const summary *s)
{
    if (s->scored == 0)
        return json_add_null(root, "score");
    cJSON *object = json_add_object(root, "score");
    int failed = !object;
    for (size_t i = 0; i < SUMMARY_SCORES && !failed; i++)
        failed = json_add_number(object, scores[i], s->scores[i] / (double)s->scored);
    return failed;
}

int summary_write_json(str *out, const summary *s, const char *out_path)
{
    cJSON *root = cJSON_CreateObject();
    int failed = json_add_text(root, "schema", "snug.batch/1");

    failed |= json_add_number(root, "tasks", (double)s->tasks);
    failed |= json_add_number(root, "finished", (double)s->finished);
    failed |= json_add_number(root, "resumed", (double)s->resumed);
    failed |= add_status_counts(root, s);
    failed |= add_figure(root, "success_rate", success_rate(s));
    failed |= add_figure(root, "attempts_per_success", attempts_per_success(s));
    failed |= add_figure(root, "improvement_efficiency", improvement_efficiency(s));
    failed |= json_add_number(root, "first_errors", s->first_errors);
    failed |= json_add_number(root, "last_errors", s->errors);
    failed |= add_figure(root, "error_reduction", error_reduction(s));
    failed |= add_times(root, s);
    failed |= add_token_usage(root, s);
    failed |= add_scores(root, s);
    failed |= add_quoted_path(root, "out", out_path);

    char *text = failed ? NULL : json_text(root);
    cJSON_Delete(root);
    failed = !text || str_add(out, text);
    free(text);
    return failed;
}
