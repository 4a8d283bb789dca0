/*
 * agent.c - an agent's life, and the cancelling of its question.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/loop/agent_limits.h"
#include "agent/loop/loop.h"
#include "agent/prompt/prompt.h"
#include "agent/run/run.h"
#include "agent/store/cache.h"
#include "agent/store/database.h"
#include "agent/store/library.h"
#include "agent/store/retrieve.h"
#include "agent/trace/trace.h"
#include "agent/trace/tracer.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/options.h"

/* ---- the session's callbacks ---- */

static void send_output(const run *r, snug_stream stream, const char *text, size_t len)
{
    str event = event_begin(r, "output");

    json_put_word(&event, "stream", stream == SNUG_STREAM_STDOUT ? "stdout" : "stderr");
    json_put_text(&event, "text", text, len);
    event_send(r, "output", &event);
}

/* display may be NULL. */
static void send_display(const run *r, const snug_display *display)
{
    str event = event_begin(r, "display");
    if (display)
        json_open(&event, "data", '{');
    for (size_t i = 0; display && i < display->part_count; i++) {
        const snug_mime *part = &display->parts[i];
        if (part->is_json)
            json_put_raw(&event, part->type, part->data);
        else
            json_put_text(&event, part->type, part->data, part->len);
    }
    if (display)
        json_close(&event, '}');
    event_send(r, "display", &event);
}

static void pass_output(void *payload, snug_stream stream, const char *text, size_t len)
{
    snug_agent *agent = payload;

    if (agent->is_catching_up)
        return;

    if (agent->run)
        send_output(agent->run, stream, text, len);
    if (agent->on_output)
        agent->on_output(agent->session_payload, stream, text, len);
}

static void pass_display(void *payload, snug_display_event event, const snug_display *display)
{
    snug_agent *agent = payload;

    if (agent->is_catching_up)
        return;

    if (agent->run)
        send_display(agent->run, display);
    if (agent->on_display)
        agent->on_display(agent->session_payload, event, display);
}

static void pass_tool_call(void *payload, const snug_tool_call *call)
{
    snug_agent *agent = payload;

    if (agent->is_catching_up)
        return;

    if (agent->run)
        event_tool_call(agent->run, call);
    if (agent->on_tool_call)
        agent->on_tool_call(agent->session_payload, call);
}

static void pass_approval(void *payload, snug_call *call)
{
    snug_agent *agent = payload;
    agent->on_approval(agent->session_payload, call);
}

static void pass_input(void *payload, snug_call *call, const char *prompt)
{
    snug_agent *agent = payload;
    agent->on_input(agent->session_payload, call, prompt);
}

/* ---- open ---- */

/* *out is NULL for an empty list; what is half made is freed with the agent. */
static int copy_texts(char ***out, const char *const *texts)
{
    size_t count = 0;

    while (texts && texts[count])
        count++;
    if (count == 0)
        return SNUG_OK;

    char **copy = calloc(count + 1, sizeof *copy);
    if (!copy)
        return error_no_memory();

    *out = copy;
    for (size_t i = 0; i < count; i++) {
        copy[i] = strdup(texts[i]);
        if (!copy[i])
            return error_no_memory();
    }

    return SNUG_OK;
}

static void free_texts(char **texts)
{
    for (size_t i = 0; texts && texts[i]; i++)
        free(texts[i]);
    free(texts);
}

/* A scan of nothing, which fails where a pattern or a stub of the options is none. */
static int check_scan_options(const snug_agent *agent, const snug_scan_options *options)
{
    snug_scan *report;
    const int error = snug_host_scan(&report, agent->host, "", 0, options);

    if (!error)
        snug_scan_free(report);
    return error;
}

static int take_patterns(snug_agent *agent, const char *const *forbid)
{
    snug_scan_options options = SNUG_SCAN_OPTIONS_INIT;
    int error = copy_texts(&agent->forbid, forbid);
    if (error || !agent->forbid)
        return error;

    options.forbid = (const char *const *)agent->forbid;
    options.kind = SNUG_KIND_BASH;
    return check_scan_options(agent, &options);
}

