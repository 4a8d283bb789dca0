#include "cli/tools/user_tools.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/jsontext.h"
#include "base/process/child.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "cli/tools/fetch_tool.h"
#include "cli/tools/mcp.h"
#include "cli/tools/mcptool.h"
#include "cli/tools/tool_list.h"
#include "cli/tools/upstream.h"

enum {
    STACK_BYTES = 512 * 1024, /* of TLS too */
    STDERR_BYTES = 64 * 1024,
    LOOK_MS = 20 /* after so long it is noticed that a call is not wanted any more */
};

/* ---- a call of a command ---- */

typedef struct command_call {
    const command_tool *tool;
    snug_call *call;
    child child;
    str out, err;
} command_call;

/* Answers 0 when it is of no use any more. */
static int talk_to_child(command_call *c, const str *line)
{
    size_t written = 0;
    child *p = &c->child;

    for (int has_ended = 0;;) {
        child_write(p, str_text(line), line->len, &written, 1);
        child_read(&p->out, &c->out, SNUG_TOOL_BYTES + 1);
        child_read(&p->err, &c->err, STDERR_BYTES);
        /* What it had written when it ended was read after that. */
        if (has_ended)
            return 1;
        if (!snug_call_is_wanted(c->call) || c->out.len > SNUG_TOOL_BYTES)
            return 0;
        has_ended = child_has_ended(p);
        if (has_ended)
            continue;
        struct pollfd fds[] = { { p->in, POLLOUT, 0 },
                                { p->out, POLLIN, 0 },
                                { p->err, POLLIN, 0 } };
        int is_closed = p->out < 0 && p->err < 0;
        poll(fds, 3, is_closed ? 1 : LOOK_MS);
    }
}

static void fail_call(command_call *c)
{
    const char *line;
    char how[64];
    str message = { 0 };
    int status = c->child.status;

    secrets_hide_str(&c->err); /* before it is cut */
    size_t len = child_last_line(&line, str_text(&c->err), c->err.len);

    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "signal %d", WTERMSIG(status));
    else
        snprintf(how, sizeof how, "exit status %d", WEXITSTATUS(status));

    if (len > 0)
        str_append(&message, line, len < 1000 ? len : 1000);
    else
        str_printf(&message, "%s() failed: %s", c->tool->name, how);

    snug_call_fail(c->call, str_text(&message));
    str_free(&message);
}

static void return_output(command_call *c)
{
    size_t at, len = c->out.len;
    str quoted = { 0 };

    if (len > SNUG_TOOL_BYTES || !jsontext_check(str_text(&c->out), len, &at)) {
        snug_call_return(c->call, str_text(&c->out), len);
        return;
    }

    len -= len > 0 && c->out.data[len - 1] == '\n';
    if (jsontext_quote(&quoted, str_text(&c->out), len))
        snug_call_fail(c->call, "out of memory");
    else
        snug_call_return(c->call, quoted.data, quoted.len);
    str_free(&quoted);
}

static void run_tool(command_call *c)
{
    str line = { 0 };

    if (str_add(&line, snug_call_arguments(c->call)) || str_add(&line, "\n")) {
        snug_call_fail(c->call, "out of memory");
    } else if (child_start(&c->child, c->tool->command)) {
        snug_call_fail(c->call, error_message());
    } else if (talk_to_child(c, &line)) {
        child_wait(&c->child);
        if (c->child.status)
            fail_call(c);
        else
            return_output(c);
    } else {
        child_kill(&c->child);
        str_clear(&line);
        str_printf(&line, "%s() wrote more than 16 MiB", c->tool->name);
        snug_call_fail(c->call, str_text(&line));
    }
    str_free(&line);
}

static void answer_by_command(void *payload, snug_call *call)
{
    command_call c = { .tool = payload, .call = call };

    run_tool(&c);
    child_free(&c.child);
    str_free(&c.out);
    str_free(&c.err);
}

/* On the thread that runs the cell. */
static void call_command(void *payload, snug_call *call, const char *arguments)
{
    const command_tool *tool = payload;

    (void)arguments;
    tools_answer(tool->tools, call, answer_by_command, payload);
}

