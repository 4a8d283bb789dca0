#include "cli/tools/mcp.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/process/child.h"
#include "base/thread.h"
#include "cli/program/quantity.h"
#include "cli/program/secrets.h"
#include "cli/tools/mcptool.h"

enum {
    END_MS = 1000, /* between the steps of the end */
    LOOK_MS = 50,  /* after so long it is noticed that a call is not wanted any more */
    STDERR_BYTES = 64 * 1024,
    MESSAGE_BYTES = 32 * 1024 * 1024,
    MOST_TOOLS = 1000
};

/* A request without its answer. */
typedef struct pending {
    struct pending *next;
    unsigned long id;
    snug_call *call; /* NULL: somebody waits here */
    str result;      /* for whom waits; empty before */
    str why;         /* the same of an error */
    int is_over;
} pending;

struct mcp {
    char *label; /* what messages call it */
    child child;
    pthread_t thread;
    int has_thread;
    int wake[2]; /* a byte makes the thread look */
    mcptool *tools;
    size_t tool_count;
    str in, err; /* the thread's */
    size_t looked;
    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t change;
    str out; /* to be written */
    size_t written;
    pending *first;
    unsigned long ids;
    str why; /* it is dead; empty before */
    int is_closing;
    int is_stopped; /* by a signal, before it was ready */
    uint64_t start_ms;
    const char *limit; /* the option that set start_ms, or "" */
};

/* ---- requests ---- */

static void wake_server_thread(mcp *m)
{
    ssize_t ignored = write(m->wake[1], "", 1);
    (void)ignored; /* full: it will look */
}

/* Ends it. The lock is held; the call is over, or whoever waits for p is woken. */
static void finish_request(mcp *m, pending *p, int is_fine, const char *text, size_t len)
{
    pending **place = &m->first;

    while (*place && *place != p)
        place = &(*place)->next;
    if (*place)
        *place = p->next;
    if (p->call) {
        if (is_fine)
            snug_call_return(p->call, text, len);
        else
            snug_call_fail(p->call, text);
        free(p);
        return;
    }

    str_append(is_fine ? &p->result : &p->why, text, len);
    p->is_over = 1;
    pthread_cond_broadcast(&m->change);
}

/* Nobody is answered any more. The lock is held. */
static void fail_all(mcp *m, const char *why)
{
    while (m->first)
        finish_request(m, m->first, 0, why, strlen(why));
}

static void give_up_server(mcp *m, const char *what)
{
    const char *line;
    secrets_hide_str(&m->err); /* before it is cut */
    size_t len = child_last_line(&line, str_text(&m->err), m->err.len);

    pthread_mutex_lock(&m->lock);
    if (m->why.len == 0) {
        str_printf(&m->why, "the MCP server %s %s", m->label, what);
        if (len > 0)
            str_printf(&m->why, ": %.*s", (int)(len < 500 ? len : 500), line);
    }

    fail_all(m, str_text(&m->why));
    pthread_mutex_unlock(&m->lock);
}

/* The lock is held. */
static int queue_message(mcp *m, const char *text, size_t len)
{
    /* Half a message would spoil those behind it. */
    if (str_reserve(&m->out, len + 1))
        return SNUG_ENOMEM;
    str_append(&m->out, text, len);
    str_append(&m->out, "\n", 1);
    return SNUG_OK;
}

static int write_rpc_request(str *out, unsigned long id, const char *method, const str *params)
{
    int error = str_printf(
        out, "{\"jsonrpc\": \"2.0\", \"id\": %lu, \"method\": \"%s\", \"params\": ", id, method);
    if (!error)
        error = str_append(out, str_text(params), params->len);
    if (!error)
        error = str_add(out, "}");
    return error;
}

/* params: JSON. The pending request, which finish_request ends; NULL: *why says so. The lock is
 * held. */
static pending *send_request(mcp *m, snug_call *call, const char *method, const str *params,
                             const char **why)
{
    if (m->why.len > 0) {
        *why = m->why.data;
        return NULL;
    }

    *why = "out of memory";
    pending *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;

    str text = { 0 };
    p->call = call;
    p->id = ++m->ids;
    int error = write_rpc_request(&text, p->id, method, params);
    if (!error)
        error = queue_message(m, text.data, text.len);
    str_free(&text);
    if (error) {
        free(p);
        return NULL;
    }

    p->next = m->first;
    m->first = p;
    wake_server_thread(m);
    return p;
}

/* ---- what the server says; on the thread ---- */

static pending *find_pending(mcp *m, jsontext_span id)
{
    char text[32];
    for (pending *p = m->first; p; p = p->next) {
        snprintf(text, sizeof text, "%lu", p->id);
        if (jsontext_is(id, text))
            return p;
    }
    return NULL;
}