static int copy_mount_names(snug_agent *agent, const snug_session_options *options)
{
    if (options->mount_count == 0 || !options->mounts)
        return SNUG_OK;

    agent->mounts = calloc(options->mount_count + 1, sizeof *agent->mounts);
    if (!agent->mounts)
        return error_no_memory();

    for (size_t i = 0; i < options->mount_count; i++) {
        const char *name = options->mounts[i].name;
        agent->mounts[i] = strdup(name ? name : "");
        if (!agent->mounts[i])
            return error_no_memory();
    }

    return SNUG_OK;
}

/* The table may be that of a newer libsnug, with limits that are not known here. */
static int take_cell_limits(snug_agent *agent, const snug_limits *wanted)
{
    snug_limits *limits = &agent->cell_limits;
    const snug_limit_description *info;
    int error = options_take(limits, sizeof *limits, wanted, "snug_limits");
    if (error)
        return error;

    for (size_t i = 0; (info = snug_limit_info(i)); i++) {
        if (info->offset >= sizeof *limits)
            continue;
        uint64_t *limit = limit_at(limits, info);
        if (*limit == 0)
            *limit = info->default_value;
    }

    return SNUG_OK;
}

/* The agent listens to the session, and passes on to the caller what it hears. */
static void take_callbacks(snug_agent *agent, snug_session_options *options)
{
    agent->on_output = options->on_output;
    agent->on_display = options->on_display;
    agent->on_input = options->on_input;
    agent->on_tool_call = options->on_tool_call;
    agent->on_approval = options->on_approval;
    agent->session_payload = options->payload;

    options->payload = agent;
    options->on_output = pass_output;
    options->on_display = pass_display;
    options->on_tool_call = pass_tool_call;
    if (options->on_approval)
        options->on_approval = pass_approval;
    if (options->on_input)
        options->on_input = pass_input;
}

static int open_agent_session(snug_agent *agent, const snug_session_options *wanted)
{
    snug_session_options options;
    int error = options_take(&options, sizeof options, wanted, "snug_session_options");

    if (!error)
        error = take_cell_limits(agent, options.limits);
    if (!error)
        error = copy_texts(&agent->allow, options.allow);
    if (!error)
        error = copy_mount_names(agent, &options);
    if (error)
        return error;

    /* The scan and the prompts do not know the kind. */
    const char *profile = options.kind == SNUG_KIND_FULL ? "data" : "core";
    agent->profile = strdup(options.profile ? options.profile : profile);
    if (!agent->profile)
        return error_no_memory();

    if (options.workdir) {
        agent->workdir = strdup(options.workdir);
        if (!agent->workdir)
            return error_no_memory();
    }

    agent->is_private = !options.workdir && options.mount_count == 0;
    take_callbacks(agent, &options);
    error = snug_session_open(&agent->session, agent->host, &options);
    if (error)
        return error;

    if (!is_in_bash(agent))
        return digest_modules(&agent->modules, agent->session);
    if (agent->options.has_rollback)
        return error_set(SNUG_EINVAL, "a session of bash cannot go back: no --rollback");
    return SNUG_OK;
}

static int check_agent_options(const snug_agent_options *o)
{
    if ((int)o->mode < 0 || o->mode > SNUG_AGENT_MODE_PLAN)
        return error_set(SNUG_EINVAL, "mode %d is none of snug_agent_mode", (int)o->mode);
    if ((int)o->focus < 0 || o->focus > SNUG_AGENT_FOCUS_STYLE)
        return error_set(SNUG_EINVAL, "focus %d is none of snug_agent_focus", (int)o->focus);
    if ((int)o->style < 0 || o->style > SNUG_AGENT_STYLE_DOCUMENTED)
        return error_set(SNUG_EINVAL, "style %d is none of snug_agent_style", (int)o->style);
    if (!(o->temperature <= 2))
        return error_set(SNUG_EINVAL, "temperature %g is more than 2", o->temperature);
    return SNUG_OK;
}

