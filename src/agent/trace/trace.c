#include "agent/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "agent/text/clip.h"
#include "agent/trace/step_events.h"
#include "agent/trace/tracer.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "wire/json.h"

enum { MOST_TEXT_BYTES = 32 * 1024 /* of one text in a span */ };

/* The numbers of OTLP's enums. */
enum { KIND_INTERNAL = 1, KIND_CLIENT = 3, STATUS_ERROR = 2, SAMPLED = 1 };

#define SCHEMA_URL "https://opentelemetry.io/schemas/1.37.0"

typedef struct span {
    cJSON *object, *attributes; /* of the trace's list */
    uint64_t begun_ns;
} span;

typedef struct trace trace;

struct trace {
    tracer *to;
    char id[TRACE_ID_DIGITS + 1], root_id[SPAN_ID_DIGITS + 1];
    uint64_t wall_ns, begun_ns; /* the same moment by two clocks */
    cJSON *list;
    span *spans;
    size_t count, cap;
    int is_broken; /* memory ran out */
};

/* ---- attributes ---- */

/* {"key": key, "value": {}}: the value's object; NULL if memory ran out. */
static cJSON *add_attribute(cJSON *attributes, const char *key)
{
    cJSON *item = json_add_object(attributes, NULL);
    if (item && json_add_text(item, "key", key) == SNUG_OK)
        return json_add_object(item, "value");
    return NULL;
}

static int add_text_value(cJSON *attributes, const char *key, const char *text)
{
    cJSON *value = add_attribute(attributes, key);
    return !value || json_add_text(value, "stringValue", text);
}

/* 64 bits are text in protobuf's JSON. */
static int add_integer(cJSON *attributes, const char *key, uint64_t count)
{
    char digits[24];
    cJSON *value = add_attribute(attributes, key);
    snprintf(digits, sizeof digits, "%" PRIu64, count);
    return !value || json_add_text(value, "intValue", digits);
}

static int add_double(cJSON *attributes, const char *key, double number)
{
    cJSON *value = add_attribute(attributes, key);
    return !value || json_add_number(value, "doubleValue", number);
}

static int add_list_of_one(cJSON *attributes, const char *key, const char *text)
{
    cJSON *value = add_attribute(attributes, key);
    cJSON *array = value ? json_add_object(value, "arrayValue") : NULL;
    cJSON *values = array ? json_add_array(array, "values") : NULL;
    cJSON *item = values ? json_add_object(values, NULL) : NULL;
    return !item || json_add_text(item, "stringValue", text);
}

/* A copy with "[key]" for the models' keys, clipped. */
static int take_content(str *out, const run *r, const char *text, size_t len)
{
    str whole = { 0 };
    int error = str_append(&whole, text, len) || run_hide_keys(r, &whole) ||
                clip_append(out, str_text(&whole), whole.len, MOST_TEXT_BYTES, 0);
    str_free(&whole);
    return error;
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

static int add_time(cJSON *object, const char *name, const trace *t, uint64_t now_ns)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, t->wall_ns + (now_ns - t->begun_ns));
    return json_add_text(object, name, digits);
}

static int describe_span(cJSON *object, const trace *t, const char *id, const char *parent,
                         const char *name, int kind)
{
    const tracer *to = t->to;

    if (json_add_text(object, "traceId", t->id) || json_add_text(object, "spanId", id))
        return SNUG_ENOMEM;
    if (*parent && json_add_text(object, "parentSpanId", parent))
        return SNUG_ENOMEM;
    if (to->state.len > 0 && json_add_text(object, "traceState", to->state.data))
        return SNUG_ENOMEM;
    if (json_add_number(object, "flags", to->flags | SAMPLED) ||
        json_add_text(object, "name", name) || json_add_number(object, "kind", kind))
        return SNUG_ENOMEM;

    return SNUG_OK;
}