static void take_result_answer(mcp *m, pending *p, jsontext_span result)
{
    str answer = { 0 };

    if (p->call) {
        int is_fine;
        if (mcptool_read_result(&answer, &is_fine, result))
            finish_request(m, p, 0, "out of memory", 13);
        else
            finish_request(m, p, is_fine, str_text(&answer), answer.len);
    } else {
        finish_request(m, p, 1, result.text, result.len);
    }
    str_free(&answer);
}

static void take_error_answer(mcp *m, pending *p, jsontext_span error)
{
    str message = { 0 };
    if (jsontext_string(&message, jsontext_member(error, "message")) || message.len == 0)
        str_add(&message, "the MCP server answered with an error");
    secrets_hide_str(&message);
    finish_request(m, p, 0, str_text(&message), message.len);
    str_free(&message);
}

/* Of what a server may ask a client, we have an answer to ping only. */
static void take_request(mcp *m, jsontext_span id, jsontext_span method)
{
    str text = { 0 };
    int is_ping = jsontext_is(method, "\"ping\"");
    if (!str_printf(&text, "{\"jsonrpc\": \"2.0\", \"id\": %.*s, ", (int)id.len, id.text) &&
        !str_add(&text, is_ping ? "\"result\": {}}"
                                : "\"error\": {\"code\": -32601, \"message\": \"not found\"}}"))
        queue_message(m, text.data, text.len);
    str_free(&text);
}

/* The lock is held. 0: it is not a message. */
static int take_message(mcp *m, const char *line, size_t len)
{
    size_t at;
    jsontext_span message = { line, len };
    if (jsontext_check(line, len, &at) || line[strspn(line, " \t")] != '{')
        return 0;

    jsontext_span id = jsontext_member(message, "id"), method = jsontext_member(message, "method");
    jsontext_span result = jsontext_member(message, "result");
    jsontext_span error = jsontext_member(message, "error");
    if (method.text) {
        if (id.text)
            take_request(m, id, method);
        return 1; /* notifications are of no use here */
    }

    pending *p = find_pending(m, id);
    if (p && result.text)
        take_result_answer(m, p, result);
    else if (p && error.text)
        take_error_answer(m, p, error);
    else if (p)
        finish_request(m, p, 0, "the MCP server answered without a result", 40);

    /* Else it is an answer that nobody wants any more. */
    return id.text || error.text;
}

static void take_lines(mcp *m)
{
    size_t start = 0;
    char *end;

    while (m->looked < m->in.len &&
           (end = memchr(m->in.data + m->looked, '\n', m->in.len - m->looked))) {
        size_t len = (size_t)(end - m->in.data) - start;
        *end = '\0';
        pthread_mutex_lock(&m->lock);
        if (len > 0 && !take_message(m, m->in.data + start, len))
            fail_all(m, "the MCP server wrote a line that is not JSON-RPC");
        pthread_mutex_unlock(&m->lock);
        start = m->looked = (size_t)(end - m->in.data) + 1;
    }

    m->looked = m->in.len;
    if (start == 0)
        return;

    memmove(m->in.data, m->in.data + start, m->in.len - start);
    m->in.len -= start;
    m->looked -= start;
}

/* ---- the thread ---- */

/* Tells the server of calls that nobody waits for. The lock is held. */
static void cancel_unwanted(mcp *m)
{
    for (pending *p = m->first, *next; p; p = next) {
        char text[160];
        next = p->next;
        if (!p->call || snug_call_is_wanted(p->call))
            continue;
        int len = snprintf(text, sizeof text,
                           "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", "
                           "\"params\": {\"requestId\": %lu}}",
                           p->id);
        queue_message(m, text, (size_t)len);
        finish_request(m, p, 0, NULL, 0);
    }
}

static void write_out(mcp *m)
{
    child_write(&m->child, str_text(&m->out), m->out.len, &m->written, 0);
    if (m->written == m->out.len) {
        str_clear(&m->out);
        m->written = 0;
    }
}

