/*
 * ask.c - snug_agent_ask: the frame around a question.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/loop/loop.h"
#include "agent/prompt/prompt.h"
#include "agent/store/library.h"
#include "agent/store/retrieve.h"
#include "agent/trace/trace.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/options.h"

/* r becomes the question under way; NULL: there is no question any more. SNUG_EBUSY where there is
 * another one. */
static int set_run(snug_agent *agent, run *r)
{
    pthread_mutex_lock(&agent->lock);
    const int is_busy = r && agent->is_asking;
    if (!is_busy) {
        agent->is_asking = r != NULL;
        agent->run = r;
        agent->asker = pthread_self();
        atomic_store(&agent->is_cancelled, 0);
        for (int use = 0; use < USES; use++)
            model_resume(agent->models[use]);
        library_resume(agent->library);
    }

    pthread_mutex_unlock(&agent->lock);

    if (is_busy)
        return agent_fail_busy();
    return SNUG_OK;
}

/* A session that the last question lost is opened again. */
static int renew_lost_session(run *r)
{
    snug_session *session = r->agent->session;
    snug_result *result;
    int error = snug_session_run_aside(&result, session, "", 0, NULL);

    if (!error)
        snug_result_free(result);
    if (error != SNUG_EDEAD)
        return error;

    r->is_renewed = 1;
    r->reply->is_renewed = 1;
    return snug_session_reset(session);
}

static int work_on_question(run *r)
{
    int error = renew_lost_session(r);

    if (!error)
        error = reuse_catch_up(r);
    if (!error && r->mode == SNUG_AGENT_MODE_ACT)
        error = is_in_bash(r->agent) ? act_bash_bind(r) : act_bind(r->agent);
    if (!error)
        undo_keep_way_back(r->agent);
    if (!error)
        error = inputs_bind(r);
    r->ready_ns = outputs_clock_ns();
    if (!error)
        error = retrieve_find(r);
    if (!error && history_fit(r) == BROKEN)
        error = r->error;
    if (!error)
        error = loop_run(r);
    if (!error)
        error = outputs_collect(r);

    if (!error && r->has_checkpoint)
        snug_session_forget_checkpoint(r->agent->session);
    return error;
}

/* "openai:gpt-4o-mini, ollama:qwen3"; a model that has two uses is named once. */
static int name_models(str *out, const snug_agent *agent)
{
    /* The fallback is named when it is asked. */
    for (int use = 0; use < USE_FALLBACK; use++)
        if (!agent_model_has_earlier_use(agent, use))
            str_printf(out, "%s%s", use > 0 ? ", " : "", model_name(agent->models[use]));
    return str_error(out);
}

/* language: that the caller has named, or NULL. NULL if memory ran out. */
static snug_reply *make_reply(const snug_agent *agent, const char *text, const char *language)
{
    const char *fallback = snug_host_fallback(agent->host);
    snug_reply *reply = calloc(1, sizeof *reply);
    if (!reply)
        return NULL;

    pthread_mutex_init(&reply->lock, NULL);
    reply->status = SNUG_AGENT_STATUS_TERMINAL_ERROR; /* until it is answered */
    /* Until a model without a price is asked. */
    reply->has_cost = prices_have(agent->prices, model_name(agent->models[USE_CODE]));
    reply->is_in_bash = is_in_bash(agent);
    reply->has_no_history = agent->options.has_no_history;
    reply->has_no_metrics = agent->options.has_no_metrics;
    reply->has_debug_info = agent->options.has_debug_info;

    if (!name_models(&reply->models, agent) && !str_add(&reply->question, text) &&
        !str_add(&reply->session, snug_session_name(agent->session)) &&
        !str_add(&reply->fallback, fallback ? fallback : "") &&
        !str_add(&reply->language, language ? language : ""))
        return reply;
    snug_reply_free(reply);
    return NULL;
}

/* A question that cannot be sent is answered at once. */
static int refuse_question(snug_reply **out, const snug_agent *agent, const char *text)
{
    snug_reply *reply = make_reply(agent, text, NULL);
    if (!reply || str_add(&reply->error, error_message())) {
        snug_reply_free(reply);
        return error_no_memory();
    }

    reply->status = SNUG_AGENT_STATUS_REFUSED;
    *out = reply;
    return SNUG_OK;
}

/* What the question has used, where a model was asked. */
static void tell_total(const run *r)
{
    const snug_reply *reply = r->reply;

    if (reply->requests == 0 && reply->cached_requests == 0)
        return;
    str event = event_begin(r, "total");
    json_put_number(&event, "requests", (double)reply->requests);
    json_put_number(&event, "input_tokens", (double)reply->input_tokens);
    json_put_number(&event, "output_tokens", (double)reply->output_tokens);
    if (reply->cell_calls > 0)
        json_put_number(&event, "model_calls", (double)reply->cell_calls);
    json_put_bool(&event, "estimated", reply->is_estimated);
    json_put_number(&event, "seconds", (double)(reply->total_ns / NS_PER_MS) / 1000);
    if (reply->has_cost)
        json_put_number(&event, "cost_usd", reply->cost_usd);
    event_send(r, "total", &event);
}

/* From the trace's first span to its last. */
static int answer_question(run *r)
{
    trace_begin(r);
    r->agent->has_way_back = 0;
    int error = work_on_question(r);
    if (!error)
        error = watch_keep_talk(r);
    if (!error && !r->reply->wants_bash) { /* the next questions' prompts tell of this one */
        turn *t = agent_add_turn(r->agent);
        error = !t || turn_take(t, r) ? error_no_memory() : SNUG_OK;
    }
    if (!error) {
        retrieve_keep(r);
        conversation_store(r);
    }

    r->reply->total_ns = clock_now_ns() - r->started_ns;
    if (!error)
        tell_total(r);
    else
        r->agent->has_way_back = 0;
    trace_end(r, error);
    return error;
}

int snug_agent_ask(snug_reply **out, snug_agent *agent, const char *text,
                   const snug_agent_ask_options *options)
{
    snug_agent_ask_options o;
    question asked;

    if (!out)
        return error_set(SNUG_EINVAL, "snug_agent_ask: out is NULL");
    if (!agent)
        return error_set(SNUG_EINVAL, "snug_agent_ask: agent is NULL");
    if (!text)
        return error_set(SNUG_EINVAL, "snug_agent_ask: question is NULL");
    if (!forked_is_process(agent->process))
        return forked_refuse("snug_agent_ask");

    int error = options_take(&o, sizeof o, options, "snug_agent_ask_options");
    if (!error)
        error = question_prepare(&asked, agent, text, &o);
    if (error)
        return error;
    if (asked.refused)
        return refuse_question(out, agent, asked.refused);

    snug_reply *reply = make_reply(agent, text, o.language);
    if (!reply)
        return error_no_memory();

    const uint64_t now_ns = clock_now_ns();
    run r = { .agent = agent,
              .question = text,
              .options = &o,
              .language = o.language,
              .mode = asked.mode,
              .limits = asked.limits,
              .reply = reply,
              .at = SNUG_AGENT_STEP_END, /* none yet */
              .started_ns = now_ns,
              .deadline_ns = clock_deadline_ns(now_ns, asked.limits.wall_ms) };

    error = images_read(&r);
    if (!error)
        error = set_run(agent, &r);
    if (!error) {
        error = answer_question(&r);
        set_run(agent, NULL);
    }

    run_free(&r);

    if (error) {
        snug_reply_free(reply);
        return error;
    }

    *out = reply;
    return SNUG_OK;
}