/* Its number, from 1. 0 if memory ran out. */
static size_t begin_span_at(trace *t, const char *id, const char *parent, const char *name,
                            int kind, uint64_t now_ns)
{
    cJSON *object = NULL, *attributes = NULL;

    if (!array_reserve(&t->spans, &t->cap, t->count + 1, sizeof *t->spans))
        object = json_add_object(t->list, NULL);
    if (object && !describe_span(object, t, id, parent, name, kind) &&
        !add_time(object, "startTimeUnixNano", t, now_ns))
        attributes = json_add_array(object, "attributes");

    if (!attributes) {
        t->is_broken = 1;
        return 0;
    }

    t->spans[t->count++] = (span){ object, attributes, now_ns };
    return t->count;
}

static size_t begin_span(trace *t, const char *id, const char *parent, const char *name, int kind)
{
    return begin_span_at(t, id, parent, name, kind, clock_now_ns());
}

static size_t begin_child(trace *t, const char *name, int kind)
{
    char id[SPAN_ID_DIGITS + 1];
    make_id(id, SPAN_ID_DIGITS);
    return begin_span(t, id, t->root_id, name, kind);
}

/* type: of the error, a word; NULL: none. about: a sentence, or NULL. */
static void end_span_at(trace *t, size_t number, const char *type, const char *about,
                        uint64_t now_ns)
{
    span *s = &t->spans[number - 1];
    cJSON *status = json_add_object(s->object, "status");
    int failed = !status || add_time(s->object, "endTimeUnixNano", t, now_ns);

    if (!failed && type)
        failed = add_text_value(s->attributes, "error.type", type) ||
                 json_add_number(status, "code", STATUS_ERROR);

    if (!failed && type && about && *about)
        failed = json_add_text(status, "message", about);
    if (failed)
        t->is_broken = 1;
}

static void end_span(trace *t, size_t number, const char *type, const char *about)
{
    end_span_at(t, number, type, about, clock_now_ns());
}

/* ---- the question ---- */

static int add_model(cJSON *attributes, const char *named)
{
    const char *colon = strchr(named, ':');
    const char *model_part = colon ? colon + 1 : named;
    const size_t provider_len = colon ? (size_t)(colon - named) : 0;
    char provider_name[64];

    snprintf(provider_name, sizeof provider_name, "%.*s", (int)provider_len, named);
    return add_text_value(attributes, "gen_ai.provider.name", provider_name) ||
           add_text_value(attributes, "gen_ai.request.model", model_part);
}

static void drop_trace(run *r)
{
    trace *t = r->trace;
    r->trace = NULL;
    if (t) {
        cJSON_Delete(t->list);
        free(t->spans);
        free(t);
    }
}

void trace_begin(run *r)
{
    static const char *const modes[] = { "solve", "chain", "act", "plan" };
    struct timespec now;
    tracer *to = r->agent->tracer;
    trace *t = to ? calloc(1, sizeof *t) : NULL;
    if (!t || !(t->list = cJSON_CreateArray())) {
        free(t);
        return;
    }

    r->trace = t;
    t->to = to;
    clock_gettime(CLOCK_REALTIME, &now);
    t->wall_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
    t->begun_ns = clock_now_ns();
    if (*to->trace_id)
        memcpy(t->id, to->trace_id, sizeof t->id);
    else
        make_id(t->id, TRACE_ID_DIGITS);

    make_id(t->root_id, SPAN_ID_DIGITS);
    if (!begin_span(t, t->root_id, to->parent_id, "invoke_agent snug", KIND_INTERNAL)) {
        drop_trace(r);
        return;
    }

    cJSON *a = t->spans[0].attributes;
    if (add_text_value(a, "gen_ai.operation.name", "invoke_agent") ||
        add_text_value(a, "gen_ai.agent.name", "snug") ||
        add_text_value(a, "gen_ai.conversation.id", str_text(&r->reply->session)) ||
        add_model(a, model_name(r->agent->models[USE_CODE])) ||
        add_text_value(a, "snug.mode", modes[r->mode]))
        t->is_broken = 1;
}

/* [{"role": ..., "parts": [{"type": "text", "content": ...}]}], as the conventions have messages.
 */
