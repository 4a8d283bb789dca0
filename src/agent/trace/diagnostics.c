#include "agent/trace/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/trace/step_events.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/jsontext.h"

enum { DENIALS = 3, KILLS = 2 };

static cJSON *begin_diagnostic(const run *r, const char *name)
{
    if (r->agent->options.tells_prompts)
        return event_begin(r, name);
    return NULL;
}

/* ---- prompts ---- */

static void add_hidden(const run *r, cJSON *object, const char *name, const str *text)
{
    str copy = { 0 };
    if (str_add_str(&copy, text) == SNUG_OK && run_hide_keys(r, &copy) == SNUG_OK)
        json_add_text_len(object, name, str_text(&copy), copy.len);
    str_free(&copy);
}

static cJSON *add_messages(const run *r, cJSON *object, const model_message *messages, size_t count)
{
    static const char *const roles[] = { [MODEL_SYSTEM] = "system",
                                         [MODEL_USER] = "user",
                                         [MODEL_ASSISTANT] = "assistant",
                                         [MODEL_TOOL] = "tool" };
    cJSON *list = json_add_array(object, "messages");

    for (size_t i = 0; list && i < count; i++) {
        const model_message *m = &messages[i];
        cJSON *item = json_add_object(list, NULL);
        if (!item)
            break;
        json_add_text(item, "role", roles[m->role]);
        add_hidden(r, item, "text", &m->text);
        cJSON *calls = m->call_count ? json_add_array(item, "calls") : NULL;
        for (size_t k = 0; calls && k < m->call_count; k++)
            add_hidden(r, calls, NULL, &m->calls[k].arguments);
    }
    return list;
}

void watch_prompt(const run *r, const char *use, const model_message *messages, size_t count)
{
    cJSON *event = begin_diagnostic(r, "prompt");

    if (event)
        json_add_text(event, "for", use);
    if (event)
        add_messages(r, event, messages, count);
    event_send(r, event);
}

int watch_keep_talk(run *r)
{
    str *kept = &r->reply->messages;
    if (!r->agent->options.has_messages || r->message_count == 0)
        return SNUG_OK;

    cJSON *root = cJSON_CreateObject();
    cJSON *list = root ? add_messages(r, root, r->messages, r->message_count) : NULL;
    char *text = list ? json_text(list) : NULL;
    cJSON_Delete(root);
    if (!text)
        return error_no_memory();

    /* Further ones go into the same list. */
    if (kept->len > 0) {
        kept->len--;
        *text = ',';
    }
    int failed = str_add(kept, text);
    free(text);
    return failed ? error_no_memory() : SNUG_OK;
}

/* ---- routes and budgets ---- */

void watch_route(const run *r, snug_agent_step from, snug_agent_step to, loop_outcome outcome)
{
    static const char *const outcomes[] = { [WENT] = "went",
                                            [FAILED] = "failed",
                                            [MORE] = "more",
                                            [STOPPED] = "stopped",
                                            [BROKEN] = "broken" };
    cJSON *event = begin_diagnostic(r, "route");

    if (event) {
        json_add_text(event, "from", run_step_name(from));
        json_add_text(event, "to", run_step_name(to));
        json_add_text(event, "outcome", outcomes[outcome]);
    }
    event_send(r, event);
}

/* Of a limit that there is not, null. */
static void add_share(cJSON *event, const char *name, const char *limit, double used, uint64_t most,
                      double unit)
{
    json_add_number(event, name, used);
    if (most == SNUG_UNLIMITED)
        json_add_null(event, limit);
    else
        json_add_number(event, limit, (double)most / unit);
}

void watch_budget(const run *r)
{
    const snug_reply *reply = r->reply;
    cJSON *event = begin_diagnostic(r, "budget");

    if (event) {
        add_share(event, "tokens", "max_tokens",
                  (double)(reply->input_tokens + reply->output_tokens), r->limits.tokens, 1);
        add_share(event, "attempts", "max_attempts", (double)run_attempts(r), r->limits.attempts,
                  1);
        add_share(event, "seconds", "max_seconds",
                  (double)((clock_now_ns() - r->started_ns) / NS_PER_MS) / 1000, r->limits.wall_ms,
                  1000);
        if (reply->has_cost)
            add_share(event, "cost_usd", "max_cost_usd", reply->cost_usd, r->limits.cost_microusd,
                      1e6);
        json_add_number(event, "requests", (double)reply->requests);
    }
    event_send(r, event);
}

/* ---- anomalies ---- */

__attribute__((format(printf, 5, 6))) static void
tell(const run *r, const char *kind, const char *of, uint64_t count, const char *format, ...)
{
    str text = { 0 };
    char sentence[400];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    cJSON *event = event_begin(r, "anomaly");
    if (event && str_add(&text, sentence) == SNUG_OK) {
        json_add_text(event, "kind", kind);
        json_add_text(event, "of", of);
        json_add_number(event, "count", (double)count);
        json_add_text(event, "message", text.data);
    }

    event_send(r, event);
    str_free(&text);
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
