/*
 * replyjson.c - snug.reply/1, the one shape of a reply (docs/agent.md).
 */
#include <string.h>

#include "agent/reply/reply.h"
#include "base/jsontext.h"
#include "wire/json.h"

static void put_str_or_null(str *out, const char *name, const str *text)
{
    if (text->len > 0)
        json_put_str(out, name, text);
    else
        json_put_raw(out, name, NULL);
}

/* raw: JSON already. */
static void put_raw_or_null(str *out, const char *name, const str *raw)
{
    json_put_raw(out, name, raw->len > 0 ? raw->data : "null");
}

/* Opens an object, or puts null: whether it is there. */
static int open_object(str *out, const char *name, int is_there)
{
    if (is_there)
        json_open(out, name, '{');
    else
        json_put_raw(out, name, NULL);
    return is_there;
}

static void put_scan(str *out, const attempt *a)
{
    if (!open_object(out, "scan", a->findings.len > 0))
        return;
    json_put_bool(out, "ok", a->is_scanned);
    json_put_raw(out, "findings", a->findings.data);
    json_close(out, '}');
}

/* A text that the model wrote of the failure before an attempt; null where it is none. */
static void put_said(str *out, const char *name, const attempt *a)
{
    jsontext_span value = { 0 };
    str text = { 0 };

    if (a && a->analysis.len > 0)
        value = jsontext_member((jsontext_span){ a->analysis.data, a->analysis.len }, name);
    if (value.text && value.text[0] == '"')
        str_append(&text, value.text, value.len);
    put_raw_or_null(out, name, &text);
    str_free(&text);
}

static void put_advice(str *out, jsontext_span list)
{
    jsontext_span item;
    jsontext j;

    json_open(out, "recommendations", '[');
    if (list.text && list.text[0] == '[' && jsontext_enter(&j, list))
        while (jsontext_item(&j, NULL, &item)) {
            str text = { 0 };
            if (jsontext_string(&text, item) == SNUG_OK)
                json_put_str(out, NULL, &text);
            str_free(&text);
        }
    json_close(out, ']');
}

/* What the model wrote, as far as it has the shape. */
static void put_analysis(str *out, const attempt *a)
{
    const jsontext_span given = { a->analysis.data, a->analysis.len };

    if (!open_object(out, "analysis", a->analysis.len > 0))
        return;
    put_said(out, "root_cause", a);
    put_said(out, "severity", a);
    put_advice(out, jsontext_member(given, "recommendations"));
    json_close(out, '}');
}

/* Severity and scope are the model's, whose next program came with them. */
static void put_failure(str *out, const snug_reply *reply, size_t index)
{
    static const str none = { 0 };
    const attempt *a = &reply->attempts[index], *next = reply_next_attempt(reply, index);

    if (!open_object(out, "failure", a->failure.len > 0))
        return;
    json_put_str(out, "message", &a->failure);
    json_put_str(out, "category", &a->category);
    json_put_word(out, "class", a->class ? a->class : "runtime");
    put_said(out, "severity", next);
    put_said(out, "scope", next);
    put_str_or_null(out, "fix", next ? &next->improvement : &none);
    json_close(out, '}');
}

/* snug.result/1, of the run or as the cache has kept it. */
static void put_result(str *out, const attempt *a)
{
    const char *result = a->result ? snug_result_json(a->result, NULL) : NULL;

    if (!a->result && a->cached.len > 0)
        result = a->cached.data;
    json_put_raw(out, "result", result ? result : "null");
}

static void put_attempt(str *out, const snug_reply *reply, size_t index)
{
    const attempt *a = &reply->attempts[index];

    json_open(out, NULL, '{');
    json_put_number(out, "n", (double)a->n);
    if (a->step)
        json_put_number(out, "step", (double)a->step);
    json_put_str(out, "code", &a->code);
    put_scan(out, a);
    put_result(out, a);
    if (a->cached.len > 0)
        json_put_bool(out, "cached", 1);
    put_str_or_null(out, "output", &a->output);
    put_failure(out, reply, index);
    if (a->repeats > 1)
        json_put_number(out, "repeats", (double)a->repeats);
    else
        json_put_raw(out, "repeats", NULL);
    json_put_raw(out, "reruns", a->faults.len > 0 ? a->faults.data : "[]");
    put_str_or_null(out, "changed", &a->changed);
    put_str_or_null(out, "improvement", &a->improvement);
    put_str_or_null(out, "left_out", &a->left_out);
    put_analysis(out, a);
    json_close(out, '}');
}

static void put_fallback_model(str *out, const snug_reply *reply)
{
    if (!open_object(out, "fallback_model", reply->fallback_model.len > 0))
        return;
    json_put_str(out, "model", &reply->fallback_model);
    json_put_str(out, "reason", &reply->fallback_reason);
    json_close(out, '}');
}

static void put_evaluation(str *out, const snug_reply *reply)
{
    if (!open_object(out, "evaluation", reply->has_verdict))
        return;
    json_put_word(out, "verdict", reply_verdict_name(reply->verdict));
    json_put_str(out, "reason", &reply->reason);
    json_close(out, '}');
}

