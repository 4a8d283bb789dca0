#include "cli/tools/user_tools.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "base/process/child.h"
#include "base/tool_rule.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "cli/tools/fetch_tool.h"
#include "cli/tools/tool_list.h"
#include "cli/upstream/client.h"
#include "cli/upstream/mcptool.h"
#include "cli/upstream/upstreams.h"

typedef int bind_fn(void *target, const snug_tool *tool);

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

static void return_json(command_call *c, str *text)
{
    if (text->len > 0)
        text->len = secrets_hide_json(text->data, text->len);
    snug_call_return(c->call, str_text(text), text->len);
}

static void return_output(command_call *c)
{
    size_t at, len = c->out.len;
    str quoted = { 0 };

    if (len > SNUG_TOOL_BYTES || !jsontext_check(str_text(&c->out), len, &at)) {
        return_json(c, &c->out);
        return;
    }

    len -= len > 0 && c->out.data[len - 1] == '\n';
    if (jsontext_quote(&quoted, str_text(&c->out), len))
        snug_call_fail(c->call, "out of memory");
    else
        return_json(c, &quoted);
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

/* ---- servers ---- */

/* is_named: its tools stand under its name. */
static int open_server(tools *t, const upstream *server, int is_named)
{
    const char *limit;
    const uint64_t start_ms = command_start_ms(&limit, t->options);
    int error = mcp_open(&t->servers[t->server_count].mcp, server, start_ms, limit);

    if (!error && is_named && !(t->servers[t->server_count].name = strdup(server->name)))
        error = error_no_memory();
    t->server_count += t->servers[t->server_count].mcp != NULL;
    return error ? command_fail(EXIT_USAGE, "%s", error_message()) : EXIT_FINE;
}

/* What stands in its place in messages: of a URL, what comes before its query. */
static int open_nameless(tools *t, const char *spec)
{
    const int is_url = upstream_is_url(spec);
    char *label = is_url ? strndup(spec, strcspn(spec, "?#")) : strdup(spec);
    char *own = strdup(spec);
    const upstream server = { .name = label,
                              .command = is_url ? NULL : own,
                              .url = is_url ? own : NULL };
    const int status = label && own ? open_server(t, &server, 0) : command_fail_memory();

    free(own);
    free(label);
    return status;
}

/* One that is not ready is missing where the program may go on without it. */
static int wait_for_servers(tools *t, signals *s)
{
    const uint64_t ms = t->options->upstream_ms;
    const uint64_t until_ns = ms > 0 ? clock_deadline_ns(clock_now_ns(), ms) : UINT64_MAX;

    for (size_t i = 0; i < t->server_count; i++) {
        const int error = mcp_wait(t->servers[i].mcp, s, until_ns);
        if (signals_taken(s))
            return 128 + signals_taken(s);
        if (error && ms == 0)
            return command_fail(EXIT_USAGE, "%s", error_message());
        if (error)
            command_fail(EXIT_FINE, "%s; its functions are missing", error_message());
    }
    return EXIT_FINE;
}

int tools_write_missing(str *out, const tools *t)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < t->server_count && !error; i++) {
        str why = { 0 };
        error = mcp_write_failure(&why, t->servers[i].mcp);
        secrets_hide_str(&why);
        if (!error && why.len > 0)
            error = str_printf(out, "\nFunctions are missing: %s.", why.data);
        str_free(&why);
    }
    return error;
}

/* They start side by side. EXIT_FINE, or a status after one sentence. */
static int open_servers(tools *t, signals *s)
{
    const options *o = t->options;
    upstreams u = { 0 };
    int status = upstreams_read(&u, o);
    const size_t count = o->servers.count + u.count;

    if (!status && count > 0 && !(t->servers = calloc(count, sizeof *t->servers)))
        status = command_fail_memory();
    for (size_t i = 0; i < o->servers.count && !status; i++)
        status = open_nameless(t, o->servers.items[i]);
    for (size_t i = 0; i < u.count && !status; i++)
        status = open_server(t, &u.items[i], 1);
    upstreams_free(&u);
    return status ? status : wait_for_servers(t, s);
}

static void close_servers(tools *t)
{
    for (size_t i = 0; i < t->server_count; i++) {
        mcp_close(t->servers[i].mcp);
        free(t->servers[i].name);
    }
    free(t->servers);
}

/* ---- names ---- */