static int add_chat_message(cJSON *list, const run *r, const char *role, const char *text,
                            size_t len, const char *finish)
{
    str content = { 0 };
    cJSON *message = json_add_object(list, NULL);
    cJSON *parts = message && json_add_text(message, "role", role) == SNUG_OK
                       ? json_add_array(message, "parts")
                       : NULL;
    cJSON *part = parts ? json_add_object(parts, NULL) : NULL;
    int error = !part || json_add_text(part, "type", "text") ||
                take_content(&content, r, text, len) ||
                json_add_text_len(part, "content", str_text(&content), content.len) ||
                (finish && json_add_text(message, "finish_reason", finish));

    str_free(&content);
    return error;
}

/* The list as text of an attribute; takes it. */
static int add_list(cJSON *attributes, const char *key, cJSON *list)
{
    char *text = list ? json_text(list) : NULL;
    int error = !text || add_text_value(attributes, key, text);
    free(text);
    cJSON_Delete(list);
    return error;
}

static int add_one_message(cJSON *attributes, const char *key, const run *r, const char *role,
                           const char *text, size_t len, const char *finish)
{
    cJSON *list = cJSON_CreateArray();
    if (!list || add_chat_message(list, r, role, text, len, finish)) {
        cJSON_Delete(list);
        return 1;
    }
    return add_list(attributes, key, list);
}

static int add_outcome(const run *r, cJSON *a)
{
    const snug_reply *reply = r->reply;
    int error = add_text_value(a, "snug.status", snug_agent_status_name(reply->status)) ||
                add_integer(a, "snug.attempts", reply->attempt_count) ||
                add_integer(a, "gen_ai.usage.input_tokens", reply->input_tokens) ||
                add_integer(a, "gen_ai.usage.output_tokens", reply->output_tokens);

    if (!error && reply->has_cost)
        error = add_double(a, "snug.cost_usd", reply->cost_usd);
    if (!error && reply->has_verdict)
        error = add_text_value(a, "snug.verdict", reply_verdict_name(reply->verdict));
    if (error || !r->agent->options.traces_content)
        return error;

    return add_one_message(a, "gen_ai.input.messages", r, "user", r->question, strlen(r->question),
                           NULL) ||
           (reply->answer.len > 0 &&
            add_one_message(a, "gen_ai.output.messages", r, "assistant", reply->answer.data,
                            reply->answer.len, "stop"));
}

static int add_resource(cJSON *parent)
{
    char version[32];
    cJSON *resource = json_add_object(parent, "resource");
    cJSON *a = resource ? json_add_array(resource, "attributes") : NULL;

    snprintf(version, sizeof version, "%d.%d.%d", SNUG_VERSION_MAJOR, SNUG_VERSION_MINOR,
             SNUG_VERSION_PATCH);
    return !a || add_text_value(a, "service.name", "snug") ||
           add_text_value(a, "service.version", version) ||
           add_text_value(a, "telemetry.sdk.name", "snug") ||
           add_text_value(a, "telemetry.sdk.language", "c") ||
           add_text_value(a, "telemetry.sdk.version", version);
}

/* The request's body, malloc'ed; takes the list of spans. NULL if memory ran out. */
static char *write_traces(trace *t)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *list = root ? json_add_array(root, "resourceSpans") : NULL;
    cJSON *of_resource = list ? json_add_object(list, NULL) : NULL;
    cJSON *scopes = of_resource && !add_resource(of_resource)
                        ? json_add_array(of_resource, "scopeSpans")
                        : NULL;
    cJSON *of_scope = scopes ? json_add_object(scopes, NULL) : NULL;
    cJSON *scope = of_scope ? json_add_object(of_scope, "scope") : NULL;
    int error = !scope || json_add_text(scope, "name", "snug") ||
                !cJSON_AddItemToObject(of_scope, "spans", t->list);

    if (!error)
        t->list = NULL;
    error = error || json_add_text(of_scope, "schemaUrl", SCHEMA_URL);
    char *text = error ? NULL : json_text(root);
    cJSON_Delete(root);
    return text;
}

