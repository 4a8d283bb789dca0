#include "cli/upstream/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/thread.h"
#include "cli/program/quantity.h"
#include "cli/program/secrets.h"
#include "cli/upstream/client_inside.h"

enum {
    LOOK_MS = 50,    /* after so long it is noticed that a call is not wanted any more */
    MOST_DEATHS = 5, /* without an answered call in between; then it is not started again */
    LISTEN_AGAIN_MS = 30000
};

/* ---- what the server says; on the thread ---- */

static ask *find_answered(mcp *m, const message *msg, unsigned long stream)
{
    const int has_no_id = !msg->id.text || jsontext_is(msg->id, "null");

    for (ask *a = m->asks; a; a = a->next) {
        if (!a->is_sent || (stream > 0 && a->id != stream))
            continue;
        if (message_has_id(msg, a->id) || (stream > 0 && has_no_id))
            return a;
    }
    return NULL;
}

static void take_call_result(mcp *m, ask *a, jsontext_span result)
{
    const jsontext_span type = jsontext_member(result, "resultType");
    static const char wants_more[] = "the tool asks its user for more, which snug does not answer";
    str answer = { 0 };
    int is_fine;

    m->deaths = 0;
    if (type.text && !jsontext_is(type, "\"complete\"")) {
        client_end_call(m, a, 0, wants_more, sizeof wants_more - 1);
        return;
    }
    if (mcptool_read_result(&answer, &is_fine, result))
        client_end_call(m, a, 0, "out of memory", 13);
    else
        client_end_call(m, a, is_fine, str_text(&answer), answer.len);
    str_free(&answer);
}

static void write_error(str *out, jsontext_span error)
{
    if (jsontext_string(out, jsontext_member(error, "message")) || out->len == 0)
        str_add(out, "the MCP server answered with an error");
}

static void take_call_error(mcp *m, ask *a, jsontext_span error)
{
    str text = { 0 };

    /* It may not know the tool any more, or take other arguments. */
    if (message_error_code(error) == -32602 || message_error_code(error) == -32020)
        m->is_stale = m->era == ERA_NEW;
    m->deaths = 0;
    write_error(&text, error);
    client_end_call(m, a, 0, str_text(&text), text.len);
    str_free(&text);
}

static void end_listening(mcp *m, ask *a, int is_wanted)
{
    client_end_ask(m, a);
    m->listen_at_ns = is_wanted ? clock_deadline_ns(clock_now_ns(), LISTEN_AGAIN_MS) : UINT64_MAX;
}

static void take_answer(mcp *m, ask *a, const message *msg)
{
    static const char nothing[] = "the MCP server answered without a result";
    str why = { 0 };

    switch (a->kind) {
    case ASK_CALL:
        if (msg->result.text)
            take_call_result(m, a, msg->result);
        else if (msg->error.text)
            take_call_error(m, a, msg->error);
        else
            client_end_call(m, a, 0, nothing, sizeof nothing - 1);
        break;
    case ASK_DISCOVER:
    case ASK_INITIALIZE:
        client_take_greeting(m, a, msg->result, msg->error);
        break;
    case ASK_LIST:
        write_error(&why, msg->error);
        if (msg->result.text)
            client_take_page(m, a, msg->result);
        else
            client_miss_list(m, a, str_text(&why));
        break;
    case ASK_LISTEN:
        end_listening(m, a, msg->result.text != NULL);
        break;
    }
    str_free(&why);
}

static void take_request(mcp *m, const message *msg)
{
    outgoing *o = client_new_outgoing(0, NULL);

    if (o && !message_write_answer(&o->text, msg->id, msg->method))
        client_queue(m, o);
    else
        client_free_outgoing(o);
}

static void take_notification(mcp *m, const message *msg)
{
    if (jsontext_is(msg->method, "\"notifications/tools/list_changed\""))
        client_note_change(m);
}

static int take_message(mcp *m, unsigned long stream, const char *text, size_t len)
{
    message msg;
    int taken = 1;

    if (!message_read(&msg, text, len))
        return 0;
    pthread_mutex_lock(&m->lock);
    if (msg.method.text && msg.id.text) {
        if (m->era != ERA_NEW) /* there, servers must not ask */
            take_request(m, &msg);
    } else if (msg.method.text) {
        take_notification(m, &msg);
    } else {
        ask *a = find_answered(m, &msg, stream);
        if (a) {
            take_answer(m, a, &msg);
            taken = 2;
        }
        /* Else it is an answer that nobody wants any more. */
    }
    pthread_mutex_unlock(&m->lock);
    return taken;
}