static void put_usage(str *out, const snug_reply *reply)
{
    json_open(out, "usage", '{');
    json_put_number(out, "requests", (double)reply->requests);
    json_put_number(out, "cached_requests", (double)reply->cached_requests);
    json_put_number(out, "input_tokens", (double)reply->input_tokens);
    json_put_number(out, "output_tokens", (double)reply->output_tokens);
    json_put_number(out, "cached", (double)reply->cached_tokens);
    json_put_bool(out, "estimated", reply->is_estimated);
    if (reply->has_cost)
        json_put_number(out, "cost_usd", reply->cost_usd);
    else
        json_put_raw(out, "cost_usd", NULL);
    json_close(out, '}');
}

/* What programs have asked a model by themselves; the usage has it too. */
static void put_model_calls(str *out, const snug_reply *reply)
{
    if (!open_object(out, "model_calls", reply->cell_calls > 0))
        return;
    json_put_number(out, "calls", (double)reply->cell_calls);
    json_put_number(out, "tokens", (double)reply->cell_tokens);
    json_close(out, '}');
}

static void put_timing(str *out, const snug_reply *reply)
{
    static const char *const names[TIMES] = { "generate", "scan",     "execute",
                                              "improve",  "evaluate", "reply" };

    json_open(out, "timing_ms", '{');
    for (int i = 0; i < TIMES; i++)
        json_put_number(out, names[i], (double)reply->time_ns[i] / 1e6);
    json_put_number(out, "total", (double)reply->total_ns / 1e6);
    json_close(out, '}');
}

static void put_positive(str *out, const char *name, double number)
{
    if (number > 0)
        json_put_number(out, name, number);
    else
        json_put_raw(out, name, NULL);
}

static void put_given(str *out, const snug_reply *reply)
{
    const double speedup = reply->improved_ms > 0 ? reply->original_ms / reply->improved_ms : 0;

    if (!open_object(out, "given", reply->is_given))
        return;
    put_positive(out, "original_ms", reply->original_ms);
    put_positive(out, "improved_ms", reply->improved_ms);
    put_positive(out, "speedup", speedup);
    json_put_bool(out, "changed", reply->best > 1);
    json_close(out, '}');
}

/* The marks of the model that judged the answer, where it gave all of them. */
static void put_score(str *out, const snug_reply *reply)
{
    int is_marked = reply->has_verdict;

    for (int i = 0; i < VERDICT_MARKS; i++)
        is_marked &= reply->marks[i] >= 0;
    if (!open_object(out, "score", is_marked))
        return;
    for (int i = 0; i < VERDICT_MARKS; i++)
        json_put_number(out, verdict_mark_names[i], reply->marks[i]);
    json_close(out, '}');
}

static void put_unsupported(str *out, const snug_reply *reply)
{
    json_open(out, "unsupported", '[');
    for (const char *at = str_text(&reply->unsupported); *at;) {
        const char *end = strstr(at, ", ");
        size_t len = end ? (size_t)(end - at) : strlen(at);
        json_put_text(out, NULL, at, len);
        at += len + (end ? 2 : 0);
    }
    json_close(out, ']');
}

static void put_made(str *out, const char *name, const snug_reply *reply, int are_figures)
{
    json_open(out, name, '[');
    for (size_t i = 0; i < reply->made_count; i++) {
        const made_file *file = &reply->made[i];
        if ((file->display != NULL) != are_figures)
            continue;
        json_open(out, NULL, '{');
        put_str_or_null(out, "path", &file->path);
        json_put_str(out, "mime", &file->mime);
        json_put_number(out, "bytes", (double)file->bytes);
        put_str_or_null(out, "at", &file->at);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void put_outcome(str *out, const snug_reply *reply)
{
    str text = { 0 };

    reply_add_outcome(&text, "", reply);
    if (text.len > 0)
        text.len--; /* its line end */
    put_str_or_null(out, "outcome", &text);
    str_free(&text);
}

void reply_write_json(str *out, const snug_reply *reply)
{
    json_open(out, NULL, '{');
    json_put_word(out, "schema", "snug.reply/1");
    json_put_word(out, "status", snug_agent_status_name(reply->status));
    json_put_str(out, "question", &reply->question);
    put_str_or_null(out, "answer", &reply->answer);
    put_str_or_null(out, "error", &reply->error);
    put_unsupported(out, reply);
    put_str_or_null(out, "language", &reply->language);
    json_put_str(out, "session", &reply->session);
    json_put_bool(out, "session_renewed", reply->is_renewed);
    put_str_or_null(out, "fallback", &reply->fallback);
    put_fallback_model(out, reply);
    json_open(out, "attempts", '[');
    for (size_t i = 0; i < reply->attempt_count; i++)
        put_attempt(out, reply, i);
    json_close(out, ']');
    put_outcome(out, reply);
    put_made(out, "files", reply, 0);
    put_made(out, "figures", reply, 1);
    put_evaluation(out, reply);
    put_usage(out, reply);
    put_model_calls(out, reply);
    put_timing(out, reply);
    put_raw_or_null(out, "retrieved", &reply->retrieved);
    put_str_or_null(out, "snippet", &reply->snippet);
    put_raw_or_null(out, "stored", &reply->stored);
    put_score(out, reply);
    put_given(out, reply);
    put_str_or_null(out, "explanation", &reply->explanation);
    put_str_or_null(out, "doubt", &reply->doubt);
    json_put_bool(out, "without_program", reply->is_without_program);
    put_raw_or_null(out, "messages", &reply->messages);
    json_close(out, '}');
}
