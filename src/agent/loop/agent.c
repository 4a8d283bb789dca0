/*
 * agent.c - an agent's life, and the frame around a question.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/loop/act.h"
#include "agent/loop/agent_limits.h"
#include "agent/loop/inputs.h"
#include "agent/loop/question.h"
#include "agent/loop/reuse.h"
#include "agent/prompt/conversation.h"
#include "agent/prompt/prompt.h"
#include "agent/run/run.h"
#include "agent/store/cache.h"
#include "agent/store/database.h"
#include "agent/store/library.h"
#include "agent/store/retrieve.h"
#include "agent/text/language.h"
#include "agent/trace/step_events.h"
#include "agent/trace/trace.h"
#include "agent/trace/tracer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"

/* ---- the session's callbacks ------------------------------------------------------ */

static void pass_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    snug_agent *agent = payload;
    if (agent->is_catching_up)
        return;
    cJSON *event = agent->run ? event_begin(agent->run, "output") : NULL;
    if (event) {
        json_add_text(event, "stream", stream == SNUG_STDOUT ? "stdout" : "stderr");
        json_add_text_len(event, "text", text, len);
    }
    if (agent->run)
        event_send(agent->run, event);
    if (agent->on_output)
        agent->on_output(agent->session_payload, stream, text, len);
}

static void pass_display(void *payload, snug_display_event event, const snug_display *display)
{
    snug_agent *agent = payload;
    if (agent->is_catching_up)
        return;
    cJSON *told = agent->run ? event_begin(agent->run, "display") : NULL;
    cJSON *data = told && display ? json_add_object(told, "data") : NULL;
    for (size_t i = 0; data && i < display->part_count; i++) {
        const snug_mime *part = &display->parts[i];
        if (part->is_json)
            json_add_raw(data, part->type, part->data);
        else
            json_add_text_len(data, part->type, part->data, part->len);
    }
    if (agent->run)
        event_send(agent->run, told);
    if (agent->on_display)
        agent->on_display(agent->session_payload, event, display);
}

static void pass_input(void *payload, snug_call *call, const char *prompt)
{
    snug_agent *agent = payload;
    agent->on_input(agent->session_payload, call, prompt);
}

/* ---- open -------------------------------------------------------------------------- */

static int copy_allow(snug_agent *agent, const char *const *allow)
{
    size_t count = 0;
    while (allow && allow[count])
        count++;
    if (count > 0 && !(agent->allow = calloc(count + 1, sizeof *agent->allow)))
        return error_no_memory();
    for (size_t i = 0; i < count; i++)
        if (!(agent->allow[i] = strdup(allow[i])))
            return error_no_memory();
    return SNUG_OK;
}

static int open_session(snug_agent *agent, const snug_session_options *wanted)
{
    snug_session_options options = SNUG_SESSION_OPTIONS_INIT;
    if (wanted)
        options = *wanted;
    if (options.profile && !(agent->profile = strdup(options.profile)))
        return error_no_memory();
    int error = copy_allow(agent, options.allow);
    if (error)
        return error;
    agent->is_private = !options.workdir && options.mount_count == 0;
    agent->on_output = options.on_output;
    agent->on_display = options.on_display;
    agent->on_input = options.on_input;
    agent->session_payload = options.payload;
    options.payload = agent;
    options.on_output = pass_output;
    options.on_display = pass_display;
    options.on_input = options.on_input ? pass_input : NULL;
    if ((error = snug_session_open(&agent->session, agent->host, &options)))
        return error;
    for (size_t i = 0; snug_limit_info(i); i++) {
        uint64_t *limit = (uint64_t *)(void *)&agent->cell_limits + i;
        const uint64_t *given = (const uint64_t *)(const void *)&options.limits + i;
        *limit = *given ? *given : snug_limit_info(i)->default_value;
    }
    if (is_in_bash(agent) && (agent->options.has_rollback || agent->options.conversation_file))
        return error_set(SNUG_EINVAL, "a session of bash can neither be saved nor go back");
    return is_in_bash(agent) ? SNUG_OK : digest_modules(&agent->modules, agent->session);
}

