#include "agent/prompt/request.h"

#include <string.h>

#include "agent/prompt/prompt.h"
#include "agent/store/cache.h"
#include "agent/trace/diagnostics.h"
#include "agent/trace/step_events.h"
#include "agent/trace/trace.h"
#include "base/clock.h"
#include "base/error.h"

static const char *const use_names[USES] = { "code", "evaluation", "repair" };

static const char run_python_schema[] =
    "{\"type\":\"object\",\"properties\":{\"code\":{\"type\":\"string\",\"description\":"
    "\"Python source\"}},\"required\":[\"code\"],\"additionalProperties\":false}";

static const model_tool run_python = {
    "run_python",
    "Runs Python in the session, whose variables live on, and gives what it printed and the value "
    "of its last expression.",
    run_python_schema,
};

/* ---- budgets ---- */

/* Four bytes a token is what English and code come to. */
static uint64_t estimate_tokens(const model_message *messages, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += messages[i].text.len + 16;
        for (size_t k = 0; k < messages[i].call_count; k++)
            bytes += messages[i].calls[k].arguments.len;
    }
    return bytes / 4;
}

/* Rounded up. A provider may count more tokens than fit. */
static uint64_t microdollars(double usd)
{
    return usd < 1e12 ? (uint64_t)(usd * 1e6 + 0.999999) : SNUG_UNLIMITED - 1;
}

/* Microdollars, rounded up; SNUG_UNLIMITED where there is no price. */
static uint64_t cost_of(const run *r, const char *name, uint64_t in, uint64_t cached, uint64_t out)
{
    double usd;
    if (prices_cost(&usd, r->agent->prices, name, in, cached, out) != SNUG_OK)
        return SNUG_UNLIMITED;
    return microdollars(usd);
}

static loop_outcome stop_at_cost(run *r)
{
    return run_stop(r, SNUG_AGENT_STATUS_BUDGET,
                    "the next request would cost more than what is left: %.6f of %.6f US dollars "
                    "are used",
                    r->reply->cost_usd, (double)r->limits.cost_microusd / 1e6);
}

static loop_outcome fit_tokens(run *r, uint64_t input, uint64_t *most)
{
    const uint64_t used = r->reply->input_tokens + r->reply->output_tokens;
    const uint64_t all = r->limits.tokens;

    if (all == SNUG_UNLIMITED)
        return WENT;

    if (used + input >= all)
        return run_stop(r, SNUG_AGENT_STATUS_BUDGET,
                        "the next request needs some %llu tokens, and %llu of the question's "
                        "%llu are used",
                        (unsigned long long)input, (unsigned long long)used,
                        (unsigned long long)all);

    if (*most > all - used - input)
        *most = all - used - input;
    return WENT;
}

static loop_outcome fit_cost(run *r, const char *name, uint64_t input, uint64_t *most)
{
    const uint64_t all = r->limits.cost_microusd;
    const uint64_t spent = microdollars(r->reply->cost_usd);

    if (all == SNUG_UNLIMITED)
        return WENT;

    const uint64_t asking = cost_of(r, name, input, 0, 0);
    if (asking == SNUG_UNLIMITED || spent >= all || asking >= all - spent)
        return stop_at_cost(r);

    const uint64_t million = cost_of(r, name, 0, 0, 1000000); /* of tokens in the reply */
    if (million == 0)
        return WENT;

    const double tokens = (double)(all - spent - asking) * 1e6 / (double)million;
    if (tokens < 1)
        return stop_at_cost(r);

    if (tokens < (double)*most)
        *most = (uint64_t)tokens;
    return WENT;
}

/* Fits the reply's length into what is left: *most tokens. */
static loop_outcome fit_budget(run *r, const char *name, uint64_t input, uint64_t *most)
{
    *most = r->limits.reply_tokens;

    loop_outcome outcome = fit_tokens(r, input, most);
    if (outcome == WENT)
        outcome = fit_cost(r, name, input, most);
    return outcome;
}

/* A provider may count what it likes: stays so small that what is in and out adds up too. */
static void add_tokens(uint64_t *sum, uint64_t more)
{
    const uint64_t most = UINT64_MAX / 4;
    *sum = more < most && *sum < most - more ? *sum + more : most;
}

static void count_usage(run *r, const char *name, const model_usage *usage)
{
    snug_reply *reply = r->reply;
    double usd;

    reply->requests += usage->requests;
    add_tokens(&reply->input_tokens, usage->input_tokens);
    add_tokens(&reply->output_tokens, usage->output_tokens);
    add_tokens(&reply->cached_tokens, usage->cached_tokens);
    reply->is_estimated |= usage->is_estimated;
    if (prices_cost(&usd, r->agent->prices, name, usage->input_tokens, usage->cached_tokens,
                    usage->output_tokens) == SNUG_OK)
        reply->cost_usd += usd;
    else
        reply->has_cost = 0;
}

/* ---- asking ---- */

static void tell_text(void *payload, const char *text, size_t len)
{
    event_text(payload, "delta", "text", text, len);
}

static void tell_retry(void *payload, const char *sentence, uint64_t wait_ms)
{
    cJSON *event = event_begin(payload, "retry");
    if (event) {
        json_add_text(event, "reason", sentence);
        json_add_number(event, "wait_ms", (double)wait_ms);
    }
    event_send(payload, event);
}

static void tell_request(run *r, model_use use, const char *name, uint64_t input)
{
    cJSON *event = event_begin(r, "generate");
    if (event) {
        json_add_text(event, "model", name);
        json_add_text(event, "for", use_names[use]);
        json_add_number(event, "estimated_input_tokens", (double)input);
    }
    event_send(r, event);
}

