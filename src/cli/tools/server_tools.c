#include "cli/tools/server_tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "cli/tools/fetch_tool.h"
#include "cli/tools/tool_list.h"
#include "cli/upstream/client.h"
#include "cli/upstream/mcptool.h"
#include "cli/upstream/upstreams.h"

/* How often what servers offer is taken up again. */
enum { MOST_CHANGES = 1000 };

/* ---- opening ---- */

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

int server_tools_write_missing(str *out, const tools *t)
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

int server_tools_open(tools *t, signals *s)
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

void server_tools_close(tools *t)
{
    for (size_t i = 0; i < t->server_count; i++) {
        mcp_close(t->servers[i].mcp);
        free(t->servers[i].name);
    }
    free(t->servers);
    for (size_t i = 0; i < t->old_list_count; i++)
        tool_list_close(t->old_lists[i]);
    free(t->old_lists);
    free(t->viewers);
}

/* ---- names ---- */

static int has_tool_name(const tools *t, const mcptool *besides, const char *name)
{
    const mcptool *tool;

    for (size_t i = 0; i < t->command_count; i++)
        if (!strcmp(t->commands[i].name, name))
            return 1;
    if (t->fetch && !strcmp(name, FETCH_TOOL_NAME))
        return 1;
    for (size_t i = 0; i < t->server_count; i++)
        for (size_t k = 0; (tool = mcp_tool(t->servers[i].mcp, k)); k++)
            if (tool != besides && (!tool->is_new || tool->is_named) && !strcmp(tool->name, name))
                return 1;
    return 0;
}

int tools_is_taken_name(const tools *t, const char *name)
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

    if (!error && tools_is_taken_name(t, tool->name))
        error = mcptool_prefix(tool);
    for (unsigned number = 2; !error && has_tool_name(t, tool, tool->name); number++)
        error = mcptool_rename(tool, number);
    tool->is_named = 1;
    tool->born = t->generation;
    return error;
}

int server_tools_name(tools *t)
{
    mcptool *tool;
    int error = SNUG_OK;

    t->generation++;
    for (size_t i = 0; i < t->server_count && !error; i++)
        for (size_t k = 0; !error && (tool = mcp_tool(t->servers[i].mcp, k)); k++)
            if (tool->is_new && !tool->is_named)
                error = name_tool(t, tool, t->servers[i].name);
    return error ? command_fail_memory() : EXIT_FINE;
}

/* ---- changes ---- */

/* The lists before are in use, perhaps, until the end. */
static int renew_list(tools *t)
{
    tool_list *list;
    tool_list **lists = realloc(t->old_lists, (t->old_list_count + 1) * sizeof *lists);

    if (!lists)
        return SNUG_ENOMEM;
    t->old_lists = lists;
    if (tool_list_open(&list, t)) {
        tool_list_close(list);
        return SNUG_ENOMEM;
    }
    lists[t->old_list_count++] = t->list;
    t->list = list;
    return SNUG_OK;
}

/* The lock is held. */
static int renew_servers(tools *t)
{
    int has_changed = 0;

    if (t->generation > MOST_CHANGES || !t->list)
        return SNUG_OK;
    for (size_t i = 0; i < t->server_count; i++)
        has_changed |= mcp_renew(t->servers[i].mcp);
    if (!has_changed)
        return SNUG_OK;
    return server_tools_name(t) || renew_list(t) ? error_no_memory() : SNUG_OK;
}

/* Those that *seen does not know, NULL behind them. *out: to be freed. */
static int collect_unseen(mcptool ***out, tools *t, unsigned long *seen)
{
    mcptool *tool;
    size_t count = 0;

    for (size_t i = 0; i < t->server_count; i++)
        for (size_t k = 0; mcp_tool(t->servers[i].mcp, k); k++)
            count++;
    if (!(*out = calloc(count + 1, sizeof **out)))
        return error_no_memory();
    count = 0;
    for (size_t i = 0; i < t->server_count; i++)
        for (size_t k = 0; (tool = mcp_tool(t->servers[i].mcp, k)); k++)
            if (tool->born > *seen)
                (*out)[count++] = tool;
    *seen = t->generation;
    return SNUG_OK;
}

/* Its name for the server, behind the server's. */
static int write_origin(str *out, const tools *t, const mcptool *of)
{
    const char *server = NULL;

    for (size_t i = 0; i < t->server_count; i++)
        if (t->servers[i].mcp == of->server)
            server = t->servers[i].name;
    return str_printf(out, "%s%s%s", server ? server : "", server ? "." : "", of->remote);
}

static int bind_tool(const tools *t, mcptool *of, bind_fn *bind, void *target)
{
    snug_tool tool = SNUG_TOOL_INIT;
    str types = { 0 }, origin = { 0 };

    if (str_printf(&types, "(%s) -> %s", of->typed, of->result) || write_origin(&origin, t, of)) {
        str_free(&types);
        return error_no_memory();
    }
    tool.origin = origin.data;
    tool.stub = types.data;
    tool.name = of->name;
    tool.signature = of->signature;
    tool.doc = of->doc;
    tool.timeout_ms = t->timeout_ms;
    tool.is_read_only = (uint64_t)of->is_read_only;
    tool.is_async = SNUG_TOOL_EITHER;
    tool.fn = mcp_call_tool;
    tool.payload = of;
    int error = bind(target, &tool);
    str_free(&types);
    str_free(&origin);
    return error;
}

int server_tools_bind(tools *t, unsigned long *seen, int goes_on, bind_fn *bind, void *target)
{
    mcptool **unseen = NULL;

    pthread_mutex_lock(&t->renewing);
    int error = renew_servers(t);
    if (!error)
        error = collect_unseen(&unseen, t, seen);
    pthread_mutex_unlock(&t->renewing);
    /* What was a tool once lives on, and keeps its name. */
    for (size_t i = 0; !error && unseen[i]; i++) {
        error = bind_tool(t, unseen[i], bind, target);
        if (error == SNUG_EINVAL && goes_on) {
            command_fail(EXIT_FINE, "%s", secrets_error_message());
            error = SNUG_OK;
        }
    }
    free(unseen);
    return error;
}

/* ---- who has seen what ---- */

typedef struct tool_viewer {
    const snug_session *session;
    unsigned long seen;
} tool_viewer;

static tool_viewer *find_viewer(tools *t, const snug_session *session)
{
    for (size_t i = 0; i < t->viewer_count; i++)
        if (t->viewers[i].session == session)
            return &t->viewers[i];
    return NULL;
}

unsigned long server_tools_seen(tools *t, const snug_session *session)
{
    pthread_mutex_lock(&t->renewing);
    const tool_viewer *found = find_viewer(t, session);
    const unsigned long seen = found ? found->seen : 0;
    pthread_mutex_unlock(&t->renewing);
    return seen;
}

int server_tools_note(tools *t, const snug_session *session, unsigned long seen)
{
    int error = SNUG_OK;

    pthread_mutex_lock(&t->renewing);
    tool_viewer *found = find_viewer(t, session);
    if (!found && !(error = array_reserve(&t->viewers, &t->viewer_cap, t->viewer_count + 1,
                                          sizeof *t->viewers))) {
        found = &t->viewers[t->viewer_count++];
        found->session = session;
    }
    if (found)
        found->seen = seen;
    pthread_mutex_unlock(&t->renewing);
    return error ? error_no_memory() : SNUG_OK;
}
