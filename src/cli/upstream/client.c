#include "cli/upstream/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "cli/program/secrets.h"
#include "cli/upstream/client_inside.h"

enum {
    LOOK_MS = 50,   /* after so long it is noticed that a call is not wanted any more */
    MOST_DEATHS = 5 /* without an answered call in between; then it is not started again */
};

/* ---- what goes out ---- */

/* "{...}", with what each request of the newer revision says of itself. */
static int write_params(str *out, const char *params, int is_new)
{
    const char *rest = params + 1 + strspn(params + 1, " ");

    if (!is_new)
        return str_add(out, params);
    str_printf(out,
               "{\"_meta\": {\"io.modelcontextprotocol/protocolVersion\": \"" MCP_NEW "\", "
               "\"io.modelcontextprotocol/clientInfo\": " MCP_CLIENT ", "
               "\"io.modelcontextprotocol/clientCapabilities\": {}}%s",
               *rest == '}' ? "" : ", ");
    return str_add(out, rest);
}

int client_send(mcp *m, unsigned long id, const char *method, const char *params, const char *tool)
{
    const int asks_new = m->era == ERA_NEW || !strcmp(method, "server/discover");
    outgoing o = { .id = id, .method = method, .is_new = asks_new && id > 0, .tool = tool };

    if (asks_new)
        o.version = MCP_NEW;
    else if (strcmp(method, "initialize") != 0)
        o.version = m->version;
    str_add(&o.text, "{\"jsonrpc\": \"2.0\", ");
    if (id > 0)
        str_printf(&o.text, "\"id\": %lu, ", id);
    str_printf(&o.text, "\"method\": \"%s\", \"params\": ", method);
    write_params(&o.text, params, o.is_new);
    int error = str_add(&o.text, "}");
    if (!error)
        error = m->transport->kind->send(m->transport, &o);
    str_free(&o.text);
    return error;
}

/* To what the server asks: only a ping has an answer. */
static void answer_request(mcp *m, jsontext_span id, jsontext_span method)
{
    outgoing o = { .version = m->version };

    str_add(&o.text, "{\"jsonrpc\": \"2.0\", \"id\": ");
    str_append(&o.text, id.text, id.len);
    str_add(&o.text, jsontext_is(method, "\"ping\"")
                         ? ", \"result\": {}}"
                         : ", \"error\": {\"code\": -32601, \"message\": \"not found\"}}");
    if (!str_error(&o.text))
        m->transport->kind->send(m->transport, &o);
    str_free(&o.text);
}

/* ---- the ends of calls. With the lock ---- */

static void end_call(mcp *m, ask *a, int is_fine, const char *text, size_t len)
{
    ask **place = &m->asks;

    if (is_fine)
        snug_call_return(a->call, text, len);
    else
        snug_call_fail(a->call, text);
    while (*place != a)
        place = &(*place)->next;
    *place = a->next;
    str_free(&a->params);
    free(a);
}

static void fail_calls(mcp *m, const char *why)
{
    while (m->asks)
        end_call(m, m->asks, 0, why, strlen(why));
}

void client_fail(mcp *m, const char *why)
{
    pthread_mutex_lock(&m->lock);
    if (m->phase != CLIENT_READY)
        m->era = ERA_UNKNOWN;
    if (m->phase != CLIENT_GIVEN_UP) {
        m->phase = CLIENT_DOWN;
        str_clear(&m->why);
        str_printf(&m->why, "the MCP server %s%s", m->label, why);
    }
    fail_calls(m, str_text(&m->why));
    if (m->deaths >= MOST_DEATHS && m->phase == CLIENT_DOWN) {
        str_printf(&m->why, " (it has ended %d times, and is not started again)", MOST_DEATHS);
        m->phase = CLIENT_GIVEN_UP;
    }
    pthread_mutex_unlock(&m->lock);
    m->transport->kind->stop(m->transport);
    m->is_dead = 0;
}

static void cancel_call(mcp *m, ask *a)
{
    const transport_kind *kind = m->transport->kind;
    char text[64];

    if (a->is_sent && (m->era != ERA_NEW || !kind->has_streams)) {
        snprintf(text, sizeof text, "{\"requestId\": %lu}", a->id);
        client_send(m, 0, "notifications/cancelled", text, NULL);
    }
    if (a->is_sent)
        kind->drop(m->transport, a->id);
    end_call(m, a, 0, NULL, 0);
}

/* ---- the thread ---- */

