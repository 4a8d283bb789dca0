/*
 * models.c - the models of an agent, one for each use.
 */
#include "agent/loop/loop.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"

enum {
    MOST_RETRIES = 100,
    /* A model that is loaded from a disk and reads its prompt on a processor. Where no time until
     * the first token was set. */
    LOCAL_FIRST_TOKEN_MS = 300000
};

/* ---- opening ---- */

/* A server and a key are those of a provider, whatever its models are used for. */
static int has_same_provider(const char *a, const char *b)
{
    size_t len = strcspn(a, ":");
    return strcspn(b, ":") == len && memcmp(a, b, len) == 0;
}

/* The limits as the caller gave them: 0 where none was set. */
static snug_agent_limits limits_given(const snug_agent_options *o)
{
    snug_agent_limits given;
    if (options_take(&given, sizeof given, o->limits, "snug_agent_limits"))
        return (snug_agent_limits)SNUG_AGENT_LIMITS_INIT;
    return given;
}

static int open_model(model **out, const snug_agent_limits *limits, const snug_agent_options *o,
                      const char *name, int has_main_provider)
{
    model_options options = {
        .name = name,
        .is_streaming = !o->is_not_streaming,
        .connect_ms = limits->connect_ms,
        .first_token_ms = limits->first_token_ms,
        .idle_ms = limits->idle_ms,
        .total_ms = limits->request_ms,
        .retries = MOST_RETRIES,
        .reply_bytes = limits->reply_bytes,
        .backoff_ms = 500,
        .longest_wait_ms = 60000,
    };

    if (limits_given(o).first_token_ms == 0)
        options.local_first_token_ms = LOCAL_FIRST_TOKEN_MS;
    if (limits->retries < MOST_RETRIES)
        options.retries = (unsigned)limits->retries;
    if (limits->retries == SNUG_AGENT_NO_RETRIES)
        options.retries = 0;
    if (has_main_provider) {
        options.base_url = o->base_url;
        options.key_file = o->key_file;
        options.request_fields = o->request_fields;
        options.headers = o->headers;
    }

    return model_open(out, &options);
}

int models_open(model **out, const snug_agent_limits *limits, const snug_agent_options *o)
{
    const char *main = o->model ? o->model : getenv("SNUG_MODEL");
    if (!main || !*main)
        return error_set(SNUG_EINVAL, "no model is named: set SNUG_MODEL or the option, as "
                                      "\"openai:gpt-4o-mini\" or \"ollama:qwen3\"");

    const char *names[USES] = {
        [USE_CODE] = main,
        [USE_EVALUATION] = o->evaluation_model ? o->evaluation_model : main,
        [USE_REPAIR] = o->repair_model ? o->repair_model : main,
        [USE_CELL] = o->asks_model && o->asked_model ? o->asked_model : main,
        [USE_FALLBACK] = o->fallback_model ? o->fallback_model : main,
    };
    for (int use = 0; use < USES; use++) {
        for (int earlier = 0; earlier < use; earlier++)
            if (strcmp(names[earlier], names[use]) == 0)
                out[use] = out[earlier];
        if (out[use])
            continue;

        int error =
            open_model(&out[use], limits, o, names[use], has_same_provider(main, names[use]));
        if (error)
            return error;
    }

    return SNUG_OK;
}

void models_close(model **models)
{
    for (int use = USES - 1; use >= 0; use--) {
        int is_closed_later = 0;
        for (int earlier = 0; earlier < use; earlier++)
            is_closed_later |= models[earlier] == models[use];
        if (!is_closed_later)
            model_close(models[use]);
    }
}

static int fail_without_price(const char *name, const char *prices_file)
{
    if (!prices_file)
        return error_set(
            SNUG_EINVAL,
            "a limit of cost needs a price for %s: none is built in, and no price table is "
            "given (--prices)",
            name);
    return error_set(SNUG_EINVAL,
                     "a limit of cost needs a price for %s: none is built in, and %s has none",
                     name, prices_file);
}

/* A limit of cost needs those of all models. */
static int check_prices(const snug_agent *agent, model **models, const char *prices_file)
{
    if (agent->limits.cost_microusd == SNUG_UNLIMITED)
        return SNUG_OK;

    for (int use = 0; use < USES; use++) {
        const char *name = model_name(models[use]);
        if (!prices_have(agent->prices, name))
            return fail_without_price(name, prices_file);
    }

    return SNUG_OK;
}

int models_open_prices(snug_agent *agent, const snug_agent_options *o)
{
    int error = SNUG_OK;

    if (o->prices_file)
        error = prices_open(&agent->prices, o->prices_file);
    if (!error)
        error = check_prices(agent, agent->models, o->prices_file);
    return error;
}

/* ---- other ones ---- */

int snug_agent_set_models(snug_agent *agent, const snug_agent_options *options)
{
    model *opened[USES] = { 0 };
    snug_agent_options o;
    int error = agent_check_idle(agent, "snug_agent_set_models");

    if (!error && !options)
        error = error_set(SNUG_EINVAL, "snug_agent_set_models: options is NULL");
    if (!error)
        error = options_take(&o, sizeof o, options, "snug_agent_options");
    if (error)
        return error;

    o.is_not_streaming = agent->options.is_not_streaming;
    o.asks_model = agent->options.asks_model;
    error = models_open(opened, &agent->limits, &o);
    if (!error)
        error = check_prices(agent, opened, o.prices_file);
    if (error) {
        models_close(opened);
        return error;
    }

    pthread_mutex_lock(&agent->lock);
    models_close(agent->models);
    memcpy(agent->models, opened, sizeof opened);
    pthread_mutex_unlock(&agent->lock);
    return SNUG_OK;
}