/* What a server says of the keys that it was given, or found in its environment, is not heard. */
static int on_message(void *payload, unsigned long stream, const char *text, size_t len)
{
    str clean = { 0 };
    int taken = 0;

    if (!secrets_are_in_json(text, len))
        return take_message(payload, stream, text, len);
    if (str_append(&clean, text, len) == SNUG_OK) {
        clean.len = secrets_hide_json(clean.data, clean.len);
        taken = take_message(payload, stream, clean.data, clean.len);
    }
    str_free(&clean);
    return taken;
}

static void begin_again(mcp *m)
{
    if (m->phase == CLIENT_READY) {
        m->phase = CLIENT_DOWN;
        m->wants_start = 1;
    }
}

/* Whether a call may be made a second time, behind the session that is begun again: once, and not
 * where the server may have acted. */
static int may_repeat(const ask *a, ending how)
{
    return !a->was_lost && (how == ENDING_LOST || (how == ENDING_UNSURE && a->tool->is_read_only));
}

static void miss_call(mcp *m, ask *a, ending how, const char *why)
{
    str text = { 0 };

    if (may_repeat(a, how)) {
        a->was_lost = 1;
        a->is_sent = 0;
        return;
    }
    if (strncmp(why, "the MCP server", 14) != 0)
        str_printf(&text, "the MCP server %s: ", m->label);
    str_add(&text, why);
    if (how == ENDING_UNSURE)
        str_add(&text, "; its session is begun again, but not this call, which it may have made");
    client_end_call(m, a, 0, str_text(&text), text.len);
    str_free(&text);
}

static void miss_answer(mcp *m, ask *a, ending how, int status, const char *why)
{
    switch (a->kind) {
    case ASK_CALL:
        miss_call(m, a, how, why);
        if (how == ENDING_LOST || how == ENDING_UNSURE)
            begin_again(m);
        break;
    case ASK_DISCOVER:
    case ASK_INITIALIZE:
        client_miss_greeting(m, a, status, why);
        break;
    case ASK_LIST:
        client_miss_list(m, a, why);
        break;
    case ASK_LISTEN:
        end_listening(m, a, how == ENDING_BROKEN);
        break;
    }
}

static void on_ending(void *payload, unsigned long id, ending how, int status, const char *why)
{
    mcp *m = payload;
    str text = { 0 };
    int is_found = 0;

    str_add(&text, why);
    secrets_hide_str(&text);
    pthread_mutex_lock(&m->lock);
    for (ask *a = m->asks, *next; a; a = next) {
        next = a->next;
        if (!a->is_sent || (id > 0 && a->id != id))
            continue;
        is_found = 1;
        miss_answer(m, a, how, status, str_text(&text));
        if (m->phase == CLIENT_DOWN)
            break; /* the others went with it */
    }
    /* Behind its answer, or of a call that nobody waits for. */
    if (!is_found && how == ENDING_UNSURE)
        begin_again(m);
    pthread_mutex_unlock(&m->lock);
    str_free(&text);
}

/* 1: it has died of the question what it speaks, which is asked no more. */
static int has_died_of_question(const mcp *m)
{
    return m->phase == CLIENT_GREETED && m->era == ERA_UNKNOWN;
}

static void on_death(void *payload, const char *what)
{
    mcp *m = payload;
    str text = { 0 };

    str_printf(&text, " %s", what);
    pthread_mutex_lock(&m->lock);
    if (has_died_of_question(m)) {
        client_end_own(m);
        m->era = ERA_OLD;
        m->phase = CLIENT_DOWN;
        m->wants_start = m->wants_stop = 1;
    } else {
        const client_era era = m->phase == CLIENT_READY ? m->era : ERA_UNKNOWN;
        client_fail_greeting(m, str_text(&text));
        m->era = era;
        if (++m->deaths >= MOST_DEATHS) {
            str_printf(&m->why, " (it has ended %d times, and is not started again)", MOST_DEATHS);
            m->phase = CLIENT_GIVEN_UP;
        }
    }
    pthread_mutex_unlock(&m->lock);
    str_free(&text);
}

/* ---- the thread ---- */

static void cancel_call(mcp *m, ask *a)
{
    const transport_kind *kind = m->transport->kind;
    char text[64];

    if (a->is_sent && (m->era != ERA_NEW || !kind->has_streams)) {
        snprintf(text, sizeof text, "{\"requestId\": %lu}", a->id);
        client_notify(m, "notifications/cancelled", text);
    }
    if (a->is_sent)
        kind->drop(m->transport, a->id);
    client_end_call(m, a, 0, NULL, 0);
}