/* What an agent is opened with and does not own: it was copied or used. */
static void forget_pointers(snug_agent_options *o)
{
    o->model = o->evaluation_model = o->repair_model = NULL;
    o->base_url = o->key_file = o->prices_file = NULL;
    o->prompts_dir = o->conversation_file = NULL;
    o->library_file = o->embedding_model = o->retrieve_command = NULL;
    o->cache_file = o->trace_file = o->trace_url = NULL;
    o->request_fields = o->headers = NULL;
    o->fallback_model = o->asked_model = NULL;
    o->prompts = NULL;
    o->forbid = NULL;
    o->limits = NULL;
    o->session = NULL;
}

static int open_parts(snug_agent *agent, const snug_agent_options *o)
{
    int error;

    if ((error =
             template_set_open(&agent->templates, o->prompts_dir, o->prompts, o->prompt_count)) ||
        (error = models_open(agent->models, &agent->limits, o)) ||
        (error = models_open_prices(agent, o)) || (error = tracer_open(&agent->tracer, o)) ||
        (error = take_patterns(agent, o->forbid)) ||
        (error = open_agent_session(agent, o->session)) || (error = ask_model_bind(agent)))
        return error;

    if (o->conversation_file && (error = conversation_open(agent, o->conversation_file)))
        return error;
    error = retrieve_open(agent, o);
    return error ? error : cache_open(agent, o);
}

int snug_agent_open(snug_agent **out, snug_host *host, const snug_agent_options *options)
{
    static const snug_agent_options defaults = SNUG_AGENT_OPTIONS_INIT;
    snug_agent_options o;
    snug_agent_limits limits;

    if (!out || !host)
        return error_set(SNUG_EINVAL, "snug_agent_open: %s is NULL", out ? "host" : "out");

    int error = options_take(&o, sizeof o, options ? options : &defaults, "snug_agent_options");
    if (!error)
        error = agent_limits_resolve(&limits, o.limits, NULL);
    if (!error)
        error = check_agent_options(&o);
    if (error)
        return error;

    snug_agent *agent = calloc(1, sizeof *agent);
    if (!agent)
        return error_no_memory();

    pthread_mutex_init(&agent->lock, NULL);
    agent->process = forked_process();
    agent->host = host;
    agent->limits = limits;
    agent->options = o;
    error = open_parts(agent, &o);
    if (error) {
        snug_agent_close(agent);
        return error;
    }

    forget_pointers(&agent->options);
    *out = agent;
    return SNUG_OK;
}

void snug_agent_close(snug_agent *agent)
{
    if (!agent || !forked_is_process(agent->process))
        return;
    snug_session_close(agent->session);
    models_close(agent->models);
    template_set_close(agent->templates);
    tracer_close(agent->tracer);
    prices_close(agent->prices);
    conversation_close(agent);
    snug_library_close(agent->library);
    database_close(agent->cache);
    str_free(&agent->unrun);
    free_texts(agent->allow);
    free_texts(agent->forbid);
    free_texts(agent->mounts);
    free(agent->retrieve_command);
    free(agent->profile);
    free(agent->workdir);
    str_free(&agent->modules);
    bound_tools_free(&agent->tools);
    pthread_mutex_destroy(&agent->lock);
    free(agent);
}

snug_session *snug_agent_session(snug_agent *agent)
{
    return agent ? agent->session : NULL;
}

/* ---- tools ---- */

static int is_own_name(const snug_agent *agent, const char *name)
{
    return strcmp(name, "final_answer") == 0 ||
           (agent->options.asks_model && strcmp(name, "ask_model") == 0);
}

/* Each scan of a program would fail where the stub is none. */
static int check_stub(const snug_agent *agent, const snug_tool *tool)
{
    snug_scan_options options = SNUG_SCAN_OPTIONS_INIT;
    str head = { 0 };

    if (str_printf(&head, "%s%s", tool->name, tool->stub))
        return error_no_memory();
    const char *const heads[] = { head.data, NULL };
    options.tools = heads;
    const int error = check_scan_options(agent, &options);
    str_free(&head);
    return error;
}