/* Sends what was not sent, and ends what nobody waits for. With the lock. */
static void look_after_calls(mcp *m)
{
    for (ask *a = m->asks, *next; a; a = next) {
        next = a->next;
        if (!snug_call_is_wanted(a->call)) {
            cancel_call(m, a);
        } else if (m->phase == CLIENT_READY && !a->is_sent) {
            a->is_sent = 1;
            a->id = ++m->ids;
            if (client_send(m, a->id, "tools/call", str_text(&a->params), a->tool->remote))
                end_call(m, a, 0, "out of memory", 13);
        }
    }
}

static int wait_ms(const mcp *m, uint64_t until_ns)
{
    const uint64_t now = clock_now_ns();
    uint64_t at_ns = m->asks ? clock_deadline_ns(now, LOOK_MS) : UINT64_MAX;

    if (m->phase == CLIENT_DOWN && m->wants_start)
        return 0;
    if (until_ns < at_ns)
        at_ns = until_ns;
    if (at_ns == UINT64_MAX)
        return -1;
    return at_ns <= now ? 0 : (int)((at_ns - now) / NS_PER_MS) + 1;
}

int client_turn(mcp *m, uint64_t until_ns)
{
    pthread_mutex_lock(&m->lock);
    const int is_over = m->is_closing || m->phase == CLIENT_GIVEN_UP;
    if (!is_over)
        look_after_calls(m);
    const int ms = wait_ms(m, until_ns);
    pthread_mutex_unlock(&m->lock);
    if (!is_over)
        m->transport->kind->turn(m->transport, ms);
    return !is_over;
}

/* Whether it is to be started now. */
static int begin_start(mcp *m)
{
    pthread_mutex_lock(&m->lock);
    const int begins = m->phase == CLIENT_DOWN && m->wants_start;
    if (begins)
        m->phase = CLIENT_STARTING;
    m->wants_start = 0;
    pthread_mutex_unlock(&m->lock);
    return begins;
}

static void *serve_server(void *arg)
{
    mcp *m = arg;

    do {
        if (m->is_dead)
            client_fail(m, str_text(&m->last_words));
        if (begin_start(m))
            client_greet(m);
    } while (client_turn(m, UINT64_MAX));
    return NULL;
}

/* ---- answers of calls. With the lock ---- */

static void take_call_result(mcp *m, ask *a, jsontext_span result)
{
    const jsontext_span type = jsontext_member(result, "resultType");
    str answer = { 0 };
    int is_fine = 0, error = SNUG_OK;

    /* It wants more before it answers. Nothing of that is declared, so that it must not. */
    if (type.text && !jsontext_is(type, "\"complete\""))
        str_printf(&answer,
                   "the MCP server %s wants more before %s answers, which snug does not give",
                   m->label, a->tool->remote);
    else
        error = mcptool_read_result(&answer, &is_fine, result);
    if (error)
        end_call(m, a, 0, "out of memory", 13);
    else
        end_call(m, a, is_fine, str_text(&answer), answer.len);
    str_free(&answer);
}

static void take_call_answer(mcp *m, ask *a, jsontext_span result, jsontext_span error)
{
    static const char nothing[] = "the MCP server answered without a result";
    str text = { 0 };

    m->deaths = 0;
    if (result.text) {
        take_call_result(m, a, result);
        return;
    }
    if (jsontext_string(&text, jsontext_member(error, "message")) || text.len == 0)
        str_add(&text, error.text ? "the MCP server answered with an error" : nothing);
    end_call(m, a, 0, str_text(&text), text.len);
    str_free(&text);
}

/* ---- what the transport says, on the thread ---- */

/* stream: the request that it came for, or 0. */
static int is_answered(unsigned long id, unsigned long stream, jsontext_span answered)
{
    char text[32];

    if (id == 0 || (stream > 0 && id != stream))
        return 0;
    snprintf(text, sizeof text, "%lu", id);
    if (stream > 0 && (!answered.text || jsontext_is(answered, "null")))
        return 1;
    return jsontext_is(answered, text);
}

/* Whether somebody waited for it. */
static int take_answer(mcp *m, unsigned long stream, jsontext_span id, jsontext_span result,
                       jsontext_span error)
{
    const jsontext_span answer = result.text ? result : error;
    int is_found = 0;

    for (size_t i = 0; i < 2 && !is_found; i++) {
        own_request *o = &m->own[i];
        if (o->state != OWN_WAITS || !is_answered(o->id, stream, id))
            continue;
        o->state = result.text ? OWN_RESULT : OWN_ERROR;
        if (answer.text)
            str_append(&o->text, answer.text, answer.len);
        is_found = 1;
    }
    pthread_mutex_lock(&m->lock);
    for (ask *a = m->asks, *next; a && !is_found; a = next) {
        next = a->next;
        is_found = a->is_sent && is_answered(a->id, stream, id);
        if (is_found)
            take_call_answer(m, a, result, error);
    }
    pthread_mutex_unlock(&m->lock);
    return is_found;
}

