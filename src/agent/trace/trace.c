#include "agent/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "agent/text/clip.h"
#include "agent/trace/tracer.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/jsontext.h"

enum { MOST_TEXT_BYTES = 32 * 1024 /* of one text in a span */ };

/* The numbers of OTLP's enums. */
enum { KIND_INTERNAL = 1, KIND_CLIENT = 3, STATUS_ERROR = 2, SAMPLED = 1 };

#define SCHEMA_URL "https://opentelemetry.io/schemas/1.37.0"

typedef struct span {
    char id[SPAN_ID_DIGITS + 1], parent[SPAN_ID_DIGITS + 1];
    str name, attributes, status; /* the last two are members of JSON */
    int kind;
    uint64_t begun_ns, ended_ns;
} span;

typedef struct trace trace;

struct trace {
    tracer *to;
    char id[TRACE_ID_DIGITS + 1];
    uint64_t wall_ns, begun_ns; /* the same moment by two clocks */
    span *spans;
    size_t count, cap;
    int is_broken; /* memory ran out, once or again: looked at once, at the end */
};

/* ---- attributes ---- */

/* raw: the value as JSON, whose type in OTLP is stringValue, intValue, ... */
static void add_raw(trace *t, size_t number, const char *key, const char *type, const char *raw)
{
    str *out = &t->spans[number - 1].attributes;
    t->is_broken |= str_printf(out, "%s{\"key\":\"%s\",\"value\":{\"%s\":%s}}",
                               out->len > 0 ? "," : "", key, type, raw) != 0;
}

static void add_text(trace *t, size_t number, const char *key, const char *text)
{
    str quoted = { 0 };
    t->is_broken |= jsontext_quote(&quoted, text, strlen(text)) != 0;
    add_raw(t, number, key, "stringValue", str_text(&quoted));
    str_free(&quoted);
}

/* 64 bits are text in protobuf's JSON. */
static void add_integer(trace *t, size_t number, const char *key, uint64_t count)
{
    char digits[24];
    snprintf(digits, sizeof digits, "\"%" PRIu64 "\"", count);
    add_raw(t, number, key, "intValue", digits);
}

static void add_double(trace *t, size_t number, const char *key, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", value);
    add_raw(t, number, key, "doubleValue", digits);
}

static void add_model(trace *t, size_t number, const char *named)
{
    const size_t len = strcspn(named, ":");
    char front[64];

    snprintf(front, sizeof front, "%.*s", named[len] ? (int)len : 0, named);
    add_text(t, number, "gen_ai.provider.name", front);
    add_text(t, number, "gen_ai.request.model", named[len] ? named + len + 1 : named);
}

/* ---- content ---- */

/* Appends it as JSON, with "[key]" for the models' keys, clipped. */
static void quote_content(str *out, const run *r, const char *text, size_t len)
{
    str whole = { 0 }, clipped = { 0 };
    r->trace->is_broken |= str_append(&whole, text, len) || run_hide_keys(r, &whole) ||
                           clip_append(&clipped, str_text(&whole), whole.len, MOST_TEXT_BYTES, 0) ||
                           jsontext_quote(out, str_text(&clipped), clipped.len);
    str_free(&whole);
    str_free(&clipped);
}

static void add_content(const run *r, size_t number, const char *key, const str *text)
{
    str quoted = { 0 };
    quote_content(&quoted, r, str_text(text), text->len);
    add_raw(r->trace, number, key, "stringValue", str_text(&quoted));
    str_free(&quoted);
}

/* One more of a list, as the conventions have messages. finish: the reason for its end, or NULL. */
static void add_message(str *list, const run *r, const char *role, const char *text, size_t len,
                        const char *finish)
{
    trace *t = r->trace;

    t->is_broken |=
        str_printf(list, "%s{\"role\":\"%s\",\"parts\":[{\"type\":\"text\",\"content\":",
                   list->len > 0 ? "," : "[", role) != 0;
    quote_content(list, r, text, len);
    t->is_broken |= str_add(list, "}]") ||
                    (finish && str_printf(list, ",\"finish_reason\":\"%s\"", finish)) ||
                    str_add(list, "}");
}

/* The list, which ends here, as the text of an attribute; it is freed. */
static void add_messages(trace *t, size_t number, const char *key, str *list)
{
    t->is_broken |= str_add(list, list->len > 0 ? "]" : "[]") != 0;
    add_text(t, number, key, str_text(list));
    str_free(list);
}

static void add_one_message(const run *r, size_t number, const char *key, const char *role,
                            const char *text, size_t len, const char *finish)
{
    str list = { 0 };
    add_message(&list, r, role, text, len, finish);
    add_messages(r->trace, number, key, &list);
}