int snug_agent_bind_tool(snug_agent *agent, const snug_tool *given)
{
    snug_tool tool;

    if (!agent)
        return error_set(SNUG_EINVAL, "snug_agent_bind_tool: agent is NULL");
    if (given && given->name && is_own_name(agent, given->name))
        return error_set(SNUG_EINVAL, "tool %s: the name is that of the agent's own", given->name);

    int error = snug_session_bind_tool(agent->session, given);
    if (!error)
        error = options_take(&tool, sizeof tool, given, "snug_tool");
    if (!error && tool.stub)
        error = check_stub(agent, &tool);
    if (!error && bound_tools_add(&agent->tools, &tool))
        error = error_no_memory();
    return error;
}

/* ---- one question at a time ---- */

int agent_fail_busy(void)
{
    return error_set(SNUG_EBUSY, "the agent is at work on a question");
}

int agent_check_idle(snug_agent *agent, const char *function)
{
    if (!agent)
        return error_set(SNUG_EINVAL, "%s: agent is NULL", function);
    if (!forked_is_process(agent->process))
        return forked_refuse(function);

    pthread_mutex_lock(&agent->lock);
    const int is_asking = agent->is_asking;
    pthread_mutex_unlock(&agent->lock);
    return is_asking ? agent_fail_busy() : SNUG_OK;
}

int snug_agent_reset(snug_agent *agent)
{
    int error = agent_check_idle(agent, "snug_agent_reset");
    if (!error)
        error = conversation_forget(agent);
    if (error)
        return error;
    agent->has_way_back = 0;
    str_clear(&agent->unrun);
    return snug_session_reset(agent->session);
}

/* ---- cancelling ---- */

/* An interrupt that comes before the cell is lost: it is sent until the cell has ended. A callback
 * of the cell cannot wait for that: the cell waits for the callback. */
static void interrupt_until_ended(snug_agent *agent)
{
    const struct timespec pause = { 0, 1000000 };
    const int is_callback = pthread_equal(agent->asker, pthread_self());

    while (atomic_load(&agent->is_executing)) {
        snug_session_interrupt(agent->session);
        if (is_callback)
            return;
        nanosleep(&pause, NULL);
    }
}

void snug_agent_cancel(snug_agent *agent)
{
    if (!agent || !forked_is_process(agent->process))
        return;

    pthread_mutex_lock(&agent->lock);
    if (agent->is_asking) {
        atomic_store(&agent->is_cancelled, 1);
        for (int use = 0; use < USES; use++)
            model_cancel(agent->models[use]);
        library_cancel(agent->library);
        interrupt_until_ended(agent);
    }
    pthread_mutex_unlock(&agent->lock);
}

/* ---- the way back ---- */

/* There must be room for what the session has, and for what the question replaces, which stays in
 * memory until the next one. */
static int is_heavy(const snug_agent *agent)
{
    return agent->peak_bytes > agent->cell_limits.memory_bytes / 2;
}

void undo_keep_way_back(snug_agent *agent)
{
    agent->has_way_back = 0;
    if (!agent->options.keeps_way_back || is_in_bash(agent))
        return;
    if (is_heavy(agent))
        snug_session_forget_checkpoint(agent->session);
    else
        agent->has_way_back = snug_session_checkpoint(agent->session) == SNUG_OK;
}

int snug_agent_undo(snug_agent *agent)
{
    int error = agent_check_idle(agent, "snug_agent_undo");
    if (error)
        return error;
    if (is_in_bash(agent))
        return error_set(SNUG_ENOTFOUND, "a session of bash cannot go back");
    if (!agent->has_way_back && is_heavy(agent))
        return error_set(SNUG_ENOTFOUND,
                         "there is no way back: the session uses more than half of its memory, and "
                         "what a question replaces would be kept beside it");
    if (!agent->has_way_back)
        return error_set(SNUG_ENOTFOUND, "there is no question to take back");

    error = snug_session_rollback(agent->session);
    agent->has_way_back = 0;
    if (error)
        return error;
    str_clear(&agent->unrun); /* it was the question's */
    return conversation_take_back(agent);
}