/* 0: the server is not to be spoken with any more. */
static int take_turn(mcp *m)
{
    char bytes[64];

    pthread_mutex_lock(&m->lock);
    int is_closing = m->is_closing;
    cancel_unwanted(m);
    write_out(m);
    int writes = m->out.len > 0, waits = m->first != NULL;
    pthread_mutex_unlock(&m->lock);
    if (is_closing)
        return 0;

    struct pollfd fds[] = { { m->wake[0], POLLIN, 0 },
                            { m->child.out, POLLIN, 0 },
                            { m->child.err, POLLIN, 0 },
                            { writes ? m->child.in : -1, POLLOUT, 0 } };
    poll(fds, 4, waits ? LOOK_MS : -1);
    while (read(m->wake[0], bytes, sizeof bytes) > 0)
        ;
    child_read(&m->child.err, &m->err, STDERR_BYTES);
    child_read(&m->child.out, &m->in, MESSAGE_BYTES);
    take_lines(m);
    if (m->in.len >= MESSAGE_BYTES) {
        give_up_server(m, "sent a message of more than 32 MiB");
        return 0;
    }

    if (m->child.out < 0 || m->child.in < 0) {
        /* What it said at its end comes last. */
        poll(&fds[2], 1, LOOK_MS);
        child_read(&m->child.err, &m->err, STDERR_BYTES);
        give_up_server(m, "has ended");
        return 0;
    }

    return 1;
}

static void *serve_server(void *arg)
{
    mcp *m = arg;
    while (take_turn(m))
        ;
    return NULL;
}

/* ---- the beginning ---- */

/* On the thread of the signals. */
static void stop_start(void *target)
{
    mcp *m = target;
    pthread_mutex_lock(&m->lock);
    m->is_stopped = 1;
    pthread_cond_broadcast(&m->change);
    pthread_mutex_unlock(&m->lock);
}

/* The lock is held. */
static void fail_late(mcp *m, pending *p)
{
    char time[32], why[128];
    int len = snprintf(why, sizeof why, "no answer within %s%s",
                       quantity_text(time, sizeof time, m->start_ms, "ms"), m->limit);
    finish_request(m, p, 0, why, (size_t)len);
}

/* The same. */
static void wait_for_answer(mcp *m, pending *p, uint64_t until_ns)
{
    while (!p->is_over) {
        if (m->is_stopped)
            finish_request(m, p, 0, "stopped", 7);
        else if (clock_now_ns() >= until_ns)
            fail_late(m, p);
        else
            cond_wait_until(&m->change, &m->lock, until_ns);
    }
}

/* *result: the result of the request, to be freed. */
static int ask_server(str *result, mcp *m, const char *method, const str *params, uint64_t until_ns)
{
    const char *why;
    int error = SNUG_OK;

    pthread_mutex_lock(&m->lock);
    pending *p = send_request(m, NULL, method, params, &why);
    if (p)
        wait_for_answer(m, p, until_ns);

    if (p && p->result.len > 0) {
        *result = p->result;
    } else {
        why = p ? str_text(&p->why) : why;
        error = strstr(why, m->label)
                    ? error_set(SNUG_ESYSTEM, "%s", why)
                    : error_set(SNUG_ESYSTEM, "the MCP server %s, %s: %s", m->label, method, why);
    }

    if (p)
        str_free(&p->why);
    free(p);
    pthread_mutex_unlock(&m->lock);
    return error;
}

static int add_server_tool(mcp *m, jsontext_span description)
{
    mcptool *tools = realloc(m->tools, (m->tool_count + 1) * sizeof *tools);
    if (!tools)
        return error_no_memory();

    m->tools = tools;
    int error = mcptool_read(&tools[m->tool_count], description);
    if (error == SNUG_ENOMEM)
        return error_no_memory();

    if (error == SNUG_OK)
        tools[m->tool_count++].server = m;
    return SNUG_OK; /* one without a name is passed over */
}

/* One page of tools/list; *params are those of the next, empty at the end. */
static int take_page(mcp *m, str *params, jsontext_span page)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span tools = jsontext_member(page, "tools"), item;
    jsontext_span cursor = jsontext_member(page, "nextCursor");
    int error = SNUG_OK;

    if (!tools.text || !jsontext_enter(&j, tools))
        return error_set(SNUG_ESYSTEM, "the MCP server %s lists no tools", m->label);
    while (!error && m->tool_count < MOST_TOOLS && jsontext_item(&j, &ignored, &item))
        error = add_server_tool(m, item);
    str_clear(params);
    if (!error && cursor.text && !jsontext_is(cursor, "null") && m->tool_count < MOST_TOOLS)
        error = str_printf(params, "{\"cursor\": %.*s}", (int)cursor.len, cursor.text)
                    ? error_no_memory()
                    : SNUG_OK;

    return error;
}

static int list_tools(mcp *m, uint64_t until_ns)
{
    str params = { 0 };
    int error = str_add(&params, "{}") ? error_no_memory() : SNUG_OK;

    while (!error && params.len > 0) {
        str result = { 0 };
        if (!(error = ask_server(&result, m, "tools/list", &params, until_ns)))
            error = take_page(m, &params, (jsontext_span){ result.data, result.len });
        str_free(&result);
    }

    str_free(&params);
    return error;
}

