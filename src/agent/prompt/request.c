/*
 * request.c - one request of a run to a model, within the run's budgets.
 */
#include "agent/prompt/prompt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/store/cache.h"
#include "agent/trace/trace.h"
#include "base/clock.h"
#include "base/error.h"

static const char *const use_names[USES] = { "code", "evaluation", "repair", "cell", "fallback" };

/* As the providers count one of some megapixels. */
enum {
    TOKENS_OF_AN_IMAGE = 1600,
    BYTES_PER_TOKEN = 4, /* where nobody counts them */
};

static const char run_python_schema[] =
    "{\"type\":\"object\",\"properties\":{\"code\":{\"type\":\"string\",\"description\":"
    "\"Python source\"}},\"required\":[\"code\"],\"additionalProperties\":false}";

static const model_tool run_python = {
    "run_python",
    "Runs Python in the session, whose variables live on, and gives what it printed and the value "
    "of its last expression.",
    run_python_schema,
};

/* What the prompts "evaluate", "review" and "plan" ask for. */
static const model_shape verdict_shape = {
    "verdict",
    "Gives the verdict.",
    "{\"type\":\"object\",\"properties\":{\"verdict\":{\"type\":\"string\",\"enum\":[\"pass\","
    "\"fail\","
    "\"unsure\"]},\"reason\":{\"type\":\"string\"},\"answer\":{\"type\":\"string\"}},\"required\":"
    "[\"verdict\",\"reason\",\"answer\"],\"additionalProperties\":false}",
};
static const model_shape review_shape = {
    "review",
    "Gives the verdict.",
    "{\"type\":\"object\",\"properties\":{\"verdict\":{\"type\":\"string\",\"enum\":[\"pass\","
    "\"fail\","
    "\"unsure\"]},\"reason\":{\"type\":\"string\"}},\"required\":[\"verdict\",\"reason\"],"
    "\"additionalProperties\":false}",
};
static const model_shape plan_shape = {
    "plan",
    "Gives the steps of the plan.",
    "{\"type\":\"object\",\"properties\":{\"steps\":{\"type\":\"array\",\"items\":{\"type\":"
    "\"string\"}}},"
    "\"required\":[\"steps\"],\"additionalProperties\":false}",
};

static const model_shape *shape_of(const run *r, model_use use)
{
    if (use == USE_CELL)
        return NULL;

    switch (r->at) {
    case SNUG_AGENT_STEP_PLAN:
        return &plan_shape;
    case SNUG_AGENT_STEP_EVALUATE:
        return &verdict_shape;
    case SNUG_AGENT_STEP_SCAN:
        return &review_shape;
    case SNUG_AGENT_STEP_GENERATE:
    case SNUG_AGENT_STEP_EXTRACT:
    case SNUG_AGENT_STEP_EXECUTE:
    case SNUG_AGENT_STEP_REPAIR:
    case SNUG_AGENT_STEP_IMPROVE:
    case SNUG_AGENT_STEP_REPLY:
    case SNUG_AGENT_STEP_END:
        break;
    }
    return NULL;
}

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
    return bytes / BYTES_PER_TOKEN;
}

/* Rounded up. A provider may count more tokens than fit. */
static uint64_t microdollars(double usd)
{
    return usd < 1e12 ? (uint64_t)(usd * 1e6 + 0.999999) : SNUG_UNLIMITED - 1;
}

/* Microdollars, rounded up; SNUG_UNLIMITED where there is no price. */
static uint64_t cost_of(const run *r, const char *name, uint64_t in, uint64_t out)
{
    const token_counts used = { .input = in, .output = out };
    double usd;
    if (prices_cost(&usd, r->agent->prices, name, &used) != SNUG_OK)
        return SNUG_UNLIMITED;
    return microdollars(usd);
}

static loop_outcome stop_at_cost(run *r)
{
    return run_stop(r, SNUG_AGENT_STATUS_BUDGET,
                    "the next request would cost more than what is left: %.6f of %.6f US dollars "
                    "are used; --max-cost allows more",
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
                        "%llu are used; --max-tokens allows more",
                        (unsigned long long)input, (unsigned long long)used,
                        (unsigned long long)all);

    if (*most > all - used - input) {
        *most = all - used - input;
        r->reply_bound = "--max-tokens";
    }
    return WENT;
}