/* Ends the span of the question; the error of the reply is content. */
static void end_question(run *r, int error)
{
    trace *t = r->trace;
    const snug_reply *reply = r->reply;
    const char *type = NULL;
    str about = { 0 };

    if (error)
        type = "host";
    else if (reply->status != SNUG_AGENT_STATUS_ANSWERED)
        type = snug_agent_status_name(reply->status);

    if (add_outcome(r, t->spans[0].attributes))
        t->is_broken = 1;
    if (r->agent->options.traces_content &&
        take_content(&about, r, str_text(&reply->error), reply->error.len))
        t->is_broken = 1;

    end_span(t, 1, type, str_text(&about));
    str_free(&about);
}

/* What became of it goes to *problem, "" where it was delivered. */
static void deliver_trace(str *problem, trace *t)
{
    char *body = t->is_broken ? NULL : write_traces(t);

    if (body)
        tracer_deliver(problem, t->to, body, strlen(body));
    else
        str_add(problem, "the trace was dropped: out of memory");
    free(body);
}

void trace_end(run *r, int error)
{
    str problem = { 0 };

    if (!r->trace)
        return;

    end_question(r, error);
    deliver_trace(&problem, r->trace);
    if (problem.len > 0)
        event_text(r, "trace", "message", problem.data, problem.len);
    str_free(&problem);
    drop_trace(r);
}

/* ---- steps ---- */

static int add_program(const run *r, cJSON *attributes, const attempt *a)
{
    str code = { 0 };
    cJSON *object = cJSON_CreateObject();
    int error = !object || take_content(&code, r, str_text(&a->code), a->code.len) ||
                json_add_text_len(object, "code", str_text(&code), code.len);

    str_free(&code);
    if (error) {
        cJSON_Delete(object);
        return error;
    }

    return add_list(attributes, "gen_ai.tool.call.arguments", object);
}

size_t trace_step_begin(run *r, snug_agent_step step)
{
    trace *t = r->trace;
    const attempt *a = run_attempt(r);

    if (!t || (step != SNUG_AGENT_STEP_SCAN && step != SNUG_AGENT_STEP_EXECUTE))
        return 0;
    const char *name = "execute_tool run_python", *tool = "run_python";
    if (step == SNUG_AGENT_STEP_SCAN) {
        name = "execute_tool scan";
        tool = "scan";
    }

    size_t number = begin_child(t, name, KIND_INTERNAL);
    if (number == 0)
        return 0;

    cJSON *attributes = t->spans[number - 1].attributes;
    if (add_text_value(attributes, "gen_ai.operation.name", "execute_tool") ||
        add_text_value(attributes, "gen_ai.tool.name", tool) ||
        add_text_value(attributes, "gen_ai.tool.type", "function") ||
        (a && add_integer(attributes, "snug.attempt", a->n)) ||
        (a && r->agent->options.traces_content && add_program(r, attributes, a)))
        t->is_broken = 1;

    return number;
}

static int add_cell_result(const run *r, cJSON *attributes, const attempt *a)
{
    str output = { 0 };
    int error = add_text_value(attributes, "snug.cell.status",
                               snug_status_name(snug_result_status(a->result)));

    if (!error && r->agent->options.traces_content)
        error = take_content(&output, r, str_text(&a->output), a->output.len) ||
                add_text_value(attributes, "gen_ai.tool.call.result", str_text(&output));

    str_free(&output);
    return error;
}

/* Below the span of its cell. */
static void add_tool_call(trace *t, const span *cell, const snug_tool_call *call, uint64_t now_ns)
{
    char id[SPAN_ID_DIGITS + 1], name[400];
    const cJSON *parent = cJSON_GetObjectItemCaseSensitive(cell->object, "spanId");
    uint64_t begin_ns = cell->begun_ns + call->start_ns, end_ns = begin_ns + call->duration_ns;

    /* The cell has begun a little later than its span, and may have run before. */
    end_ns = end_ns < now_ns ? end_ns : now_ns;
    begin_ns = begin_ns < end_ns ? begin_ns : end_ns;
    make_id(id, SPAN_ID_DIGITS);
    snprintf(name, sizeof name, "execute_tool %s", call->name);
    const size_t number = begin_span_at(t, id, parent->valuestring, name, KIND_INTERNAL, begin_ns);
    if (number == 0)
        return;
    cJSON *attributes = t->spans[number - 1].attributes;
    if (add_text_value(attributes, "gen_ai.operation.name", "execute_tool") ||
        add_text_value(attributes, "gen_ai.tool.name", call->name) ||
        add_text_value(attributes, "gen_ai.tool.type", "function"))
        t->is_broken = 1;
    end_span_at(t, number, strcmp(call->status, "ok") ? call->status : NULL, NULL, end_ns);
}