/* Ends what nobody waits for, and what has taken too long. */
static void end_unwanted(mcp *m, uint64_t now)
{
    for (ask *a = m->asks, *next; a; a = next) {
        next = a->next;
        if (a->kind == ASK_CALL && !snug_call_is_wanted(a->call)) {
            cancel_call(m, a);
        } else if (a->kind == ASK_LIST && now >= a->until_ns && m->phase == CLIENT_READY) {
            m->transport->kind->drop(m->transport, a->id);
            client_miss_list(m, a, "");
        }
    }
}

static int has_waiting(const mcp *m)
{
    for (const ask *a = m->asks; a; a = a->next)
        if (a->kind == ASK_CALL)
            return 1;
    return 0;
}

static int start_transport(mcp *m)
{
    if (!m->transport->kind->start(m->transport))
        return 1;
    str text = { 0 };
    str_printf(&text, ": %s", error_message());
    client_fail_greeting(m, str_text(&text));
    str_free(&text);
    return 0;
}

static void end_stream(mcp *m)
{
    ask *a;

    while ((a = client_find_ask(m, ASK_LISTEN))) {
        m->transport->kind->drop(m->transport, a->id);
        client_end_ask(m, a);
    }
}

/* How long the greeting may take is said by until_ns. */
static void keep_going(mcp *m, uint64_t *until_ns, uint64_t now)
{
    if (m->wants_stop) {
        m->wants_stop = 0;
        m->transport->kind->stop(m->transport);
    }
    if (m->phase == CLIENT_DOWN && m->wants_start) {
        *until_ns = clock_deadline_ns(now, m->start_ms);
        end_stream(m);
        if (start_transport(m))
            client_begin(m);
        m->wants_start = 0;
    }
    if (m->phase == CLIENT_GREETED && now >= m->greet_at_ns)
        client_greet_old(m);
    if ((m->phase == CLIENT_GREETED || m->phase == CLIENT_LISTED) && now >= *until_ns) {
        char time[32];
        str text = { 0 };
        str_printf(&text, ", %s: no answer within %s%s", client_step(m),
                   quantity_text(time, sizeof time, m->start_ms, "ms"), m->limit);
        client_fail_greeting(m, str_text(&text));
        str_free(&text);
    }
    if (m->phase == CLIENT_READY && m->is_stale && !m->is_listing && now >= m->list_at_ns)
        client_list(m);
    if (m->phase == CLIENT_READY && now >= m->listen_at_ns)
        client_listen(m);
}

static int wait_ms(const mcp *m, uint64_t until_ns, uint64_t now)
{
    uint64_t at_ns = UINT64_MAX;
    const int is_greeted = m->phase == CLIENT_GREETED || m->phase == CLIENT_LISTED;

    if (m->wants_stop || (m->phase == CLIENT_DOWN && m->wants_start))
        return 0;
    if (has_waiting(m))
        at_ns = clock_deadline_ns(now, LOOK_MS);
    if (is_greeted && until_ns < at_ns)
        at_ns = until_ns;
    if (m->phase == CLIENT_GREETED && m->greet_at_ns < at_ns)
        at_ns = m->greet_at_ns;
    if (m->phase == CLIENT_READY && m->is_stale && !m->is_listing && m->list_at_ns < at_ns)
        at_ns = m->list_at_ns;
    if (m->phase == CLIENT_READY && m->is_listing && clock_deadline_ns(now, LOOK_MS) < at_ns)
        at_ns = clock_deadline_ns(now, LOOK_MS);
    if (m->phase == CLIENT_READY && m->listen_at_ns < at_ns)
        at_ns = m->listen_at_ns;
    if (at_ns == UINT64_MAX)
        return -1;
    return at_ns <= now ? 0 : (int)((at_ns - now) / NS_PER_MS) + 1;
}

static const char *spoken_version(const mcp *m, const outgoing *o)
{
    if (m->era == ERA_NEW || (o->method && !strcmp(o->method, "server/discover")))
        return MESSAGE_NEW;
    return o->method && !strcmp(o->method, "initialize") ? NULL : m->version;
}

/* The transport has the memory, or the server is silent: then the time is over some day. */
static void send_all(mcp *m, outgoing *first)
{
    for (outgoing *o = first, *next; o; o = next) {
        next = o->next;
        m->transport->kind->send(m->transport, o, spoken_version(m, o));
        client_free_outgoing(o);
    }
}

