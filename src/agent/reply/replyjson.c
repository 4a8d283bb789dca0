/*
 * replyjson.c - snug.reply/1, the one shape of a reply (docs/agent.md).
 */
#include <stdlib.h>
#include <string.h>

#include "agent/reply/reply.h"
#include "base/jsontext.h"
#include "wire/json.h"

/* These answer whether it failed, so that the encoder reads as the shape that it makes. */

static int add_string(cJSON *object, const char *name, const str *text)
{
    return json_add_text_len(object, name, str_text(text), text->len);
}

static int add_str_or_null(cJSON *object, const char *name, const str *text)
{
    if (text->len > 0)
        return add_string(object, name, text);
    return json_add_null(object, name);
}

/* raw: JSON already. */
static int add_raw_or_null(cJSON *object, const char *name, const str *raw)
{
    if (raw->len > 0)
        return json_add_raw(object, name, raw->data);
    return json_add_null(object, name);
}

static int add_scan(cJSON *item, const attempt *a)
{
    if (a->findings.len == 0)
        return json_add_null(item, "scan");
    cJSON *scan = json_add_object(item, "scan");
    return !scan || json_add_bool(scan, "ok", a->is_scanned) ||
           json_add_raw(scan, "findings", a->findings.data);
}

/* A text that the model wrote of the failure before an attempt; null where it is none. */
static int add_said(cJSON *object, const char *name, const attempt *a)
{
    jsontext_span value = { 0 };
    str text = { 0 };

    if (a && a->analysis.len > 0)
        value = jsontext_member((jsontext_span){ a->analysis.data, a->analysis.len }, name);
    if (!value.text || value.text[0] != '"')
        return json_add_null(object, name);
    const int failed =
        str_append(&text, value.text, value.len) || json_add_raw(object, name, text.data);
    str_free(&text);
    return failed;
}

static int add_advice(cJSON *analysis, jsontext_span list)
{
    cJSON *array = json_add_array(analysis, "recommendations");
    jsontext_span item;
    jsontext j;
    int failed = !array;

    if (!list.text || list.text[0] != '[' || !jsontext_enter(&j, list))
        return failed;
    while (!failed && jsontext_item(&j, NULL, &item)) {
        str text = { 0 };
        if (item.text[0] == '"')
            failed = jsontext_string(&text, item) ||
                     json_add_text_len(array, NULL, str_text(&text), text.len);
        str_free(&text);
    }
    return failed;
}

/* What the model wrote, as far as it has the shape. */
static int add_analysis(cJSON *item, const attempt *a)
{
    if (a->analysis.len == 0)
        return json_add_null(item, "analysis");

    const jsontext_span given = { a->analysis.data, a->analysis.len };
    cJSON *analysis = json_add_object(item, "analysis");
    return !analysis || add_said(analysis, "root_cause", a) || add_said(analysis, "severity", a) ||
           add_advice(analysis, jsontext_member(given, "recommendations"));
}

/* Severity and scope are the model's, whose next program came with them. */
static int add_impact(cJSON *failure, const snug_reply *reply, size_t index)
{
    static const str none = { 0 };
    const attempt *next = reply_next_attempt(reply, index);

    return add_said(failure, "severity", next) || add_said(failure, "scope", next) ||
           add_str_or_null(failure, "fix", next ? &next->improvement : &none);
}

static int add_failure(cJSON *item, const snug_reply *reply, size_t index)
{
    const attempt *a = &reply->attempts[index];
    if (a->failure.len == 0)
        return json_add_null(item, "failure");
    cJSON *failure = json_add_object(item, "failure");
    return !failure || add_string(failure, "message", &a->failure) ||
           add_string(failure, "category", &a->category) ||
           json_add_text(failure, "class", a->class ? a->class : "runtime") ||
           add_impact(failure, reply, index);
}

/* snug.result/1, of the run or as the cache has kept it. */
static int add_result_json(cJSON *item, const attempt *a)
{
    const char *result = NULL;

    if (a->result)
        result = snug_result_json(a->result, NULL);
    else if (a->cached.len > 0)
        result = a->cached.data;

    if (result)
        return json_add_raw(item, "result", result);
    return json_add_null(item, "result");
}