static int greet_server(mcp *m, uint64_t until_ns)
{
    static const char done[] = "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}";
    str params = { 0 }, result = { 0 };
    if (str_printf(&params,
                   "{\"protocolVersion\": \"2025-06-18\", \"capabilities\": {}, \"clientInfo\": "
                   "{\"name\": \"snug\", \"version\": \"%s\"}}",
                   snug_version()))
        return error_no_memory();

    int error = ask_server(&result, m, "initialize", &params, until_ns);
    str_free(&params);
    str_free(&result);
    if (error)
        return error;

    pthread_mutex_lock(&m->lock);
    error = queue_message(m, done, sizeof done - 1);
    pthread_mutex_unlock(&m->lock);
    if (error)
        return error_no_memory();
    return SNUG_OK;
}

static int start_server(mcp *m, const char *command)
{
    pthread_condattr_t monotonic;

    m->wake[0] = m->wake[1] = -1;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->change, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pipe2(m->wake, O_CLOEXEC | O_NONBLOCK))
        return error_system("pipe");

    int error = child_start(&m->child, command);
    if (error)
        return error;
    if ((errno = pthread_create(&m->thread, NULL, serve_server, m)))
        return error_system("thread for %s", m->label);
    m->has_thread = 1;
    return SNUG_OK;
}

static int is_address(const char *command)
{
    return strncmp(command, "http://", 7) == 0 || strncmp(command, "https://", 8) == 0;
}

int mcp_open(mcp **out, const char *label, const char *command, signals *s, uint64_t start_ms,
             const char *limit)
{
    if (is_address(command))
        return error_set(
            SNUG_EINVAL,
            "the MCP server %s: a server is a command, which is spoken to by stdin and "
            "stdout; an address is not taken",
            label);

    mcp *m = calloc(1, sizeof *m);
    if (!m || !(m->label = strdup(label))) {
        free(m);
        return error_no_memory();
    }

    m->start_ms = start_ms;
    m->limit = limit;
    uint64_t until_ns = clock_deadline_ns(clock_now_ns(), start_ms);
    int error = start_server(m, command);
    if (signals_watch_call(s, stop_start, m))
        stop_start(m);
    if (!error && !(error = greet_server(m, until_ns)))
        error = list_tools(m, until_ns);
    signals_watch_call(s, NULL, NULL);
    if (error)
        mcp_close(m);
    else
        *out = m;

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
        wake_server_thread(m);
        pthread_join(m->thread, NULL);
    }

    if (m->is_stopped)
        child_kill(&m->child);
    else if (m->child.pid > 0)
        child_end(&m->child, END_MS);
    child_free(&m->child);
    for (size_t i = 0; i < m->tool_count; i++)
        mcptool_free(&m->tools[i]);
    free(m->tools);
    for (int i = 0; i < 2; i++)
        if (m->wake[i] >= 0)
            close(m->wake[i]);

    pthread_mutex_destroy(&m->lock);
    pthread_cond_destroy(&m->change);
    str_free(&m->in);
    str_free(&m->err);
    str_free(&m->out);
    str_free(&m->why);
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

/* On the thread that runs the cell. */
static void call_tool(void *payload, snug_call *call, const char *arguments)
{
    const mcptool *t = payload;
    mcp *m = t->server;
    const char *why = "out of memory";
    str params = { 0 };

    pthread_mutex_lock(&m->lock);
    int error = write_tool_call(&params, t, arguments);
    if (error || !send_request(m, call, "tools/call", &params, &why))
        snug_call_fail(call, why);
    pthread_mutex_unlock(&m->lock);
    str_free(&params);
}

mcptool *mcp_tool(mcp *m, size_t index)
{
    return index < m->tool_count ? &m->tools[index] : NULL;
}

int mcp_bind(mcp *m, int (*bind)(void *target, const snug_tool *tool), void *target,
             uint64_t timeout_ms)
{
    str stub = { 0 };
    int error = SNUG_OK;

    for (size_t i = 0; i < m->tool_count && !error; i++) {
        snug_tool tool = SNUG_TOOL_INIT;
        str_clear(&stub);
        error = str_printf(&stub, "(%s) -> %s", m->tools[i].typed, m->tools[i].result);
        if (error)
            break;
        tool.stub = stub.data;
        tool.name = m->tools[i].name;
        tool.signature = m->tools[i].signature;
        tool.doc = m->tools[i].doc;
        tool.timeout_ms = timeout_ms;
        tool.is_read_only = (uint64_t)m->tools[i].is_read_only;
        tool.fn = call_tool;
        tool.payload = &m->tools[i];
        error = bind(target, &tool);
    }

    str_free(&stub);
    return error;
}
