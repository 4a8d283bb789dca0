/*
 * step_events.c - tells the caller what a run does, a line of JSON for each step.
 *
 * Nothing of the models' keys is in an event: what comes from a provider has lost them before
 * (model.h).
 */
#include "agent/trace/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/jsontext.h"

static uint64_t attempt_number(const run *r)
{
    return r->reply ? r->reply->attempt_count : 0;
}

str event_begin(const run *r, const char *name)
{
    str event = { .has_failed = !r->agent->options.on_event };

    json_open(&event, NULL, '{');
    json_put_word(&event, "event", name);
    json_put_number(&event, "n", (double)attempt_number(r));
    return event;
}

void event_send(const run *r, const char *name, str *event)
{
    json_close(event, '}');
    if (!str_error(event)) {
        const snug_agent_event told = { name, attempt_number(r), event->data, event->len };
        r->agent->options.on_event(r->agent->options.payload, &told);
    }
    str_free(event);
}

void event_text(const run *r, const char *name, const char *member, const char *text, size_t len)
{
    str event = event_begin(r, name);
    if (text)
        json_put_text(&event, member, text, len);
    event_send(r, name, &event);
}

void event_fault(const run *r, const char *about, const char *sentence)
{
    str event = event_begin(r, "without");
    json_put_word(&event, "about", about);
    json_put_word(&event, "message", sentence);
    event_send(r, "without", &event);
}

void event_plan_step(const run *r)
{
    str event = event_begin(r, "step");
    json_put_number(&event, "step", (double)(r->step + 1));
    json_put_number(&event, "of", (double)r->plan.count);
    json_put_str(&event, "text", &r->plan.steps[r->step]);
    event_send(r, "step", &event);
}

void event_tool_call(const run *r, const snug_tool_call *call)
{
    str event = event_begin(r, "tool_call");
    json_put_word(&event, "name", call->name);
    json_put_word(&event, "status", call->status);
    json_put_number(&event, "duration_ms", (double)call->duration_ns / 1e6);
    event_send(r, "tool_call", &event);
}

/* ---- what somebody who looks closely learns ---- */

enum { DENIALS = 3, KILLS = 2 };

/* An event that has failed before it begins where nobody wants to look closely. */
static str begin_diagnostic(const run *r, const char *name)
{
    if (r->agent->options.tells_prompts)
        return event_begin(r, name);
    return (str){ .has_failed = 1 };
}

/* ---- prompts ---- */

static void add_hidden(const run *r, str *out, const char *name, const str *text)
{
    str copy = { 0 };
    if (str_add_str(&copy, text) == SNUG_OK && run_hide_keys(r, &copy) == SNUG_OK)
        json_put_str(out, name, &copy);
    str_free(&copy);
}

static void add_messages(const run *r, str *out, const model_message *messages, size_t count)
{
    static const char *const roles[] = { [MODEL_SYSTEM] = "system",
                                         [MODEL_USER] = "user",
                                         [MODEL_ASSISTANT] = "assistant",
                                         [MODEL_TOOL] = "tool" };

    for (size_t i = 0; i < count; i++) {
        const model_message *m = &messages[i];
        json_open(out, NULL, '{');
        json_put_word(out, "role", roles[m->role]);
        add_hidden(r, out, "text", &m->text);
        if (m->call_count > 0)
            json_open(out, "calls", '[');
        for (size_t k = 0; k < m->call_count; k++)
            add_hidden(r, out, NULL, &m->calls[k].arguments);
        if (m->call_count > 0)
            json_close(out, ']');
        json_close(out, '}');
    }
}

void watch_prompt(const run *r, const char *use, const model_message *messages, size_t count)
{
    str event = begin_diagnostic(r, "prompt");

    json_put_word(&event, "for", use);
    json_open(&event, "messages", '[');
    if (!str_error(&event))
        add_messages(r, &event, messages, count);
    json_close(&event, ']');
    event_send(r, "prompt", &event);
}

int watch_keep_talk(run *r)
{
    str *kept = &r->reply->messages;

    if (!r->agent->options.has_messages || r->message_count == 0)
        return SNUG_OK;
    /* Further ones go into the same list. */
    if (kept->len > 0)
        kept->data[--kept->len] = '\0';
    else
        json_open(kept, NULL, '[');
    add_messages(r, kept, r->messages, r->message_count);
    json_close(kept, ']');
    return str_error(kept) ? error_no_memory() : SNUG_OK;
}