/* ---- spans ---- */

static void make_id(char *out, size_t digits)
{
    unsigned char bytes[TRACE_ID_DIGITS / 2];
    for (;;) {
        if (getrandom(bytes, digits / 2, 0) != (ssize_t)(digits / 2))
            continue;
        for (size_t i = 0; i < digits / 2; i++)
            snprintf(out + 2 * i, 3, "%02x", bytes[i]);
        if (strspn(out, "0") < digits) /* all zeros are not an id */
            return;
    }
}

/* Its number, from 1. 0 if memory ran out. operation: of the conventions; name: what stands behind
 * it. */
static size_t begin_span(trace *t, const char *parent, const char *operation, const char *name,
                         int kind)
{
    char copy[SPAN_ID_DIGITS + 1]; /* parent is that of a span, and the list may move */

    snprintf(copy, sizeof copy, "%s", parent);
    if (array_reserve(&t->spans, &t->cap, t->count + 1, sizeof *t->spans)) {
        t->is_broken = 1;
        return 0;
    }

    span *s = &t->spans[t->count++];
    *s = (span){ .kind = kind, .begun_ns = clock_now_ns() };
    make_id(s->id, SPAN_ID_DIGITS);
    memcpy(s->parent, copy, sizeof copy);
    t->is_broken |= str_printf(&s->name, "%s %s", operation, name) != 0;
    add_text(t, t->count, "gen_ai.operation.name", operation);
    return t->count;
}

static size_t begin_tool(trace *t, const char *parent, const char *shown, const char *tool)
{
    const size_t number = begin_span(t, parent, "execute_tool", shown, KIND_INTERNAL);

    if (number > 0) {
        add_text(t, number, "gen_ai.tool.name", tool);
        add_text(t, number, "gen_ai.tool.type", "function");
    }
    return number;
}

/* type: of the error, a word; NULL: none. about: a sentence as JSON, or NULL. */
static void end_span(trace *t, size_t number, const char *type, const char *about)
{
    span *s = &t->spans[number - 1];

    s->ended_ns = clock_now_ns();
    if (!type)
        return;
    add_text(t, number, "error.type", type);
    t->is_broken |= str_printf(&s->status, "\"code\":%d%s%s", STATUS_ERROR,
                               about ? ",\"message\":" : "", about ? about : "") != 0;
}

/* ---- the encoder ---- */

static int write_span(str *out, const trace *t, const span *s)
{
    str name = { 0 };
    const uint64_t begin_ns = t->wall_ns + (s->begun_ns - t->begun_ns);
    int failed = jsontext_quote(&name, str_text(&s->name), s->name.len) ||
                 str_printf(out, "%s{\"traceId\":\"%s\",\"spanId\":\"%s\"",
                            s == t->spans ? "" : ",", t->id, s->id);

    if (!failed && *s->parent)
        failed = str_printf(out, ",\"parentSpanId\":\"%s\"", s->parent);
    failed =
        failed ||
        str_printf(out,
                   ",\"flags\":%u,\"name\":%s,\"kind\":%d,\"startTimeUnixNano\":\"%" PRIu64
                   "\",\"endTimeUnixNano\":\"%" PRIu64 "\",\"attributes\":[%s],\"status\":{%s}}",
                   t->to->flags | SAMPLED, name.data, s->kind, begin_ns,
                   begin_ns + (s->ended_ns - s->begun_ns), str_text(&s->attributes),
                   str_text(&s->status));
    str_free(&name);
    return failed;
}