static int add_attempt(cJSON *list, const snug_reply *reply, size_t index)
{
    const attempt *a = &reply->attempts[index];
    cJSON *item = json_add_object(list, NULL);
    int failed = !item || json_add_number(item, "n", (double)a->n);

    if (!failed && a->step)
        failed = json_add_number(item, "step", (double)a->step);
    if (!failed)
        failed =
            add_string(item, "code", &a->code) || add_scan(item, a) || add_result_json(item, a);

    if (!failed && a->cached.len > 0)
        failed = json_add_bool(item, "cached", 1);
    if (!failed)
        failed = add_str_or_null(item, "output", &a->output) || add_failure(item, reply, index);
    if (!failed && a->repeats > 1)
        failed = json_add_number(item, "repeats", (double)a->repeats);
    else if (!failed)
        failed = json_add_null(item, "repeats");

    if (!failed && a->faults.len > 0)
        failed = json_add_raw(item, "reruns", a->faults.data);
    else if (!failed)
        failed = !json_add_array(item, "reruns");
    if (!failed)
        failed = add_str_or_null(item, "changed", &a->changed) ||
                 add_str_or_null(item, "improvement", &a->improvement) ||
                 add_str_or_null(item, "left_out", &a->left_out) || add_analysis(item, a);
    return failed;
}

static int add_attempts(cJSON *root, const snug_reply *reply)
{
    cJSON *list = json_add_array(root, "attempts");
    int failed = !list;
    for (size_t i = 0; !failed && i < reply->attempt_count; i++)
        failed = add_attempt(list, reply, i);
    return failed;
}

static int add_fallback_model(cJSON *root, const snug_reply *reply)
{
    if (reply->fallback_model.len == 0)
        return json_add_null(root, "fallback_model");
    cJSON *object = json_add_object(root, "fallback_model");
    return !object || add_string(object, "model", &reply->fallback_model) ||
           add_string(object, "reason", &reply->fallback_reason);
}

static int add_evaluation(cJSON *root, const snug_reply *reply)
{
    if (!reply->has_verdict)
        return json_add_null(root, "evaluation");
    cJSON *evaluation = json_add_object(root, "evaluation");
    return !evaluation ||
           json_add_text(evaluation, "verdict", reply_verdict_name(reply->verdict)) ||
           add_string(evaluation, "reason", &reply->reason);
}

static int add_usage_json(cJSON *root, const snug_reply *reply)
{
    cJSON *usage = json_add_object(root, "usage");
    return !usage || json_add_number(usage, "requests", (double)reply->requests) ||
           json_add_number(usage, "cached_requests", (double)reply->cached_requests) ||
           json_add_number(usage, "input_tokens", (double)reply->input_tokens) ||
           json_add_number(usage, "output_tokens", (double)reply->output_tokens) ||
           json_add_number(usage, "cached", (double)reply->cached_tokens) ||
           json_add_bool(usage, "estimated", reply->is_estimated) ||
           (reply->has_cost ? json_add_number(usage, "cost_usd", reply->cost_usd)
                            : json_add_null(usage, "cost_usd"));
}

/* What programs have asked a model by themselves; the usage has it too. */
static int add_model_calls(cJSON *root, const snug_reply *reply)
{
    if (reply->cell_calls == 0)
        return json_add_null(root, "model_calls");
    cJSON *calls = json_add_object(root, "model_calls");
    return !calls || json_add_number(calls, "calls", (double)reply->cell_calls) ||
           json_add_number(calls, "tokens", (double)reply->cell_tokens);
}

static int add_timing(cJSON *root, const snug_reply *reply)
{
    static const char *const names[TIMES] = { "generate", "scan",     "execute",
                                              "improve",  "evaluate", "reply" };
    cJSON *timing = json_add_object(root, "timing_ms");
    int failed = !timing;
    for (int i = 0; !failed && i < TIMES; i++)
        failed = json_add_number(timing, names[i], (double)reply->time_ns[i] / 1e6);
    return failed || json_add_number(timing, "total", (double)reply->total_ns / 1e6);
}

static int add_ms(cJSON *object, const char *name, double ms)
{
    if (ms > 0)
        return json_add_number(object, name, ms);
    return json_add_null(object, name);
}

