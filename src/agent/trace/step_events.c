#include "agent/trace/step_events.h"

#include <stdlib.h>
#include <string.h>

static uint64_t attempt_number(const run *r)
{
    return r->reply ? r->reply->attempt_count : 0;
}

cJSON *event_begin(const run *r, const char *name)
{
    if (!r->agent->options.on_event)
        return NULL;
    cJSON *event = cJSON_CreateObject();
    if (event && (json_add_text(event, "event", name) ||
                  json_add_number(event, "n", (double)attempt_number(r)))) {
        cJSON_Delete(event);
        event = NULL;
    }

    return event;
}

void event_send(const run *r, cJSON *event)
{
    char *text = event ? json_text(event) : NULL;

    if (text) {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(event, "event");
        const snug_agent_event told = { name->valuestring, attempt_number(r), text, strlen(text) };
        r->agent->options.on_event(r->agent->options.payload, &told);
    }

    free(text);
    cJSON_Delete(event);
}

void event_text(const run *r, const char *name, const char *member, const char *text, size_t len)
{
    cJSON *event = event_begin(r, name);
    if (event && text)
        json_add_text_len(event, member, text, len);
    event_send(r, event);
}

void event_fault(const run *r, const char *about, const char *sentence)
{
    cJSON *event = event_begin(r, "without");
    if (event) {
        json_add_text(event, "about", about);
        json_add_text(event, "message", sentence);
    }
    event_send(r, event);
}

void event_plan_step(const run *r)
{
    cJSON *event = event_begin(r, "step");

    if (event) {
        const str *text = &r->plan.steps[r->step];
        json_add_number(event, "step", (double)(r->step + 1));
        json_add_number(event, "of", (double)r->plan.count);
        json_add_text_len(event, "text", str_text(text), text->len);
    }
    event_send(r, event);
}

void event_tool_call(const run *r, const snug_tool_call *call)
{
    cJSON *event = event_begin(r, "tool_call");
    if (event) {
        json_add_text(event, "name", call->name);
        json_add_text(event, "status", call->status);
        json_add_number(event, "duration_ms", (double)call->duration_ns / 1e6);
    }
    event_send(r, event);
}