/* A server and a key are those of a provider, whatever its models are used for. */
static int has_same_provider(const char *a, const char *b)
{
    size_t len = strcspn(a, ":");
    return strcspn(b, ":") == len && memcmp(a, b, len) == 0;
}

/* The model for each use; one that is named twice is one. */
static int open_models(snug_agent *agent, const snug_agent_options *o)
{
    const char *main = o->model ? o->model : getenv("SNUG_MODEL");
    if (!main || !*main)
        return error_set(SNUG_EINVAL, "no model is named: set SNUG_MODEL or the option, as "
                                      "\"openai:gpt-4o-mini\" or \"ollama:qwen3\"");
    const char *names[USES] = {
        [USE_CODE] = main,
        [USE_EVALUATION] = o->evaluation_model ? o->evaluation_model : main,
        [USE_REPAIR] = o->repair_model ? o->repair_model : main,
    };
    const snug_agent_limits *l = &agent->limits;
    for (int use = 0; use < USES; use++) {
        for (int before = 0; before < use; before++)
            if (strcmp(names[before], names[use]) == 0)
                agent->models[use] = agent->models[before];
        if (agent->models[use])
            continue;
        const int is_main = has_same_provider(main, names[use]);
        const model_options options = {
            .name = names[use],
            .base_url = is_main ? o->base_url : NULL,
            .key_file = is_main ? o->key_file : NULL,
            .is_streaming = !o->is_not_streaming,
            .connect_ms = l->connect_ms,
            .first_token_ms = l->first_token_ms,
            .idle_ms = l->idle_ms,
            .total_ms = l->request_ms,
            .retries = (unsigned)(l->retries < 100 ? l->retries : 100),
            .reply_bytes = l->reply_bytes,
            .backoff_ms = 500,
            .longest_wait_ms = 60000,
        };
        int error = model_open(&agent->models[use], &options);
        if (error)
            return error;
    }
    return SNUG_OK;
}

static int open_prices(snug_agent *agent, const snug_agent_options *o)
{
    double usd;
    int error = o->prices_file ? prices_open(&agent->prices, o->prices_file) : SNUG_OK;
    if (error || agent->limits.cost_microusd == SNUG_UNLIMITED)
        return error;
    for (int use = 0; use < USES; use++)
        if (prices_cost(&usd, agent->prices, model_name(agent->models[use]), 0, 0, 0) != SNUG_OK)
            return error_set(SNUG_EINVAL, "a limit of cost needs a price for %s, and %s has none",
                             model_name(agent->models[use]),
                             o->prices_file ? o->prices_file : "there is no price table, which");
    return SNUG_OK;
}

static int check_options(const snug_agent_options *o)
{
    if (o->size != sizeof *o)
        return error_set(SNUG_EINVAL,
                         "snug_agent_options is %zu bytes for the caller, %zu here: start from "
                         "SNUG_AGENT_OPTIONS_INIT",
                         o->size, sizeof *o);
    if ((int)o->mode < 0 || o->mode > SNUG_MODE_PLAN)
        return error_set(SNUG_EINVAL, "mode %d is none of snug_mode", (int)o->mode);
    if ((int)o->focus < 0 || o->focus > SNUG_FOCUS_ROBUSTNESS)
        return error_set(SNUG_EINVAL, "focus %d is none of snug_focus", (int)o->focus);
    if (!(o->temperature <= 2))
        return error_set(SNUG_EINVAL, "temperature %g is more than 2", o->temperature);
    return SNUG_OK;
}