/* 0: it is not a message. */
static int take_message(mcp *m, unsigned long stream, const char *text, size_t len)
{
    enum { ID, METHOD, RESULT, ERROR };
    static const char *const names[] = { "id", "method", "result", "error" };
    jsontext_span found[4] = { { NULL, 0 } }, value;
    jsontext j;
    jsontext_token key;
    size_t at;

    if (len == 0 || jsontext_check(text, len, &at) || text[strspn(text, " \t\r\n")] != '{')
        return 0;
    jsontext_enter(&j, (jsontext_span){ text, len });
    while (jsontext_item(&j, &key, &value))
        for (size_t i = 0; i < 4; i++)
            if (key.len == strlen(names[i]) && !memcmp(key.text, names[i], key.len))
                found[i] = value;
    if (found[METHOD].text) {
        if (found[ID].text && m->era != ERA_NEW) /* there, servers must not ask */
            answer_request(m, found[ID], found[METHOD]);
        return 1;
    }
    if (!found[ID].text && (!found[ERROR].text || *found[ERROR].text != '{'))
        return 0;
    return take_answer(m, stream, found[ID], found[RESULT], found[ERROR]) ? 2 : 1;
}

/* A line that a server on stdio has written for people is passed over. */
static int is_stray(const mcp *m, const char *text)
{
    static const char mark[] = "\xef\xbb\xbf";

    return *text != '{' && *text != '[' && strncmp(text, mark, sizeof mark - 1) != 0 &&
           !m->transport->kind->has_streams;
}

/* What a server says of the keys that it was given, or found in its environment, is not heard. */
static int on_message(void *payload, unsigned long stream, const char *text, size_t len)
{
    str copy = { 0 };
    int taken = 0;

    if (is_stray(payload, text))
        return 1;
    if (!secrets_are_in_json(text, len))
        return take_message(payload, stream, text, len);
    if (str_append(&copy, text, len) == SNUG_OK) {
        copy.len = secrets_hide_json(copy.data, copy.len);
        taken = take_message(payload, stream, copy.data, copy.len);
    }
    str_free(&copy);
    return taken;
}

/* With the lock. A call that the server did not look at, as 404 says, is made again, once, in the
 * new session. */
static void miss_call(mcp *m, ask *a, ending how, int status, const char *why)
{
    str text = { 0 };

    if (how == ENDING_LOST && m->phase == CLIENT_READY) {
        m->phase = CLIENT_DOWN;
        m->wants_start = 1;
    }
    if (how == ENDING_LOST && status == 404 && !a->was_lost) {
        a->was_lost = 1;
        a->is_sent = 0;
        return;
    }
    if (strncmp(why, "the MCP server", 14) != 0)
        str_printf(&text, "the MCP server %s: ", m->label);
    str_add(&text, why);
    if (how == ENDING_LOST && status != 404)
        str_add(&text, "; its session is begun again, but not this call, which it may have made");
    end_call(m, a, 0, str_text(&text), text.len);
    str_free(&text);
}

static void on_ending(void *payload, unsigned long id, ending how, int status, const char *why)
{
    mcp *m = payload;
    str text = { 0 };

    str_add(&text, why);
    secrets_hide_str(&text);
    for (size_t i = 0; i < 2; i++) {
        own_request *o = &m->own[i];
        if (o->id == 0 || o->state != OWN_WAITS || (id > 0 && o->id != id))
            continue;
        o->state = OWN_MISSED;
        o->status = status;
        str_add_str(&o->text, &text);
    }
    pthread_mutex_lock(&m->lock);
    for (ask *a = m->asks, *next; a; a = next) {
        next = a->next;
        if (a->is_sent && (id == 0 || a->id == id))
            miss_call(m, a, how, status, str_text(&text));
    }
    pthread_mutex_unlock(&m->lock);
    str_free(&text);
}

static void on_death(void *payload, const char *what)
{
    mcp *m = payload;

    m->is_dead = 1;
    m->deaths++;
    str_clear(&m->last_words);
    str_printf(&m->last_words, " %s", what);
}

/* ---- beginning and end ---- */

/* On the thread of the signals. */
static void stop_start(void *target)
{
    mcp *m = target;
    pthread_mutex_lock(&m->lock);
    m->is_stopped = 1;
    pthread_cond_broadcast(&m->change);
    pthread_mutex_unlock(&m->lock);
}

static int open_transport(mcp *m, const upstream *server)
{
    const transport_user user = { m, on_message, on_ending, on_death };

    if (server->url)
        return web_transport_open(&m->transport, server, &user);
    return stdio_transport_open(&m->transport, server->command, &user);
}

