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

enum { LOOK_MS = 50 }; /* after so long it is noticed that a call is not wanted any more */

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

/* How long the greeting may take is said by until_ns. */
static void keep_going(mcp *m, uint64_t *until_ns, uint64_t now)
{
    if (m->wants_stop) {
        m->wants_stop = 0;
        m->transport->kind->stop(m->transport);
    }
    if (m->phase == CLIENT_DOWN && m->wants_start) {
        *until_ns = clock_deadline_ns(now, m->start_ms);
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
    const transport_user user = { m, client_on_message, client_on_ending, client_on_death };

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
    m->out_end = &m->out;
    m->greet_at_ns = m->stale_at_ns = UINT64_MAX;
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

/* Why it is not ready. With the lock. */
static int write_failure(str *out, const mcp *m)
{
    if (m->why.len > 0)
        return str_add_str(out, &m->why);
    return str_printf(out, "the MCP server %s is not ready yet", m->label);
}

int mcp_write_failure(str *out, mcp *m)
{
    pthread_mutex_lock(&m->lock);
    const int error =
        m->phase != CLIENT_READY && m->tools.count == 0 ? write_failure(out, m) : SNUG_OK;
    pthread_mutex_unlock(&m->lock);
    return error;
}

int mcp_wait(mcp *m, signals *s, uint64_t until_ns)
{
    str why = { 0 };
    int error = SNUG_OK;

    if (signals_watch_call(s, stop_start, m))
        stop_start(m);
    pthread_mutex_lock(&m->lock);
    while (!m->is_stopped && m->phase != CLIENT_READY && m->why.len == 0 &&
           clock_now_ns() < until_ns)
        cond_wait_until(&m->change, &m->lock, until_ns);
    if (m->phase != CLIENT_READY && (error = write_failure(&why, m)) == SNUG_OK)
        error = error_set(SNUG_ESYSTEM, "%s", why.data);
    pthread_mutex_unlock(&m->lock);
    signals_watch_call(s, NULL, NULL);
    str_free(&why);
    if (!error)
        mcp_renew(m);
    return error;
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
