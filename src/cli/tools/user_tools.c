#include "cli/tools/user_tools.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/jsontext.h"
#include "base/process/child.h"
#include "base/tool_rule.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "cli/tools/fetch_tool.h"
#include "cli/tools/server_tools.h"
#include "cli/tools/tool_list.h"

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

/* ---- all of them ---- */

/* A tool could have what cells print, or read, by its name. */
static int prefix_taken_commands(tools *t)
{
    for (size_t i = 0; i < t->command_count; i++) {
        str name = { 0 };
        if (!tools_is_taken_name(t, t->commands[i].name))
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
        status = server_tools_open(t, s);
    if (!status && (o->fetch_hosts.count > 0 || o->fetch_secrets.count > 0))
        status = fetch_tool_open(&t->fetch, t, o);
    if (!status)
        status = prefix_taken_commands(t);
    return status ? status : server_tools_name(t);
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

/* seen: as server_tools_bind. */
static int bind_all(tools *t, unsigned long *seen, bind_fn *bind, void *target)
{
    if (t->is_replay)
        return bind_replayed(t, bind, target);
    int error = server_tools_bind(t, seen, 0, bind, target);

    if (!error)
        error = bind_commands(t, bind, target);
    if (!error && t->fetch)
        error = fetch_tool_bind(t->fetch, bind, target);
    return error ? error : tool_list_bind(t->list, bind, target);
}

int tools_visit(tools *t, bind_fn *visit, void *target)
{
    unsigned long seen = 0;
    return bind_all(t, &seen, visit, target);
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
            command_fail(EXIT_FINE, "--tool-rule %s fits no tool%s", o->tool_rules.items[i],
                         t->server_count > 0 ? " so far" : "");
    free(use.fits);
    return error ? command_fail_memory() : EXIT_FINE;
}

int tools_open(tools *t, const options *o, signals *s)
{
    *t = (tools){ .timeout_ms = o->tool_timeout_ms == SNUG_UNLIMITED ? 0 : o->tool_timeout_ms,
                  .options = o,
                  .is_replay = o->replay_path != NULL };
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&t->renewing, NULL);
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
    unsigned long seen = 0;
    int error = bind_all(t, &seen, bind_in_session, session);

    if (!error && t->server_count > 0)
        error = server_tools_note(t, session, seen);
    return error;
}

typedef struct renewal {
    tools *tools;
    snug_session *session;
} renewal;

static int bind_renewed(void *target, const snug_tool *tool)
{
    renewal *r = target;
    int error = snug_session_bind_tool(r->session, tool);

    if (!error && r->tools->file)
        error = journal_file_add_tool(r->tools->file, tool);
    return error;
}

void tools_renew(tools *t, snug_session *session)
{
    unsigned long seen = t->server_count > 0 ? server_tools_seen(t, session) : 0;

    /* A session that cannot have them now may have them for the next cell. */
    renewal r = { t, session };
    if (seen && !server_tools_bind(t, &seen, 1, bind_renewed, &r))
        server_tools_note(t, session, seen);
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
    server_tools_close(t);
    for (size_t i = 0; i < t->command_count; i++) {
        free(t->commands[i].name);
        free(t->commands[i].given);
        free(t->commands[i].command);
    }

    tool_list_close(t->list);
    fetch_tool_close(t->fetch);
    free(t->commands);
    pthread_mutex_destroy(&t->lock);
    pthread_mutex_destroy(&t->renewing);
    pthread_cond_destroy(&t->change);
    const int status = journal_file_close(t->file);
    t->file = NULL;
    return status;
}