int snug_agent_open(snug_agent **out, snug_host *host, const snug_agent_options *options)
{
    static const snug_agent_options defaults = SNUG_AGENT_OPTIONS_INIT;
    const snug_agent_options *o = options ? options : &defaults;
    if (!out || !host)
        return error_set(SNUG_EINVAL, "snug_agent_open: %s is NULL", out ? "host" : "out");
    int error = check_options(o);
    if (error)
        return error;
    snug_agent *agent = calloc(1, sizeof *agent);
    if (!agent)
        return error_no_memory();
    pthread_mutex_init(&agent->lock, NULL);
    agent->host = host;
    agent->limits = bounds_resolve(&o->limits, NULL);
    agent->options = *o;
    if ((error =
             template_set_open(&agent->templates, o->prompts_dir, o->prompts, o->prompt_count)) ||
        (error = open_models(agent, o)) || (error = open_prices(agent, o)) ||
        (error = tracer_open(&agent->tracer, o)) || (error = open_session(agent, o->session)) ||
        (o->conversation_file && (error = memory_open(agent, o->conversation_file))) ||
        (error = retrieve_open(agent, o)) || (error = cache_open(agent, o))) {
        snug_agent_close(agent);
        return error;
    }
    /* What the caller's pointers name has been copied or used. */
    agent->options.model = agent->options.evaluation_model = agent->options.repair_model = NULL;
    agent->options.base_url = agent->options.key_file = agent->options.prices_file = NULL;
    agent->options.prompts_dir = agent->options.conversation_file = NULL;
    agent->options.library_file = agent->options.embedding_model = NULL;
    agent->options.cache_file = agent->options.trace_file = agent->options.trace_url = NULL;
    agent->options.prompts = NULL;
    agent->options.session = NULL;
    *out = agent;
    return SNUG_OK;
}

void snug_agent_close(snug_agent *agent)
{
    if (!agent)
        return;
    snug_session_close(agent->session);
    for (int use = USES - 1; use >= 0; use--) {
        int is_shared = 0;
        for (int before = 0; before < use; before++)
            is_shared |= agent->models[before] == agent->models[use];
        if (!is_shared)
            model_close(agent->models[use]);
    }
    template_set_close(agent->templates);
    tracer_close(agent->tracer);
    prices_close(agent->prices);
    memory_close(agent);
    snug_library_close(agent->library);
    database_close(agent->cache);
    str_free(&agent->unrun);
    for (size_t i = 0; agent->allow && agent->allow[i]; i++)
        free(agent->allow[i]);
    free(agent->allow);
    free(agent->profile);
    str_free(&agent->modules);
    str_free(&agent->tools);
    pthread_mutex_destroy(&agent->lock);
    free(agent);
}

snug_session *snug_agent_session(snug_agent *agent)
{
    return agent ? agent->session : NULL;
}

int snug_agent_bind(snug_agent *agent, const snug_tool *tool)
{
    if (!agent)
        return error_set(SNUG_EINVAL, "snug_agent_bind: agent is NULL");
    if (tool && tool->name && strcmp(tool->name, "final_answer") == 0)
        return error_set(SNUG_EINVAL, "tool final_answer: the name is that of the agent's own");
    int error = snug_session_bind(agent->session, tool);
    if (error)
        return error;
    const char *doc = tool->doc ? tool->doc : "";
    return str_printf(&agent->tools, "- %s%s(%s)%s%.*s\n", tool->is_async ? "await " : "",
                      tool->name, tool->signature ? tool->signature : "**arguments",
                      *doc ? ": " : "", (int)strcspn(doc, "\n"), doc)
               ? error_no_memory()
               : SNUG_OK;
}

/* ---- one question at a time --------------------------------------------------------- */

static int fail_busy(void)
{
    return error_set(SNUG_EBUSY, "the agent is at work on a question");
}

static int is_busy(snug_agent *agent)
{
    pthread_mutex_lock(&agent->lock);
    const int is_asking = agent->is_asking;
    pthread_mutex_unlock(&agent->lock);
    return is_asking;
}

int snug_agent_reset(snug_agent *agent)
{
    if (!agent)
        return error_set(SNUG_EINVAL, "snug_agent_reset: agent is NULL");
    if (is_busy(agent))
        return fail_busy();
    int error = memory_forget(agent);
    if (error)
        return error;
    str_clear(&agent->unrun);
    return snug_session_reset(agent->session);
}

/* ---- cancelling ---------------------------------------------------------------------- */