/* ---- threads of calls ---- */

typedef struct answering {
    tools *tools;
    snug_call *call;
    void (*fn)(void *payload, snug_call *call);
    void *payload;
} answering;

static void count_calls(tools *t, int difference)
{
    pthread_mutex_lock(&t->lock);
    t->calls += (size_t)difference;
    if (difference < 0)
        pthread_cond_signal(&t->change);
    pthread_mutex_unlock(&t->lock);
}

static void *answer_call(void *arg)
{
    answering *a = arg;
    tools *t = a->tools;

    a->fn(a->payload, a->call);
    free(a);
    count_calls(t, -1);
    return NULL;
}

void tools_answer(tools *t, snug_call *call, void (*fn)(void *payload, snug_call *call),
                  void *payload)
{
    pthread_t thread;
    pthread_attr_t attributes;
    answering *a = malloc(sizeof *a);

    if (!a) {
        snug_call_fail(call, "out of memory");
        return;
    }

    *a = (answering){ t, call, fn, payload };
    count_calls(t, 1);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attributes, answer_call, a);
    pthread_attr_destroy(&attributes);
    if (!error)
        return;

    free(a);
    snug_call_fail(call, strerror(error));
    count_calls(t, -1);
}

/* ---- all of them ---- */

static int has_tool_name(const tools *t, const mcptool *last, const char *name)
{
    for (size_t i = 0; i < t->command_count; i++)
        if (!strcmp(t->commands[i].name, name))
            return 1;
    if (t->fetch && !strcmp(name, FETCH_TOOL_NAME))
        return 1;

    for (size_t i = 0; i < t->server_count; i++) {
        const mcptool *tool;
        for (size_t k = 0; (tool = mcp_tool(t->servers[i], k)); k++) {
            if (tool == last)
                return 0;
            if (!strcmp(tool->name, name))
                return 1;
        }
    }

    return 0;
}

/* A server could have what cells print, or read, by the name of its tool. 1: name was changed, and
 * that is said. */
static int is_taken_name(const char *name, const options *o)
{
    if (snug_tool_check_name(name, o->session.profile, o->session.allow) != SNUG_EINVAL)
        return 0;
    command_fail(EXIT_FINE, "%s: it is called tool_%s here", snug_error_message(), name);
    return 1;
}

static int prefix_taken_names(tools *t, const options *o)
{
    mcptool *tool;
    int error = SNUG_OK;

    for (size_t i = 0; i < t->server_count && !error; i++)
        for (size_t k = 0; !error && (tool = mcp_tool(t->servers[i], k)); k++)
            if (is_taken_name(tool->name, o))
                error = mcptool_prefix(tool);

    for (size_t i = 0; i < t->command_count && !error; i++) {
        str name = { 0 };
        if (!is_taken_name(t->commands[i].name, o))
            continue;
        error = str_printf(&name, "tool_%s", t->commands[i].name);
        free(t->commands[i].name);
        t->commands[i].name = str_take(&name);
    }

    if (error)
        return command_fail_memory();
    return EXIT_FINE;
}

/* Several servers may have tools of one name; those of --tool keep theirs. */
static int tell_apart(tools *t)
{
    mcptool *tool;
    for (size_t i = 0; i < t->server_count; i++)
        for (size_t k = 0; (tool = mcp_tool(t->servers[i], k)); k++)
            for (unsigned number = 2; has_tool_name(t, tool, tool->name); number++)
                if (mcptool_rename(tool, number))
                    return command_fail_memory();
    return EXIT_FINE;
}

/* NAME=COMMAND was checked. */
static int add_command(tools *t, const char *spec)
{
    command_tool *c = &t->commands[t->command_count++];
    size_t len = strcspn(spec, "=");

    c->tools = t;
    c->name = strndup(spec, len);
    c->command = strdup(spec + len + 1);
    if (c->name && c->command)
        return EXIT_FINE;
    return command_fail_memory();
}

/* Under the name of their server. */
static int place_tools(mcp *server, const char *name)
{
    mcptool *tool;
    for (size_t i = 0; (tool = mcp_tool(server, i)); i++)
        if (mcptool_place(tool, name))
            return command_fail_memory();
    return EXIT_FINE;
}