static void *serve_server(void *arg)
{
    mcp *m = arg;
    uint64_t until_ns = UINT64_MAX;

    for (;;) {
        pthread_mutex_lock(&m->lock);
        const uint64_t now = clock_now_ns();
        if (m->is_closing) {
            pthread_mutex_unlock(&m->lock);
            return NULL;
        }
        end_unwanted(m, now);
        keep_going(m, &until_ns, now);
        outgoing *first = m->out;
        m->out = NULL;
        m->out_end = &m->out;
        const int ms = wait_ms(m, until_ns, now);
        pthread_mutex_unlock(&m->lock);
        send_all(m, first);
        m->transport->kind->turn(m->transport, ms);
    }
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

static int wait_until_ready(mcp *m)
{
    int error = SNUG_OK;

    pthread_mutex_lock(&m->lock);
    while (!m->is_stopped && m->phase != CLIENT_READY && m->why.len == 0)
        cond_wait_until(&m->change, &m->lock, UINT64_MAX);
    if (m->phase != CLIENT_READY)
        error = error_set(SNUG_ESYSTEM, "%s", m->why.len > 0 ? m->why.data : "stopped");
    pthread_mutex_unlock(&m->lock);
    return error;
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
    m->out_end = &m->out;
    m->greet_at_ns = m->listen_at_ns = m->stale_at_ns = UINT64_MAX;
    return m;
}

int mcp_open(mcp **out, const upstream *server, signals *s, uint64_t start_ms, const char *limit)
{
    mcp *m = new_client(server->name);
    if (!m)
        return error_no_memory();

    m->start_ms = start_ms;
    m->limit = limit;
    int error = open_transport(m, server);
    if (!error)
        error = start_thread(m);
    if (signals_watch_call(s, stop_start, m))
        stop_start(m);
    if (!error)
        error = wait_until_ready(m);
    signals_watch_call(s, NULL, NULL);
    if (error) {
        mcp_close(m);
        return error;
    }
    mcp_renew(m);
    *out = m;
    return SNUG_OK;
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

    client_fail_calls(m, "the MCP server is closed", 0);
    while (m->asks)
        client_end_ask(m, m->asks);
    for (outgoing *o = m->out, *next; o; o = next) {
        next = o->next;
        client_free_outgoing(o);
    }
    client_free_tools(&m->tools);
    client_free_tools(&m->retired);
    client_free_tools(&m->coming);
    client_free_tools(&m->news);
    pthread_mutex_destroy(&m->lock);
    pthread_cond_destroy(&m->change);
    str_free(&m->why);
    str_free(&m->refusal);
    free(m->label);
    free(m);
}

/* ---- calls ---- */

static int write_tool_call(str *out, const mcptool *t, const char *arguments)
{
    int error = str_add(out, "{\"name\": ");

    if (!error)
        error = jsontext_quote(out, t->remote, strlen(t->remote));
    if (!error)
        error = str_add(out, ", \"arguments\": ");
    if (!error)
        error = mcptool_write_arguments(out, t, arguments);
    if (!error)
        error = str_add(out, "}");
    return error;
}

static void refuse_gone(mcp *m, const mcptool *t, snug_call *call)
{
    str text = { 0 };

    str_printf(&text, "the MCP server %s does not offer %s any more", m->label, t->remote);
    secrets_hide_str(&text);
    snug_call_fail(call, str_text(&text));
    str_free(&text);
}

/* The lock is held. */
static void make_call(mcp *m, const mcptool *t, snug_call *call, str *params)
{
    ask *a = client_ask(m, ASK_CALL, NULL, params);

    if (!a) {
        snug_call_fail(call, "out of memory");
        return;
    }
    a->call = call;
    a->tool = t;
    if (m->phase == CLIENT_DOWN)
        m->wants_start = 1;
    if (m->phase == CLIENT_READY && client_send_call(m, a))
        client_end_call(m, a, 0, "out of memory", 13);
    m->transport->kind->wake(m->transport);
}

/* On the thread that runs the cell. */
void mcp_call_tool(void *payload, snug_call *call, const char *arguments)
{
    const mcptool *t = payload;
    mcp *m = t->server;
    str params = { 0 };

    pthread_mutex_lock(&m->lock);
    if (m->phase == CLIENT_GIVEN_UP)
        snug_call_fail(call, str_text(&m->why));
    else if (t->is_gone)
        refuse_gone(m, t, call);
    else if (write_tool_call(&params, t, arguments))
        snug_call_fail(call, "out of memory");
    else
        make_call(m, t, call, &params);
    pthread_mutex_unlock(&m->lock);
    str_free(&params);
}

mcptool *mcp_tool(mcp *m, size_t index)
{
    return index < m->tools.count ? m->tools.items[index] : NULL;
}