void snug_agent_cancel(snug_agent *agent)
{
    if (!agent)
        return;
    pthread_mutex_lock(&agent->lock);
    if (agent->is_asking) {
        atomic_store(&agent->is_cancelled, 1);
        for (int use = 0; use < USES; use++)
            model_cancel(agent->models[use]);
        library_cancel(agent->library);
        /* An interrupt that comes before the cell is no good: it is sent until the cell ends. A
         * callback of the cell's has none to wait for: its cell runs, and waits for it. */
        const struct timespec pause = { 0, 1000000 };
        const int is_callback = pthread_equal(agent->asker, pthread_self());
        while (atomic_load(&agent->is_executing)) {
            snug_session_interrupt(agent->session);
            if (is_callback)
                break;
            nanosleep(&pause, NULL);
        }
    }
    pthread_mutex_unlock(&agent->lock);
}

/* What is left of the question's time, where that is less than a cell has. */
static snug_limits limits_left(const run *r)
{
    snug_limits limits = { 0 };
    uint64_t now_ns = clock_now_ns();
    uint64_t left_ms = r->deadline_ns > now_ns ? (r->deadline_ns - now_ns) / NS_PER_MS + 1 : 1;
    limits.wall_ms = left_ms < r->agent->cell_limits.wall_ms ? left_ms : 0;
    return limits;
}

int run_cell(snug_result **out, run *r, const char *source, size_t len, int is_aside)
{
    snug_agent *agent = r->agent;
    const snug_limits limits = limits_left(r);
    int error = SNUG_OK;
    *out = NULL;
    atomic_store(&agent->is_executing, 1);
    if (!atomic_load(&agent->is_cancelled))
        error = is_aside ? snug_session_run_aside(out, agent->session, source, len, &limits)
                         : snug_session_run(out, agent->session, source, len, &limits);
    atomic_store(&agent->is_executing, 0);
    return error;
}

/* SNUG_EBUSY where a question is under way that is not r. NULL: there is none any more. */
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
    return is_busy ? fail_busy() : SNUG_OK;
}

/* ---- asking ---------------------------------------------------------------------------- */

void run_free(run *r)
{
    if (r->has_code)
        extracted_free(&r->code);
    if (r->has_verdict)
        verdict_free(&r->verdict);
    model_reply_free(&r->said);
    plan_free(&r->plan);
    trials_free(&r->trials);
    for (size_t i = 0; i < r->message_count; i++)
        model_message_free(&r->messages[i]);
    free(r->messages);
    act_forget_calls(r);
    str *texts[] = { &r->failure.category,
                     &r->failure.sentence,
                     &r->failure.traceback,
                     &r->failure.hint,
                     &r->failure.findings,
                     &r->changed,
                     &r->inputs,
                     &r->context,
                     &r->data,
                     &r->reuse_key,
                     &r->done,
                     &r->failing,
                     &r->final_answer };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        str_free(texts[i]);
}

int run_hide_keys(const run *r, str *text)
{
    int error = SNUG_OK;
    for (int use = 0; use < USES && !error; use++)
        error = model_hide_key(r->agent->models[use], text);
    return error;
}

static int check_ask(const snug_ask_options *o, snug_mode mode)
{
    regex_t pattern;
    const char *programs = o->program_language;
    if (o->size != sizeof *o)
        return error_set(SNUG_EINVAL,
                         "snug_ask_options is %zu bytes for the caller, %zu here: start from "
                         "SNUG_ASK_OPTIONS_INIT",
                         o->size, sizeof *o);
    if (o->mode && ((int)*o->mode < 0 || *o->mode > SNUG_MODE_PLAN))
        return error_set(SNUG_EINVAL, "mode %d is none of snug_mode", (int)*o->mode);
    if (programs && strcmp(programs, "python") != 0 && strcmp(programs, "bash") != 0 &&
        strcmp(programs, "auto") != 0)
        return error_set(SNUG_EINVAL, "program_language \"%.100s\": expected python, bash or auto",
                         programs);
    if (o->code && mode != SNUG_MODE_SOLVE)
        return error_set(SNUG_EINVAL, "a program that is given is for the mode solve");
    if (o->code && !*o->code)
        return error_set(SNUG_EINVAL, "the program that is given is empty");
    size_t at;
    if (o->code && utf8_check(o->code, strlen(o->code), &at) != UTF8_FINE)
        return error_set(SNUG_EINVAL, "the program that is given is no UTF-8: 0x%02x at byte %zu",
                         (unsigned)(unsigned char)o->code[at], at + 1);
    if (o->expect) {
        int fault = regcomp(&pattern, o->expect, REG_EXTENDED | REG_NOSUB);
        if (fault) {
            char why[200];
            regerror(fault, &pattern, why, sizeof why);
            return error_set(SNUG_EINVAL, "expect is no extended regular expression: %s: %.200s",
                             why, o->expect);
        }
        regfree(&pattern);
    }
    return SNUG_OK;
}