/* Among those that have their names already. */
static int has_tool_name(const tools *t, const mcptool *until, const char *name)
{
    const mcptool *tool;

    for (size_t i = 0; i < t->command_count; i++)
        if (!strcmp(t->commands[i].name, name))
            return 1;
    if (t->fetch && !strcmp(name, FETCH_TOOL_NAME))
        return 1;
    for (size_t i = 0; i < t->server_count; i++)
        for (size_t k = 0; (tool = mcp_tool(t->servers[i].mcp, k)); k++)
            if (tool == until)
                return 0;
            else if (!strcmp(tool->name, name))
                return 1;
    return 0;
}

/* Whether something of a cell's has that name; then a sentence was said. */
static int is_taken_name(const tools *t, const char *name)
{
    const snug_session_options *wanted = &t->options->session;

    if (snug_tool_check_name(name, wanted->profile, wanted->allow) != SNUG_EINVAL)
        return 0;
    command_fail(EXIT_FINE, "%s: it is called tool_%s here", snug_error_message(), name);
    return 1;
}

/* A server could have what cells print, or read, by the name of its tool; and several may have
 * tools of one name: those of --tool keep theirs. */
static int name_tool(tools *t, mcptool *tool, const char *server)
{
    int error = server ? mcptool_place(tool, server) : SNUG_OK;

    if (!error && is_taken_name(t, tool->name))
        error = mcptool_prefix(tool);
    for (unsigned number = 2; !error && has_tool_name(t, tool, tool->name); number++)
        error = mcptool_rename(tool, number);
    return error;
}

/* Gives them the names that cells have for them. EXIT_FINE, or EXIT_USAGE after one sentence. */
static int name_servers_tools(tools *t)
{
    mcptool *tool;
    int error = SNUG_OK;

    for (size_t i = 0; i < t->server_count && !error; i++)
        for (size_t k = 0; !error && (tool = mcp_tool(t->servers[i].mcp, k)); k++)
            error = name_tool(t, tool, t->servers[i].name);
    return error ? command_fail_memory() : EXIT_FINE;
}

/* "SERVER.NAME", with its name for the server. */
static int write_origin(str *out, const tools *t, const mcptool *of)
{
    const char *server = NULL;

    for (size_t i = 0; i < t->server_count; i++)
        if (t->servers[i].mcp == of->server)
            server = t->servers[i].name;
    return str_printf(out, "%s%s%s", server ? server : "", server ? "." : "", of->remote);
}

static int bind_server_tool(const tools *t, mcptool *of, bind_fn *bind, void *target)
{
    snug_tool tool = SNUG_TOOL_INIT;
    str origin = { 0 };

    if (write_origin(&origin, t, of))
        return error_no_memory();
    tool.origin = origin.data;
    tool.stub = of->types;
    tool.name = of->name;
    tool.signature = of->signature;
    tool.doc = of->doc;
    tool.timeout_ms = t->timeout_ms;
    tool.is_read_only = (uint64_t)of->is_read_only;
    tool.is_async = SNUG_TOOL_EITHER;
    tool.fn = mcp_call_tool;
    tool.payload = of;
    int error = bind(target, &tool);
    str_free(&origin);
    return error;
}

static int bind_servers(tools *t, bind_fn *bind, void *target)
{
    mcptool *tool;
    int error = SNUG_OK;

    for (size_t i = 0; i < t->server_count; i++)
        for (size_t k = 0; !error && (tool = mcp_tool(t->servers[i].mcp, k)); k++)
            error = bind_server_tool(t, tool, bind, target);
    return error;
}

/* ---- all of them ---- */