static void add_tool_calls(trace *t, size_t number, const snug_result *result)
{
    const uint64_t now_ns = clock_now_ns();

    for (size_t i = 0; i < snug_result_tool_call_count(result); i++) {
        const span cell = t->spans[number - 1]; /* the list may move */
        add_tool_call(t, &cell, snug_result_tool_call(result, i), now_ns);
    }
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
        if (add_cell_result(r, t->spans[number - 1].attributes, a))
            t->is_broken = 1;
        add_tool_calls(t, number, a->result);
        if (snug_result_status(a->result) != SNUG_STATUS_OK)
            type = snug_result_error_name(a->result);
    }

    end_span(t, number, type, NULL);
}

/* ---- requests ---- */

static int add_prompt(const run *r, cJSON *attributes, const model_request *request)
{
    static const char *const roles[] = { [MODEL_SYSTEM] = "system",
                                         [MODEL_USER] = "user",
                                         [MODEL_ASSISTANT] = "assistant",
                                         [MODEL_TOOL] = "tool" };
    cJSON *list = cJSON_CreateArray();
    int error = !list;

    for (size_t i = 0; !error && i < request->message_count; i++) {
        const model_message *m = &request->messages[i];
        error = add_chat_message(list, r, roles[m->role], str_text(&m->text), m->text.len, NULL);
    }

    if (error) {
        cJSON_Delete(list);
        return error;
    }
    return add_list(attributes, "gen_ai.input.messages", list);
}

size_t trace_chat_begin(run *r, const char *named, const model_request *request)
{
    trace *t = r->trace;
    char name[300];

    if (!t)
        return 0;
    const char *colon = strchr(named, ':');
    snprintf(name, sizeof name, "chat %s", colon ? colon + 1 : named);
    size_t number = begin_child(t, name, KIND_CLIENT);
    if (number == 0)
        return 0;

    cJSON *a = t->spans[number - 1].attributes;
    if (add_text_value(a, "gen_ai.operation.name", "chat") || add_model(a, named) ||
        add_text_value(a, "snug.step", run_step_name(r->at)) ||
        add_integer(a, "gen_ai.request.max_tokens", request->max_tokens) ||
        (request->temperature >= 0 &&
         add_double(a, "gen_ai.request.temperature", request->temperature)) ||
        (r->agent->options.traces_content && add_prompt(r, a, request)))
        t->is_broken = 1;

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

    if (!t || number == 0)
        return;
    cJSON *a = t->spans[number - 1].attributes;
    if (add_integer(a, "gen_ai.usage.input_tokens", said->usage.input_tokens) ||
        add_integer(a, "gen_ai.usage.output_tokens", said->usage.output_tokens) ||
        (said->usage.cached_tokens &&
         add_integer(a, "gen_ai.usage.cache_read.input_tokens", said->usage.cached_tokens)) ||
        (said->usage.requests > 1 && add_integer(a, "snug.requests", said->usage.requests)) ||
        (!said->fault && add_list_of_one(a, "gen_ai.response.finish_reasons", finish_of(said))) ||
        (said->http_status &&
         add_integer(a, "http.response.status_code", (uint64_t)said->http_status)) ||
        (!said->fault && r->agent->options.traces_content &&
         add_one_message(a, "gen_ai.output.messages", r, "assistant", str_text(&said->text),
                         said->text.len, finish_of(said))))
        t->is_broken = 1;

    char type[64];
    snprintf(type, sizeof type, "%s", model_fault_name(said->fault));
    for (char *c = type; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    end_span(t, number, said->fault ? type : NULL, NULL);
}