/* name: of an upstream; NULL: its tools have their names alone. */
static int open_server(tools *t, const options *o, const char *name, const char *command,
                       signals *s)
{
    const char *limit;
    const uint64_t start_ms = command_start_ms(&limit, o);
    int error =
        mcp_open(&t->servers[t->server_count], name ? name : command, command, s, start_ms, limit);
    const int taken = signals_taken(s);

    if (!error)
        t->server_count++;
    if (taken)
        return 128 + taken;
    if (error)
        return command_fail(EXIT_USAGE, "%s", error_message());
    return name ? place_tools(t->servers[t->server_count - 1], name) : EXIT_FINE;
}

static int open_servers(tools *t, const options *o, signals *s)
{
    upstreams u = { 0 };
    int status = upstreams_read(&u, o);
    const size_t count = o->servers.count + u.count;

    if (!status && count > 0 && !(t->servers = calloc(count, sizeof(mcp *))))
        status = command_fail_memory();
    for (size_t i = 0; i < o->servers.count && !status; i++)
        status = open_server(t, o, NULL, o->servers.items[i], s);
    for (size_t i = 0; i < u.count && !status; i++)
        status = open_server(t, o, u.items[i].name, u.items[i].command, s);
    upstreams_free(&u);
    return status;
}

int tools_open(tools *t, const options *o, signals *s)
{
    *t = (tools){ .timeout_ms = o->tool_timeout_ms == SNUG_UNLIMITED ? 0 : o->tool_timeout_ms };
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->change, NULL);
    int status = EXIT_FINE;
    if (o->tools.count > 0 && !(t->commands = calloc(o->tools.count, sizeof *t->commands)))
        return command_fail_memory();

    for (size_t i = 0; i < o->tools.count && !status; i++)
        status = add_command(t, o->tools.items[i]);
    if (!status)
        status = open_servers(t, o, s);
    if (!status && (o->fetch_hosts.count > 0 || o->fetch_secrets.count > 0))
        status = fetch_tool_open(&t->fetch, t, o);
    if (!status)
        status = prefix_taken_names(t, o);
    if (!status)
        status = tell_apart(t);
    return status ? status : tool_list_open(&t->list, t);
}

static int bind_tools(tools *t, int (*bind)(void *target, const snug_tool *tool), void *target)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < t->server_count && !error; i++)
        error = mcp_bind(t->servers[i], bind, target, t->timeout_ms);
    for (size_t i = 0; i < t->command_count && !error; i++) {
        snug_tool tool = SNUG_TOOL_INIT;
        tool.name = t->commands[i].name;
        tool.timeout_ms = t->timeout_ms;
        tool.fn = call_command;
        tool.payload = &t->commands[i];
        error = bind(target, &tool);
    }

    if (!error && t->fetch)
        error = fetch_tool_bind(t->fetch, bind, target);
    return error ? error : tool_list_bind(t->list, bind, target);
}

static int bind_in_session(void *target, const snug_tool *tool)
{
    return snug_session_bind_tool(target, tool);
}

int tools_bind(tools *t, snug_session *session)
{
    return bind_tools(t, bind_in_session, session);
}

static int bind_in_agent(void *target, const snug_tool *tool)
{
    return snug_agent_bind_tool(target, tool);
}

int tools_bind_agent(tools *t, snug_agent *agent)
{
    return bind_tools(t, bind_in_agent, agent);
}

void tools_close(tools *t)
{
    pthread_mutex_lock(&t->lock);
    while (t->calls > 0)
        pthread_cond_wait(&t->change, &t->lock);
    pthread_mutex_unlock(&t->lock);
    for (size_t i = 0; i < t->server_count; i++)
        mcp_close(t->servers[i]);
    for (size_t i = 0; i < t->command_count; i++) {
        free(t->commands[i].name);
        free(t->commands[i].command);
    }

    tool_list_close(t->list);
    fetch_tool_close(t->fetch);
    free(t->servers);
    free(t->commands);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->change);
}