/* A tool could have what cells print, or read, by its name. */
static int prefix_taken_commands(tools *t)
{
    for (size_t i = 0; i < t->command_count; i++) {
        str name = { 0 };
        if (!is_taken_name(t, t->commands[i].name))
            continue;
        if (str_printf(&name, "tool_%s", t->commands[i].name))
            return command_fail_memory();
        t->commands[i].given = t->commands[i].name;
        t->commands[i].name = str_take(&name);
    }
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

static int start_tools(tools *t, const options *o, signals *s)
{
    int status = EXIT_FINE;
    if (o->tools.count > 0 && !(t->commands = calloc(o->tools.count, sizeof *t->commands)))
        return command_fail_memory();

    for (size_t i = 0; i < o->tools.count && !status; i++)
        status = add_command(t, o->tools.items[i]);
    if (!status)
        status = open_servers(t, s);
    if (!status && (o->fetch_hosts.count > 0 || o->fetch_secrets.count > 0))
        status = fetch_tool_open(&t->fetch, t, o);
    if (!status)
        status = prefix_taken_commands(t);
    return status ? status : name_servers_tools(t);
}

/* ---- binding ---- */

/* Those of the run that is replayed. */
static int bind_replayed(const tools *t, bind_fn *bind, void *target)
{
    const snug_tool *tool;
    int error = SNUG_OK;

    for (size_t i = 0; !error && (tool = journal_file_tool(t->file, i)); i++)
        error = bind(target, tool);
    return error;
}

static int bind_commands(tools *t, bind_fn *bind, void *target)
{
    int error = SNUG_OK;

    for (size_t i = 0; i < t->command_count && !error; i++) {
        snug_tool tool = SNUG_TOOL_INIT;
        tool.name = t->commands[i].name;
        tool.origin = t->commands[i].given;
        tool.timeout_ms = t->timeout_ms;
        tool.is_async = SNUG_TOOL_EITHER;
        tool.fn = call_command;
        tool.payload = &t->commands[i];
        error = bind(target, &tool);
    }
    return error;
}

int tools_visit(tools *t, bind_fn *visit, void *target)
{
    if (t->is_replay)
        return bind_replayed(t, visit, target);
    int error = bind_servers(t, visit, target);

    if (!error)
        error = bind_commands(t, visit, target);
    if (!error && t->fetch)
        error = fetch_tool_bind(t->fetch, visit, target);
    return error ? error : tool_list_bind(t->list, visit, target);
}

static int write_tools(tools *t)
{
    return tools_visit(t, journal_file_add_tool, t->file) ? command_fail_memory() : EXIT_FINE;
}

/* Which rules fit a tool that there is. */
typedef struct rule_use {
    const options *options;
    char *fits; /* of each rule */
    size_t tools;
} rule_use;

static int note_rules(void *target, const snug_tool *tool)
{
    rule_use *u = target;

    u->tools++;
    for (size_t i = 0; i < u->options->rule_count; i++)
        if (tool_rule_fits(&u->options->rules[i], tool->name, tool->origin))
            u->fits[i] = 1;
    return SNUG_OK;
}

/* A slip in one that denies would allow. */
static int say_unused_rules(tools *t)
{
    const options *o = t->options;
    rule_use use = { .options = o, .fits = calloc(o->rule_count + 1, 1) };
    const int error = use.fits ? tools_visit(t, note_rules, &use) : SNUG_ENOMEM;

    for (size_t i = 0; i < o->rule_count && use.tools > 0 && !error; i++)
        if (!use.fits[i])
            command_fail(EXIT_FINE, "--tool-rule %s fits no tool", o->tool_rules.items[i]);
    free(use.fits);
    return error ? command_fail_memory() : EXIT_FINE;
}

int tools_open(tools *t, const options *o, signals *s)
{
    *t = (tools){ .timeout_ms = o->tool_timeout_ms == SNUG_UNLIMITED ? 0 : o->tool_timeout_ms,
                  .options = o,
                  .is_replay = o->replay_path != NULL };
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->change, NULL);
    int status = journal_file_open(&t->file, o);
    t->journal = journal_file_journal(t->file);
    if (!status && !t->is_replay)
        status = start_tools(t, o, s);
    if (!status)
        status = tool_list_open(&t->list, t);
    if (!status && t->file)
        status = write_tools(t);
    /* A replay's rules have decided already, and its tools have lost where they come from. */
    if (!status && o->rule_count > 0 && !t->is_replay)
        status = say_unused_rules(t);
    return status;
}

static int bind_in_session(void *target, const snug_tool *tool)
{
    return snug_session_bind_tool(target, tool);
}

int tools_bind(tools *t, snug_session *session)
{
    return tools_visit(t, bind_in_session, session);
}

static int bind_in_agent(void *target, const snug_tool *tool)
{
    return snug_agent_bind_tool(target, tool);
}

int tools_bind_agent(tools *t, snug_agent *agent)
{
    return tools_visit(t, bind_in_agent, agent);
}

int tools_close(tools *t)
{
    pthread_mutex_lock(&t->lock);
    while (t->calls > 0)
        pthread_cond_wait(&t->change, &t->lock);
    pthread_mutex_unlock(&t->lock);
    close_servers(t);
    for (size_t i = 0; i < t->command_count; i++) {
        free(t->commands[i].name);
        free(t->commands[i].given);
        free(t->commands[i].command);
    }

    tool_list_close(t->list);
    fetch_tool_close(t->fetch);
    free(t->commands);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->change);
    const int status = journal_file_close(t->file);
    t->file = NULL;
    return status;
}