/* The body of a request of OTLP. */
static int write_trace(str *out, const trace *t)
{
    static const char *const resource[] = { "service.name", "telemetry.sdk.name" };
    static const char *const versions[] = { "service.version", "telemetry.sdk.version" };
    int failed = str_add(out, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");

    for (size_t i = 0; !failed && i < 2; i++)
        failed = str_printf(out,
                            "{\"key\":\"%s\",\"value\":{\"stringValue\":\"snug\"}},"
                            "{\"key\":\"%s\",\"value\":{\"stringValue\":\"%d.%d.%d\"}},",
                            resource[i], versions[i], SNUG_VERSION_MAJOR, SNUG_VERSION_MINOR,
                            SNUG_VERSION_PATCH);
    failed = failed ||
             str_add(out, "{\"key\":\"telemetry.sdk.language\",\"value\":{\"stringValue\":\"c\"}}]}"
                          ",\"scopeSpans\":[{\"scope\":{\"name\":\"snug\"},\"spans\":[");
    for (size_t i = 0; !failed && i < t->count; i++)
        failed = write_span(out, t, &t->spans[i]);
    return failed || str_add(out, "],\"schemaUrl\":\"" SCHEMA_URL "\"}]}]}");
}

/* ---- the question ---- */

static void drop_trace(run *r)
{
    trace *t = r->trace;

    r->trace = NULL;
    for (size_t i = 0; t && i < t->count; i++) {
        str_free(&t->spans[i].name);
        str_free(&t->spans[i].attributes);
        str_free(&t->spans[i].status);
    }
    if (t)
        free(t->spans);
    free(t);
}

void trace_begin(run *r)
{
    static const char *const modes[] = { "solve", "chain", "act", "plan" };
    struct timespec now;
    tracer *to = r->agent->tracer;
    trace *t = to ? calloc(1, sizeof *t) : NULL;
    if (!t)
        return;

    r->trace = t;
    t->to = to;
    clock_gettime(CLOCK_REALTIME, &now);
    t->wall_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
    t->begun_ns = clock_now_ns();
    if (*to->trace_id)
        memcpy(t->id, to->trace_id, sizeof t->id);
    else
        make_id(t->id, TRACE_ID_DIGITS);

    if (begin_span(t, to->parent_id, "invoke_agent", "snug", KIND_INTERNAL) == 0) {
        drop_trace(r);
        return;
    }
    add_text(t, 1, "gen_ai.agent.name", "snug");
    add_text(t, 1, "gen_ai.conversation.id", str_text(&r->reply->session));
    add_model(t, 1, model_name(r->agent->models[USE_CODE]));
    add_text(t, 1, "snug.mode", modes[r->mode]);
}

static void add_outcome(const run *r)
{
    trace *t = r->trace;
    const snug_reply *reply = r->reply;

    add_text(t, 1, "snug.status", snug_agent_status_name(reply->status));
    add_integer(t, 1, "snug.attempts", reply->attempt_count);
    add_integer(t, 1, "gen_ai.usage.input_tokens", reply->input_tokens);
    add_integer(t, 1, "gen_ai.usage.output_tokens", reply->output_tokens);
    if (reply->has_cost)
        add_double(t, 1, "snug.cost_usd", reply->cost_usd);
    if (reply->has_verdict)
        add_text(t, 1, "snug.verdict", reply_verdict_name(reply->verdict));
    if (!r->agent->options.traces_content)
        return;

    add_one_message(r, 1, "gen_ai.input.messages", "user", r->question, strlen(r->question), NULL);
    if (reply->answer.len > 0)
        add_one_message(r, 1, "gen_ai.output.messages", "assistant", reply->answer.data,
                        reply->answer.len, "stop");
}

void trace_end(run *r, int error)
{
    trace *t = r->trace;
    const snug_reply *reply = r->reply;
    const int has_about = r->agent->options.traces_content && reply->error.len > 0;
    const char *type = error ? "host" : NULL;
    str problem = { 0 }, about = { 0 }, body = { 0 };

    if (!t)
        return;
    if (!error && reply->status != SNUG_AGENT_STATUS_ANSWERED)
        type = snug_agent_status_name(reply->status);

    add_outcome(r);
    if (has_about) /* the error of the reply is content */
        quote_content(&about, r, reply->error.data, reply->error.len);
    end_span(t, 1, type, has_about ? str_text(&about) : NULL);

    if (t->is_broken || write_trace(&body, t))
        str_add(&problem, "the trace was dropped: out of memory");
    else
        tracer_deliver(&problem, t->to, body.data, body.len);
    if (problem.len > 0)
        event_text(r, "trace", "message", problem.data, problem.len);
    str_free(&problem);
    str_free(&about);
    str_free(&body);
    drop_trace(r);
}

/* ---- steps ---- */

size_t trace_step_begin(run *r, snug_agent_step step)
{
    trace *t = r->trace;
    const attempt *a = run_attempt(r);
    const char *tool = step == SNUG_AGENT_STEP_SCAN ? "scan" : "run_python";

    if (!t || (step != SNUG_AGENT_STEP_SCAN && step != SNUG_AGENT_STEP_EXECUTE))
        return 0;
    const size_t number = begin_tool(t, t->spans[0].id, tool, tool);
    if (number == 0 || !a)
        return number;

    add_integer(t, number, "snug.attempt", a->n);
    if (r->agent->options.traces_content) {
        str arguments = { 0 };
        t->is_broken |= str_add(&arguments, "{\"code\":") != 0;
        quote_content(&arguments, r, str_text(&a->code), a->code.len);
        t->is_broken |= str_add(&arguments, "}") != 0;
        add_text(t, number, "gen_ai.tool.call.arguments", str_text(&arguments));
        str_free(&arguments);
    }
    return number;
}

/* Below the span of its cell. */
static void add_tool_call(trace *t, size_t cell, const snug_tool_call *call, uint64_t now_ns)
{
    const span of = t->spans[cell - 1]; /* the list may move */
    const size_t number = begin_tool(t, of.id, call->name, call->name);
    if (number == 0)
        return;

    /* The cell has begun a little later than its span, and may have run before. */
    const uint64_t begin_ns = of.begun_ns + call->start_ns;
    const uint64_t end_ns = begin_ns + call->duration_ns;
    span *s = &t->spans[number - 1];
    end_span(t, number, strcmp(call->status, "ok") ? call->status : NULL, NULL);
    s->ended_ns = end_ns < now_ns ? end_ns : now_ns;
    s->begun_ns = begin_ns < s->ended_ns ? begin_ns : s->ended_ns;
}

void trace_step_end(run *r, size_t number, snug_agent_step step)
{
    trace *t = r->trace;
    const attempt *a = run_attempt(r);
    const char *type = NULL;

    if (!t || number == 0)
        return;

    if (step == SNUG_AGENT_STEP_SCAN) {
        type = a && !a->is_scanned ? "findings" : NULL;
    } else if (!a || !a->result) {
        type = "interrupted";
    } else {
        const uint64_t now_ns = clock_now_ns();
        add_text(t, number, "snug.cell.status", snug_status_name(snug_result_status(a->result)));
        if (r->agent->options.traces_content)
            add_content(r, number, "gen_ai.tool.call.result", &a->output);
        for (size_t i = 0; i < snug_result_tool_call_count(a->result); i++)
            add_tool_call(t, number, snug_result_tool_call(a->result, i), now_ns);
        if (snug_result_status(a->result) != SNUG_STATUS_OK)
            type = snug_result_error_name(a->result);
    }

    end_span(t, number, type, NULL);
}

/* ---- requests ---- */

size_t trace_chat_begin(run *r, const char *named, const model_request *request)
{
    static const char *const roles[] = { [MODEL_SYSTEM] = "system",
                                         [MODEL_USER] = "user",
                                         [MODEL_ASSISTANT] = "assistant",
                                         [MODEL_TOOL] = "tool" };
    trace *t = r->trace;
    const char *colon = strchr(named, ':');
    str list = { 0 };

    if (!t)
        return 0;
    const size_t number =
        begin_span(t, t->spans[0].id, "chat", colon ? colon + 1 : named, KIND_CLIENT);
    if (number == 0)
        return 0;

    add_model(t, number, named);
    add_text(t, number, "snug.step", run_step_name(r->at));
    add_integer(t, number, "gen_ai.request.max_tokens", request->max_tokens);
    if (request->temperature >= 0)
        add_double(t, number, "gen_ai.request.temperature", request->temperature);
    if (r->agent->options.traces_content) {
        for (size_t i = 0; i < request->message_count; i++) {
            const model_message *m = &request->messages[i];
            add_message(&list, r, roles[m->role], str_text(&m->text), m->text.len, NULL);
        }
        add_messages(t, number, "gen_ai.input.messages", &list);
    }
    return number;
}

/* The conventions' words. */
static const char *finish_of(const model_reply *said)
{
    switch (said->stop) {
    case MODEL_STOP_END:
        return said->call_count > 0 ? "tool_call" : "stop";
    case MODEL_STOP_LENGTH:
        return "length";
    case MODEL_STOP_REFUSAL:
        return "content_filter";
    }
    return "stop";
}

void trace_chat_end(run *r, size_t number)
{
    trace *t = r->trace;
    const model_reply *said = &r->said;
    char text[64];

    if (!t || number == 0)
        return;
    add_integer(t, number, "gen_ai.usage.input_tokens", said->usage.input_tokens);
    add_integer(t, number, "gen_ai.usage.output_tokens", said->usage.output_tokens);
    if (said->usage.cached_tokens)
        add_integer(t, number, "gen_ai.usage.cache_read.input_tokens", said->usage.cached_tokens);
    if (said->usage.requests > 1)
        add_integer(t, number, "snug.requests", said->usage.requests);
    if (said->http_status)
        add_integer(t, number, "http.response.status_code", (uint64_t)said->http_status);
    if (!said->fault) {
        snprintf(text, sizeof text, "{\"values\":[{\"stringValue\":\"%s\"}]}", finish_of(said));
        add_raw(t, number, "gen_ai.response.finish_reasons", "arrayValue", text);
    }
    if (!said->fault && r->agent->options.traces_content)
        add_one_message(r, number, "gen_ai.output.messages", "assistant", str_text(&said->text),
                        said->text.len, finish_of(said));

    snprintf(text, sizeof text, "%s", model_fault_name(said->fault));
    for (char *c = text; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    end_span(t, number, said->fault ? text : NULL, NULL);
}