static loop_outcome fit_cost(run *r, const char *name, uint64_t input, uint64_t *most)
{
    const uint64_t all = r->limits.cost_microusd;
    const uint64_t spent = microdollars(r->reply->cost_usd);

    if (all == SNUG_UNLIMITED)
        return WENT;

    const uint64_t asking = cost_of(r, name, input, 0);
    if (asking == SNUG_UNLIMITED || spent >= all || asking >= all - spent)
        return stop_at_cost(r);

    const uint64_t million = cost_of(r, name, 0, 1000000); /* of tokens in the reply */
    if (million == 0)
        return WENT;

    const double tokens = (double)(all - spent - asking) * 1e6 / (double)million;
    if (tokens < 1)
        return stop_at_cost(r);

    if (tokens < (double)*most) {
        *most = (uint64_t)tokens;
        r->reply_bound = "--max-cost";
    }
    return WENT;
}

/* Fits the reply's length into what is left: *most tokens. */
static loop_outcome fit_budget(run *r, const char *name, uint64_t input, uint64_t *most)
{
    *most = r->limits.reply_tokens;
    r->reply_bound = "--reply-tokens";

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

/* 1: the price is known. */
static int price_usage(double *usd, const run *r, const char *name, const model_usage *usage)
{
    const token_counts used = { .input = usage->input_tokens,
                                .cached = usage->cached_tokens,
                                .written = usage->written_tokens,
                                .output = usage->output_tokens };
    return prices_cost(usd, r->agent->prices, name, &used) == SNUG_OK;
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
    if (price_usage(&usd, r, name, usage))
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
    str event = event_begin(payload, "retry");
    json_put_word(&event, "reason", sentence);
    json_put_number(&event, "wait_ms", (double)wait_ms);
    event_send(payload, "retry", &event);
}

/* The request is sent again at once, for a longer reply. */
static void tell_longer(run *r, uint64_t had)
{
    char reason[80];
    str event = event_begin(r, "retry");

    snprintf(reason, sizeof reason, "the reply was cut at its %" PRIu64 " tokens", had);
    json_put_word(&event, "reason", reason);
    json_put_number(&event, "wait_ms", 0);
    json_put_number(&event, "reply_tokens", (double)r->limits.reply_tokens);
    event_send(r, "retry", &event);
}

/* What a request is for, in events. */
static const char *purpose_of(const run *r, model_use use)
{
    return r->at == SNUG_AGENT_STEP_SCAN ? "review" : use_names[use];
}

static void tell_request(run *r, model_use use, const char *name, uint64_t input)
{
    str event = event_begin(r, "generate");
    json_put_word(&event, "model", name);
    json_put_word(&event, "for", purpose_of(r, use));
    json_put_number(&event, "estimated_input_tokens", (double)input);
    event_send(r, "generate", &event);
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
    double usd;
    str event = event_begin(r, "generated");

    json_put_word(&event, "model", name);
    json_put_number(&event, "duration_ms", (double)ns / 1e6);
    json_put_number(&event, "requests", (double)said->usage.requests);
    if (is_cached)
        json_put_bool(&event, "cached", 1);
    json_put_number(&event, "input_tokens", (double)said->usage.input_tokens);
    json_put_number(&event, "output_tokens", (double)said->usage.output_tokens);
    if (!is_cached && price_usage(&usd, r, name, &said->usage))
        json_put_number(&event, "cost_usd", usd);
    if (said->fault) {
        json_put_word(&event, "fault", model_fault_name(said->fault));
        json_put_str(&event, "message", &said->sentence);
    } else
        json_put_word(&event, "stop", stop_name(said->stop));
    event_send(r, "generated", &event);
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

/* The model for that use, or the one that takes its place. */
static model *model_for(const run *r, model_use use)
{
    return r->agent->models[r->unavailable & 1u << use ? USE_FALLBACK : use];
}

/* A program is asked for by a system prompt; a plan and a judgement are not. */
static int wants_tools(const run *r, model_use use, const model_message *first)
{
    const snug_agent_calling calling = r->agent->options.calling;

    if (is_in_bash(r->agent) || first->role != MODEL_SYSTEM)
        return 0;
    if (use == USE_EVALUATION || use == USE_CELL || calling == SNUG_AGENT_CALLING_FENCE)
        return 0;
    if (calling == SNUG_AGENT_CALLING_TOOL)
        return 1;
    return r->mode == SNUG_AGENT_MODE_ACT && model_has_tools(model_for(r, use));
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

static loop_outcome ask_once(run *r, model_use use, reply_time time, const model_message *messages,
                             size_t count)
{
    const snug_agent_options *options = &r->agent->options;
    model *m = model_for(r, use);
    const char *name = model_name(m);
    const uint64_t input = estimate_tokens(messages, count) + r->image_count * TOKENS_OF_AN_IMAGE;
    int is_cached;

    model_request request = {
        .messages = messages,
        .message_count = count,
        .shape = shape_of(r, use),
        .images = r->images,
        .image_count = r->image_count,
        .temperature = options->temperature,
        .deadline_ns = r->deadline_ns,
        .on_retry = tell_retry,
        .payload = r,
    };

    if (options->on_event && !options->is_not_streaming && use != USE_CELL)
        request.on_text = tell_text;
    if (wants_tools(r, use, &messages[0])) {
        request.tools = &run_python;
        request.tool_count = 1;
    }

    loop_outcome outcome = fit_budget(r, name, input, &request.max_tokens);
    if (outcome != WENT)
        return outcome;

    r->reply_room = request.max_tokens;
    tell_request(r, use, name, input);
    watch_prompt(r, purpose_of(r, use), messages, count);
    model_reply_free(&r->said);

    const uint64_t start_ns = clock_now_ns();
    size_t span = trace_chat_begin(r, name, &request);
    int error = ask_or_recall(r, m, &request, &is_cached);
    trace_chat_end(r, span);
    if (error)
        return run_break(r, error);

    const uint64_t took_ns = clock_now_ns() - start_ns;
    if (time != TIMES)
        r->reply->time_ns[time] += took_ns;
    if (is_cached)
        r->reply->cached_requests++;
    else
        count_usage(r, name, &r->said.usage);

    tell_reply(r, name, took_ns, is_cached);
    watch_budget(r);
    return judge_reply(r);
}

/* ---- replies that were cut ---- */

static loop_outcome stop_cut(run *r, const char *name)
{
    const int is_thinking = r->said.text.len == 0 && r->said.thinking.len > 0;

    return run_stop(r, SNUG_AGENT_STATUS_BUDGET,
                    "the reply of %s did not fit in %" PRIu64 " tokens%s; %s allows more", name,
                    r->reply_room, is_thinking ? ", which were all thinking" : "", r->reply_bound);
}

/* Tokens of the reply that was cut; guessed where the provider does not count them. */
static uint64_t cut_tokens(const run *r)
{
    const model_reply *said = &r->said;
    const uint64_t guessed = (said->text.len + said->thinking.len) / BYTES_PER_TOKEN;

    return said->usage.output_tokens > 0 ? said->usage.output_tokens : guessed;
}

/* Whether something else than our limit cuts: with twice the room the reply had is no longer, and
 * both are well below it. */
static int is_cut_elsewhere(const run *r, uint64_t before)
{
    const uint64_t now = cut_tokens(r);

    return before > 0 && now > 0 && now <= before + before / 8 && now < r->reply_room / 4 * 3;
}

static loop_outcome stop_cut_elsewhere(run *r, const char *name)
{
    return run_stop(r, SNUG_AGENT_STATUS_BUDGET,
                    "the replies of %s are cut at about %" PRIu64
                    " tokens, whatever --reply-tokens allows: its server has a limit of its own",
                    name, cut_tokens(r));
}

/* Twice as many tokens for the replies from here on: MORE. STOPPED where that is too many. */
static loop_outcome lengthen(run *r, const char *name)
{
    const uint64_t had = r->limits.reply_tokens, longest = r->limits.longest_reply_tokens;

    if (r->reply_room < had || had >= longest)
        return stop_cut(r, name);

    r->limits.reply_tokens = had > longest / 2 ? longest : had * 2;
    tell_longer(r, had);
    return MORE;
}

/* A model may have a bound of its own, and refuse more. */
static loop_outcome stop_refused_length(run *r, const char *name, uint64_t had)
{
    return run_stop(r, SNUG_AGENT_STATUS_BUDGET,
                    "the reply of %s did not fit in %" PRIu64
                    " tokens (--reply-tokens), and it takes no more: %.500s",
                    name, had, str_text(&r->said.sentence));
}

static loop_outcome ask_whole(run *r, model_use use, reply_time time, const model_message *messages,
                              size_t count)
{
    const char *name = model_name(model_for(r, use));
    uint64_t had = 0;    /* tokens that the reply that was cut could have */
    uint64_t before = 0; /* and those that it had */

    /* A part of a reply is never taken for all of it. */
    for (;;) {
        loop_outcome outcome = ask_once(r, use, time, messages, count);
        if (outcome == STOPPED && had > 0 && r->said.fault == MODEL_BAD_REQUEST)
            return stop_refused_length(r, name, had);
        if (outcome != WENT || r->said.stop != MODEL_STOP_LENGTH)
            return outcome;

        if (is_cut_elsewhere(r, before))
            return stop_cut_elsewhere(r, name);

        had = r->reply_room;
        before = cut_tokens(r);
        outcome = lengthen(r, name);
        if (outcome != MORE)
            return outcome;
    }
}

/* ---- a model that is not available ---- */

/* Whether another model may do better: this one could not be asked, or refuses. */
static int can_fall_back(const run *r, model_use use)
{
    const model_reply *said = &r->said;

    if (r->agent->models[USE_FALLBACK] == model_for(r, use))
        return 0;
    switch (said->fault) {
    case MODEL_FINE:
        return said->stop == MODEL_STOP_REFUSAL;
    case MODEL_CANCELLED:
    case MODEL_PAST_DEADLINE:
        return 0;
    case MODEL_KEY_REFUSED:
    case MODEL_RATE_LIMITED:
    case MODEL_UNAVAILABLE:
    case MODEL_TIMED_OUT:
    case MODEL_BAD_REPLY:
    case MODEL_BAD_REQUEST:
    case MODEL_NO_QUOTA:
        break;
    }
    return 1;
}

/* For what this model is asked for in this question; one that has only refused is asked again. */
static void set_unavailable(run *r, model_use use)
{
    const model *gone = r->agent->models[use];

    for (int other = 0; other < USE_FALLBACK; other++)
        if (r->agent->models[other] == gone)
            r->unavailable |= 1u << other;
}

/* Forgets how the question ended, and tells why it goes on. */
static int fall_back(run *r, model_use use)
{
    snug_reply *reply = r->reply;
    const char *name = model_name(r->agent->models[USE_FALLBACK]);
    str event = event_begin(r, "fallback");

    json_put_word(&event, "model", name);
    json_put_word(&event, "instead_of", model_name(model_for(r, use)));
    json_put_str(&event, "reason", &reply->error);
    event_send(r, "fallback", &event);

    if (reply->fallback_model.len == 0 && (str_add(&reply->fallback_model, name) ||
                                           str_add_str(&reply->fallback_reason, &reply->error) ||
                                           str_printf(&reply->models, ", %s", name)))
        return error_no_memory();

    set_unavailable(r, use);
    reply->status = SNUG_AGENT_STATUS_TERMINAL_ERROR; /* until it is answered */
    str_clear(&reply->error);
    return SNUG_OK;
}

loop_outcome request_ask(run *r, model_use use, reply_time time, const model_message *messages,
                         size_t count)
{
    model_reply_free(&r->said);
    loop_outcome outcome = ask_whole(r, use, time, messages, count);
    if (outcome != STOPPED || !can_fall_back(r, use))
        return outcome;

    const unsigned unavailable = r->said.fault ? ~0u : r->unavailable;
    int error = fall_back(r, use);
    if (error)
        return run_break(r, error);

    outcome = ask_whole(r, use, time, messages, count);
    r->unavailable &= unavailable; /* a refusal is of this request only */
    return outcome;
}