/* A session that the last question lost begins anew. */
static int renew(run *r)
{
    snug_session *session = r->agent->session;
    snug_result *result;
    int error = snug_session_run_aside(&result, session, "", 0, NULL);
    if (!error)
        snug_result_free(result);
    if (error != SNUG_EDEAD)
        return error;
    r->is_renewed = r->reply->is_renewed = 1;
    return snug_session_reset(session);
}

static int keep_turn(snug_agent *agent, const snug_reply *reply)
{
    turn *grown = realloc(agent->turns, (agent->turn_count + 1) * sizeof *grown);
    const attempt *last = reply_best(reply);
    if (!grown)
        return error_no_memory();
    agent->turns = grown;
    turn *t = &grown[agent->turn_count++];
    *t = (turn){ 0 };
    const str *answer = reply->answer.len > 0 ? &reply->answer : &reply->error;
    if (str_append(&t->question, str_text(&reply->question), reply->question.len) ||
        (last && (str_append(&t->code, str_text(&last->code), last->code.len) ||
                  str_append(&t->output, str_text(&last->output), last->output.len))) ||
        str_append(&t->answer, str_text(answer), answer->len))
        return error_no_memory();
    return SNUG_OK;
}

static int work(run *r)
{
    int error = renew(r);
    if (!error)
        error = reuse_catch_up(r);
    if (!error && r->mode == SNUG_MODE_ACT)
        error = act_bind(r->agent);
    if (!error)
        error = inputs_bind(r);
    if (!error)
        error = retrieve(r);
    if (!error && memory_fit(r) == BROKEN)
        error = r->error;
    if (!error)
        error = loop_run(r);
    if (r->has_checkpoint && !error)
        snug_session_forget_checkpoint(r->agent->session);
    return error;
}

static int name_models(snug_reply *reply, const snug_agent *agent)
{
    int error = SNUG_OK;
    for (int use = 0; use < USES && !error; use++) {
        int is_named = 0;
        for (int before = 0; before < use; before++)
            is_named |= agent->models[before] == agent->models[use];
        if (!is_named)
            error =
                str_printf(&reply->models, "%s%s", use ? ", " : "", model_name(agent->models[use]));
    }
    return error;
}

static snug_reply *make_reply(const snug_agent *agent, const char *question, const char *code)
{
    const char *why = snug_host_fallback(agent->host);
    snug_reply *reply = calloc(1, sizeof *reply);
    if (!reply)
        return NULL;
    reply->status = SNUG_REPLY_TERMINAL_ERROR; /* until it is answered */
    reply->has_cost = agent->prices != NULL;
    reply->has_no_history = agent->options.has_no_history;
    reply->has_no_metrics = agent->options.has_no_metrics;
    reply->has_debug_info = agent->options.has_debug_info;
    if (name_models(reply, agent) || str_add(&reply->question, question) ||
        str_add(&reply->session, snug_session_name(agent->session)) ||
        str_add(&reply->fallback, why ? why : "") || (code && str_add(&reply->language, code))) {
        snug_reply_free(reply);
        return NULL;
    }
    return reply;
}

