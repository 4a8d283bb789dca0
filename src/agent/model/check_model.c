/*
 * check_model.c - snug_agent_check_model, snug_agent_try_model: is that a model, and does it
 * answer?
 */
#include <snug/agent.h>

#include "agent/model/model.h"
#include "agent/model/provider.h"
#include "base/clock.h"
#include "base/error.h"

enum { USUAL_MS = 30000, MOST_REPLY_BYTES = 1 << 20 };

int snug_agent_check_model(const char *name)
{
    const provider *found;
    const char *rest;

    if (!name)
        return error_set(SNUG_EINVAL, "snug_agent_check_model: name is NULL");
    return provider_find(&found, &rest, name);
}

const char *snug_agent_key_variable(size_t index)
{
    const provider *p = provider_at(index);
    return p ? p->key_variable : NULL;
}

/* As few tokens as all providers take. */
static int ask_shortly(model *m, uint64_t timeout_ms)
{
    model_message message = { .role = MODEL_USER };
    model_reply reply = { 0 };
    int error = str_add(&message.text, "Say yes.") ? error_no_memory() : SNUG_OK;
    const model_request request = { .messages = &message,
                                    .message_count = 1,
                                    .temperature = -1,
                                    .max_tokens = 16,
                                    .deadline_ns = clock_deadline_ns(clock_now_ns(), timeout_ms) };

    if (!error && model_ask(&reply, m, &request))
        error = error_no_memory();
    if (!error && reply.fault != MODEL_FINE)
        error = error_set(SNUG_ESYSTEM, "%s", str_text(&reply.sentence));
    model_reply_free(&reply);
    str_free(&message.text);
    return error;
}

int snug_agent_try_model(const snug_agent_options *o, uint64_t timeout_ms)
{
    model *m;

    if (!o || !o->model)
        return error_set(SNUG_EINVAL, "snug_agent_try_model: no model is named");
    if (timeout_ms == 0)
        timeout_ms = USUAL_MS;

    const model_options options = { .name = o->model,
                                    .base_url = o->base_url,
                                    .key_file = o->key_file,
                                    .request_fields = o->request_fields,
                                    .headers = o->headers,
                                    .connect_ms = timeout_ms,
                                    .total_ms = timeout_ms,
                                    .reply_bytes = MOST_REPLY_BYTES };
    int error = model_open(&m, &options);
    if (error)
        return error;
    error = ask_shortly(m, timeout_ms);
    model_close(m);
    return error;
}