/* ---- routes and budgets ---- */

void watch_route(const run *r, snug_agent_step from, snug_agent_step to, loop_outcome outcome)
{
    static const char *const outcomes[] = { [WENT] = "went",
                                            [FAILED] = "failed",
                                            [MORE] = "more",
                                            [STOPPED] = "stopped",
                                            [BROKEN] = "broken" };
    str event = begin_diagnostic(r, "route");

    json_put_word(&event, "from", run_step_name(from));
    json_put_word(&event, "to", run_step_name(to));
    json_put_word(&event, "outcome", outcomes[outcome]);
    event_send(r, "route", &event);
}

/* Of a limit that there is not, null. */
static void add_share(str *event, const char *name, const char *limit, double used, uint64_t most,
                      double unit)
{
    json_put_number(event, name, used);
    if (most == SNUG_UNLIMITED)
        json_put_raw(event, limit, NULL);
    else
        json_put_number(event, limit, (double)most / unit);
}

void watch_budget(const run *r)
{
    const snug_reply *reply = r->reply;
    const double seconds = (double)((clock_now_ns() - r->started_ns) / NS_PER_MS) / 1000;
    str event = begin_diagnostic(r, "budget");

    add_share(&event, "tokens", "max_tokens", (double)(reply->input_tokens + reply->output_tokens),
              r->limits.tokens, 1);
    add_share(&event, "attempts", "max_attempts", (double)run_attempts(r), r->limits.attempts, 1);
    add_share(&event, "seconds", "max_seconds", seconds, r->limits.wall_ms, 1000);
    if (reply->has_cost)
        add_share(&event, "cost_usd", "max_cost_usd", reply->cost_usd, r->limits.cost_microusd,
                  1e6);
    json_put_number(&event, "requests", (double)reply->requests);
    event_send(r, "budget", &event);
}

/* ---- anomalies ---- */

__attribute__((format(printf, 5, 6))) static void
tell(const run *r, const char *kind, const char *of, uint64_t count, const char *format, ...)
{
    char sentence[400];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);

    str event = event_begin(r, "anomaly");
    json_put_word(&event, "kind", kind);
    json_put_word(&event, "of", of);
    json_put_number(&event, "count", (double)count);
    json_put_word(&event, "message", sentence);
    event_send(r, "anomaly", &event);
}

/* Counts one; past the last name, none. */
static void count_denial(run *r, const char *name)
{
    for (size_t i = 0; i < DENIAL_NAMES; i++) {
        denial_count *d = &r->denials[i];
        if (!*d->name)
            snprintf(d->name, sizeof d->name, "%s", name);
        if (strncmp(d->name, name, sizeof d->name - 1) != 0)
            continue;
        if (++d->count == DENIALS)
            tell(r, "denials", d->name, d->count,
                 "the policy has denied %s %d times for this question", d->name, DENIALS);
        return;
    }
}

static void look_at_denials(run *r, snug_result *result)
{
    jsontext j;
    jsontext_span item;
    size_t len;
    const char *json = snug_result_json(result, &len);
    if (!json)
        return;

    jsontext_span policy = jsontext_member((jsontext_span){ json, len }, "policy");
    if (!policy.text || !jsontext_enter(&j, jsontext_member(policy, "denied")))
        return;

    while (jsontext_item(&j, NULL, &item)) {
        str name = { 0 };
        if (jsontext_string(&name, jsontext_member(item, "event")) == SNUG_OK && name.len > 0)
            count_denial(r, name.data);
        str_free(&name);
    }
}

void watch_result(run *r, snug_result *result)
{
    const snug_status status = snug_result_status(result);
    const int is_lost = snug_result_state(result) == SNUG_STATE_LOST;

    look_at_denials(r, result);
    if (!is_lost && status != SNUG_STATUS_TIMEOUT && status != SNUG_STATUS_MEMORY) {
        r->agent->kills = 0;
        return;
    }

    const char *of = is_lost ? "lost" : snug_status_name(status);
    if (++r->agent->kills >= KILLS)
        tell(r, "kills", of, r->agent->kills,
             "%llu programs in a row were ended: by time, by memory, or with the session",
             (unsigned long long)r->agent->kills);
}