/* A question that can not be sent is answered at once. */
static int refuse(snug_reply **out, const snug_agent *agent, const char *question)
{
    snug_reply *reply = make_reply(agent, question, NULL);
    if (!reply || str_add(&reply->error, error_message())) {
        snug_reply_free(reply);
        return error_no_memory();
    }
    reply->status = SNUG_REPLY_REFUSED;
    *out = reply;
    return SNUG_OK;
}

/* A session runs one of the two. */
static int check_program_language(const snug_agent *agent, const char *question,
                                  const snug_ask_options *o)
{
    const char *wanted = o->program_language ? o->program_language : "auto";
    const int is_auto = strcmp(wanted, "auto") == 0;
    if (is_in_bash(agent))
        return is_auto || strcmp(wanted, "bash") == 0
                   ? SNUG_OK
                   : error_set(SNUG_EINVAL,
                               "the program is to be in %s, and the session is of bash", wanted);
    if (strcmp(wanted, "bash") == 0 || (is_auto && language_wants_bash(question)))
        return error_set(SNUG_EINVAL,
                         "%s bash, and the session is of Python: bash needs a session of its own "
                         "(--language bash, or --isolation bash)",
                         is_auto ? "the question asks for" : "the program is to be in");
    return SNUG_OK;
}

/* What a session of bash has not. */
static int check_bash(const snug_agent *agent, const snug_ask_options *o, snug_mode mode)
{
    if (!is_in_bash(agent))
        return SNUG_OK;
    if (mode == SNUG_MODE_ACT || mode == SNUG_MODE_PLAN)
        return error_set(SNUG_EINVAL, "programs in bash are for the modes solve and chain");
    return o->code ? error_set(SNUG_EINVAL, "a program that is given is in Python, and the session "
                                            "is of bash")
                   : SNUG_OK;
}

int snug_agent_ask(snug_reply **out, snug_agent *agent, const char *question,
                   const snug_ask_options *options)
{
    static const snug_ask_options defaults = SNUG_ASK_OPTIONS_INIT;
    const snug_ask_options *o = options ? options : &defaults;
    if (!out || !agent || !question)
        return error_set(SNUG_EINVAL, "snug_agent_ask: %s is NULL",
                         !out     ? "out"
                         : !agent ? "agent"
                                  : "question");
    int error = check_ask(o, o->mode ? *o->mode : agent->options.mode);
    if (error)
        return error;
    const snug_agent_limits limits = bounds_resolve(o->limits, &agent->limits);
    const int needs_question = !o->code || *question;
    if (needs_question && question_check(question, limits.question_bytes) != SNUG_OK)
        return refuse(out, agent, "");
    if ((error = check_bash(agent, o, o->mode ? *o->mode : agent->options.mode)))
        return error;
    if (check_program_language(agent, question, o) != SNUG_OK)
        return refuse(out, agent, question);
    /* What the caller calls by another name is no language that is known here, and fine. */
    const language *in = o->language ? language_named(o->language) : language_of(question);
    snug_reply *reply = make_reply(agent, question, in ? in->code : o->language);
    if (!reply)
        return error_no_memory();
    uint64_t now_ns = clock_now_ns();
    run r = { .agent = agent,
              .question = question,
              .options = o,
              .language = o->language ? o->language
                          : in        ? in->name
                                      : NULL,
              .mode = o->mode ? *o->mode : agent->options.mode,
              .limits = limits,
              .reply = reply,
              .started_ns = now_ns,
              .deadline_ns = clock_deadline_ns(now_ns, limits.wall_ms) };
    if ((error = set_run(agent, &r))) {
        snug_reply_free(reply);
        return error;
    }
    trace_begin(&r);
    error = work(&r);
    if (!error)
        error = keep_turn(agent, reply);
    if (!error) {
        retrieve_keep(&r);
        memory_store(&r);
    }
    reply->total_ns = clock_now_ns() - now_ns;
    trace_end(&r, error);
    set_run(agent, NULL);
    run_free(&r);
    if (error) {
        snug_reply_free(reply);
        return error;
    }
    *out = reply;
    return SNUG_OK;
}