static int start_thread(mcp *m)
{
    m->wants_start = 1;
    if ((errno = pthread_create(&m->thread, NULL, serve_server, m)))
        return error_system("thread for %s", m->label);
    m->has_thread = 1;
    return SNUG_OK;
}

static mcp *new_client(const char *label)
{
    pthread_condattr_t monotonic;
    mcp *m = calloc(1, sizeof *m);

    if (!m || !(m->label = strdup(label))) {
        free(m);
        return NULL;
    }
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->change, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return m;
}

int mcp_open(mcp **out, const upstream *server, uint64_t start_ms, const char *limit)
{
    mcp *m = new_client(server->name);
    if (!m)
        return error_no_memory();

    m->start_ms = start_ms;
    m->limit = limit;
    int error = open_transport(m, server);
    if (!error)
        error = start_thread(m);
    if (error) {
        mcp_close(m);
        return error;
    }
    *out = m;
    return SNUG_OK;
}

int mcp_wait(mcp *m, signals *s, uint64_t until_ns)
{
    int error = SNUG_OK;

    if (signals_watch_call(s, stop_start, m))
        stop_start(m);
    pthread_mutex_lock(&m->lock);
    while (!m->is_stopped && !m->has_tools && m->why.len == 0 && clock_now_ns() < until_ns)
        cond_wait_until(&m->change, &m->lock, until_ns);
    if (!m->has_tools) {
        m->phase = CLIENT_GIVEN_UP;
        if (m->why.len == 0)
            str_printf(&m->why, "the MCP server %s is not ready yet", m->label);
        error = error_set(SNUG_ESYSTEM, "%s", str_text(&m->why));
        m->transport->kind->wake(m->transport);
    }
    pthread_mutex_unlock(&m->lock);
    signals_watch_call(s, NULL, NULL);
    return error;
}

int mcp_write_failure(str *out, mcp *m)
{
    pthread_mutex_lock(&m->lock);
    const int error = m->has_tools ? SNUG_OK : str_add_str(out, &m->why);
    pthread_mutex_unlock(&m->lock);
    return error;
}

void client_free_tools(mcp *m)
{
    for (size_t i = 0; i < m->tool_count; i++) {
        mcptool_free(m->tools[i]);
        free(m->tools[i]);
    }
    free(m->tools);
    m->tools = NULL;
    m->tool_count = m->tool_cap = 0;
}

void mcp_close(mcp *m)
{
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    m->is_closing = 1;
    pthread_mutex_unlock(&m->lock);
    if (m->has_thread) {
        m->transport->kind->wake(m->transport);
        pthread_join(m->thread, NULL);
    }
    if (m->transport)
        m->transport->kind->free(m->transport, m->is_stopped);

    fail_calls(m, "the MCP server is closed");
    client_free_tools(m);
    pthread_mutex_destroy(&m->lock);
    pthread_cond_destroy(&m->change);
    str_free(&m->own[0].text);
    str_free(&m->own[1].text);
    str_free(&m->last_words);
    str_free(&m->why);
    free(m->label);
    free(m);
}

/* ---- calls ---- */

static int write_tool_call(str *out, const mcptool *t, const char *arguments)
{
    str_add(out, "{\"name\": ");
    jsontext_quote(out, t->remote, strlen(t->remote));
    str_add(out, ", \"arguments\": ");
    mcptool_write_arguments(out, t, arguments);
    return str_add(out, "}");
}

/* With the lock. */
static void add_call(mcp *m, const mcptool *t, snug_call *call, const char *arguments)
{
    ask *a = calloc(1, sizeof *a), **place = &m->asks;

    if (!a || write_tool_call(&a->params, t, arguments)) {
        if (a)
            str_free(&a->params);
        free(a);
        snug_call_fail(call, "out of memory");
        return;
    }
    a->call = call;
    a->tool = t;
    while (*place)
        place = &(*place)->next;
    *place = a;
    m->wants_start |= m->phase == CLIENT_DOWN;
    m->transport->kind->wake(m->transport);
}

/* On the thread that runs the cell. */
void mcp_call_tool(void *payload, snug_call *call, const char *arguments)
{
    const mcptool *t = payload;
    mcp *m = t->server;

    pthread_mutex_lock(&m->lock);
    if (m->phase == CLIENT_GIVEN_UP)
        snug_call_fail(call, str_text(&m->why));
    else
        add_call(m, t, call, arguments);
    pthread_mutex_unlock(&m->lock);
}

mcptool *mcp_tool(mcp *m, size_t index)
{
    return m->has_tools && index < m->tool_count ? m->tools[index] : NULL;
}