static int add_given(cJSON *root, const snug_reply *reply)
{
    if (!reply->is_given)
        return json_add_null(root, "given");
    cJSON *given = json_add_object(root, "given");
    const double speedup = reply->improved_ms > 0 ? reply->original_ms / reply->improved_ms : 0;
    return !given || add_ms(given, "original_ms", reply->original_ms) ||
           add_ms(given, "improved_ms", reply->improved_ms) || add_ms(given, "speedup", speedup) ||
           json_add_bool(given, "changed", reply->best > 1);
}

/* The marks of the model that judged the answer, where it gave all of them. */
static int add_score(cJSON *root, const snug_reply *reply)
{
    int is_marked = reply->has_verdict, failed = 0;

    for (int i = 0; i < VERDICT_MARKS; i++)
        is_marked &= reply->marks[i] >= 0;
    if (!is_marked)
        return json_add_null(root, "score");

    cJSON *object = json_add_object(root, "score");
    for (int i = 0; object && !failed && i < VERDICT_MARKS; i++)
        failed = json_add_number(object, verdict_mark_names[i], reply->marks[i]);
    return !object || failed;
}

static int add_unsupported(cJSON *root, const snug_reply *reply)
{
    cJSON *list = json_add_array(root, "unsupported");
    int failed = !list;

    for (const char *at = str_text(&reply->unsupported); !failed && *at;) {
        const char *end = strstr(at, ", ");
        size_t len = end ? (size_t)(end - at) : strlen(at);
        failed = json_add_text_len(list, NULL, at, len);
        at += len + (end ? 2 : 0);
    }

    return failed;
}

static int add_made_file(cJSON *list, const made_file *file)
{
    cJSON *item = json_add_object(list, NULL);
    return !item || add_str_or_null(item, "path", &file->path) ||
           add_string(item, "mime", &file->mime) ||
           json_add_number(item, "bytes", (double)file->bytes) ||
           add_str_or_null(item, "at", &file->at);
}

static int add_made(cJSON *root, const char *name, const snug_reply *reply, int are_figures)
{
    cJSON *list = json_add_array(root, name);
    int failed = !list;
    for (size_t i = 0; !failed && i < reply->made_count; i++)
        if ((reply->made[i].display != NULL) == are_figures)
            failed = add_made_file(list, &reply->made[i]);
    return failed;
}

static int add_outcome(cJSON *root, const snug_reply *reply)
{
    str text = { 0 };
    int failed = reply_add_outcome(&text, "", reply);

    if (text.len > 0)
        text.len--; /* its line end */
    failed = failed || add_str_or_null(root, "outcome", &text);
    str_free(&text);
    return failed;
}

int reply_write_json(str *out, snug_reply *reply)
{
    cJSON *root = cJSON_CreateObject();
    int failed = !root || json_add_text(root, "schema", "snug.reply/1") ||
                 json_add_text(root, "status", snug_agent_status_name(reply->status)) ||
                 add_string(root, "question", &reply->question) ||
                 add_str_or_null(root, "answer", &reply->answer) ||
                 add_str_or_null(root, "error", &reply->error) || add_unsupported(root, reply) ||
                 add_str_or_null(root, "language", &reply->language) ||
                 add_string(root, "session", &reply->session) ||
                 json_add_bool(root, "session_renewed", reply->is_renewed) ||
                 add_str_or_null(root, "fallback", &reply->fallback) ||
                 add_fallback_model(root, reply) || add_attempts(root, reply) ||
                 add_outcome(root, reply) || add_made(root, "files", reply, 0) ||
                 add_made(root, "figures", reply, 1) || add_evaluation(root, reply) ||
                 add_usage_json(root, reply) || add_model_calls(root, reply) ||
                 add_timing(root, reply) || add_raw_or_null(root, "retrieved", &reply->retrieved) ||
                 add_str_or_null(root, "snippet", &reply->snippet) ||
                 add_raw_or_null(root, "stored", &reply->stored) || add_score(root, reply) ||
                 add_given(root, reply) ||
                 add_str_or_null(root, "explanation", &reply->explanation) ||
                 add_str_or_null(root, "doubt", &reply->doubt) ||
                 json_add_bool(root, "without_program", reply->is_without_program) ||
                 add_raw_or_null(root, "messages", &reply->messages);
    char *text = failed ? NULL : json_text(root);

    cJSON_Delete(root);
    failed = !text || str_add(out, text);
    free(text);
    return failed ? SNUG_ENOMEM : SNUG_OK;
}