static const char *stop_name(model_stop stop)
{
    switch (stop) {
    case MODEL_STOP_END:
        return "end";
    case MODEL_STOP_LENGTH:
        return "length";
    case MODEL_STOP_REFUSAL:
        return "refusal";
    }
    return "end";
}

static void tell_reply(run *r, const char *name, uint64_t ns, int is_cached)
{
    const model_reply *said = &r->said;
    cJSON *event = event_begin(r, "generated");
    if (!event)
        return;

    json_add_text(event, "model", name);
    json_add_number(event, "duration_ms", (double)ns / 1e6);
    json_add_number(event, "requests", (double)said->usage.requests);
    if (is_cached)
        json_add_bool(event, "cached", 1);
    json_add_number(event, "input_tokens", (double)said->usage.input_tokens);
    json_add_number(event, "output_tokens", (double)said->usage.output_tokens);
    if (said->fault) {
        json_add_text(event, "fault", model_fault_name(said->fault));
        json_add_text_len(event, "message", str_text(&said->sentence), said->sentence.len);
    } else
        json_add_text(event, "stop", stop_name(said->stop));
    event_send(r, event);
}

/* Whether the model has answered. */
static loop_outcome judge_reply(run *r)
{
    const model_reply *said = &r->said;
    loop_outcome looked;

    switch (said->fault) {
    case MODEL_FINE:
        break;
    case MODEL_CANCELLED:
    case MODEL_PAST_DEADLINE:
        looked = run_look(r);
        if (looked != WENT)
            return looked;
        return run_stop(r, SNUG_AGENT_STATUS_BUDGET, "%s", str_text(&said->sentence));
    case MODEL_KEY_REFUSED:
    case MODEL_RATE_LIMITED:
    case MODEL_UNAVAILABLE:
    case MODEL_TIMED_OUT:
    case MODEL_BAD_REPLY:
    case MODEL_BAD_REQUEST:
    case MODEL_NO_QUOTA:
        return run_stop(r, SNUG_AGENT_STATUS_TERMINAL_ERROR, "%s", str_text(&said->sentence));
    }

    if (said->stop == MODEL_STOP_REFUSAL)
        return run_stop(r, SNUG_AGENT_STATUS_REFUSED, "the model refuses: %.300s",
                        said->text.len > 0 ? said->text.data : "it gives no reason");
    return WENT;
}

/* A program is asked for by a system prompt; a plan and a judgement are not. */
static int wants_tools(const run *r, model_use use, const model_message *first)
{
    const snug_agent_calling calling = r->agent->options.calling;

    if (is_in_bash(r->agent) || first->role != MODEL_SYSTEM)
        return 0;
    if (use == USE_EVALUATION || calling == SNUG_AGENT_CALLING_FENCE)
        return 0;
    if (calling == SNUG_AGENT_CALLING_TOOL)
        return 1;
    return r->mode == SNUG_AGENT_MODE_ACT && model_has_tools(r->agent->models[use]);
}

/* By the cache, where it has been asked before. */
static int ask_or_recall(run *r, model *m, const model_request *request, int *is_cached)
{
    str key = { 0 };
    int error = SNUG_OK;

    *is_cached = cache_find_reply(&r->said, &key, r, m, request);
    if (*is_cached) {
        if (request->on_text)
            request->on_text(r, str_text(&r->said.text), r->said.text.len);
    } else {
        error = model_ask(&r->said, m, request);
        if (!error)
            cache_keep_reply(r, &key, &r->said);
    }

    str_free(&key);
    return error;
}

loop_outcome request_ask(run *r, model_use use, reply_time time, const model_message *messages,
                         size_t count)
{
    const snug_agent_options *options = &r->agent->options;
    model *m = r->agent->models[use];
    const char *name = model_name(m);
    const uint64_t input = estimate_tokens(messages, count);
    int is_cached;

    model_request request = {
        .messages = messages,
        .message_count = count,
        .temperature = options->temperature,
        .deadline_ns = r->deadline_ns,
        .on_retry = tell_retry,
        .payload = r,
    };

    if (options->on_event && !options->is_not_streaming)
        request.on_text = tell_text;
    if (wants_tools(r, use, &messages[0])) {
        request.tools = &run_python;
        request.tool_count = 1;
    }

    loop_outcome outcome = fit_budget(r, name, input, &request.max_tokens);
    if (outcome != WENT)
        return outcome;

    tell_request(r, use, name, input);
    watch_prompt(r, use_names[use], messages, count);
    model_reply_free(&r->said);

    const uint64_t start_ns = clock_now_ns();
    size_t span = trace_chat_begin(r, name, &request);
    int error = ask_or_recall(r, m, &request, &is_cached);
    trace_chat_end(r, span);
    if (error)
        return run_break(r, error);

    const uint64_t took_ns = clock_now_ns() - start_ns;
    r->reply->time_ns[time] += took_ns;
    if (is_cached)
        r->reply->cached_requests++;
    else
        count_usage(r, name, &r->said.usage);

    tell_reply(r, name, took_ns, is_cached);
    watch_budget(r);
    return judge_reply(r);
}

loop_outcome request_prompt(run *r, model_use use, reply_time time, const char *system,
                            const char *template)
{
    model_message messages[2] = { { .role = MODEL_SYSTEM }, { .role = MODEL_USER } };
    loop_outcome outcome;
    int error = SNUG_OK;

    if (system)
        error = prompt_make(&messages[0].text, r, system);
    if (!error)
        error = prompt_make(&messages[1].text, r, template);

    if (error)
        outcome = run_break(r, error);
    else if (system)
        outcome = request_ask(r, use, time, messages, 2);
    else
        outcome = request_ask(r, use, time, &messages[1], 1);

    str_free(&messages[0].text);
    str_free(&messages[1].text);
    return outcome;
}
