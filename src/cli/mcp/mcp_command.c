/* snug mcp: a server of the Model Context Protocol. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/mcp/server.h"
#include "cli/mcp/tokens.h"
#include "cli/program/command.h"
#include "cli/program/state_folder.h"

enum { FOLDERS = 64 };

/* Everything of a run. */
typedef struct run {
    options options; /* as they were given, with a worker unless another form was named */
    signals signals;
    tools tools;
    str state;
    snug_host_options host;
    snug_supervisor_limits limits;
    mcp_server server;
    tokens tokens;
} run;

static int has_program(const char *name)
{
    const char *path = getenv("PATH");
    str file = { 0 };
    int found = 0;

    while (path && *path && !found) {
        const size_t len = strcspn(path, ":");
        str_clear(&file);
        if (str_printf(&file, "%.*s/%s", (int)len, path, name) == SNUG_OK)
            found = access(file.data, X_OK) == 0;
        path += len + (path[len] == ':');
    }
    str_free(&file);
    return found;
}

static int on_session(void *payload, snug_session *session, const char *tenant, const char *name)
{
    (void)tenant;
    (void)name;
    if (snug_session_kind(session) == SNUG_KIND_BASH)
        return SNUG_OK;
    return tools_bind(&((run *)payload)->tools, session);
}

/* After the name of the session; NULL: it is ordinary, or has no session. */
static const char *fact_of(const snug_supervisor_event *event)
{
    switch (event->kind) {
    case SNUG_SUPERVISOR_EVENT_SAVE_FAILED:
        /* Sessions of bash stay open, because they are never saved. */
        return strncmp(event->session, "sh_", 3) ? "could not be saved, and stays open" : NULL;
    case SNUG_SUPERVISOR_EVENT_LOST:
        return "is not as it was";
    case SNUG_SUPERVISOR_EVENT_WORKER_DIED:
    case SNUG_SUPERVISOR_EVENT_STATE_FAILED:
        return "may be restored wrongly, or not at all";
    case SNUG_SUPERVISOR_EVENT_OPENED:
    case SNUG_SUPERVISOR_EVENT_RESTORED:
    case SNUG_SUPERVISOR_EVENT_SAVED:
    case SNUG_SUPERVISOR_EVENT_PUT_AWAY:
    case SNUG_SUPERVISOR_EVENT_DAMAGED: /* a loss with the same sentence follows */
    case SNUG_SUPERVISOR_EVENT_WORKER_STARTED:
    case SNUG_SUPERVISOR_EVENT_WORKER_ENDED:
        break;
    }
    return NULL;
}

/* Not where nobody reads, whose thread would wait for ever, or get a SIGPIPE. */
static int has_reader(void)
{
    struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };
    return poll(&out, 1, 0) == 1 && out.revents == POLLOUT;
}

/* What goes wrong with sessions while no client looks: a line each on stderr. */
static void on_event(void *payload, const snug_supervisor_event *event)
{
    const char *fact = fact_of(event);
    /* What clients without a name of their own have. */
    const int is_anybody =
        strcmp(event->tenant, "stdio") == 0 || strcmp(event->tenant, "http") == 0;

    (void)payload;
    if (!fact || !has_reader())
        return;
    if (!*event->session)
        command_fail(EXIT_FINE, "%s", event->message);
    else
        command_fail(EXIT_FINE, "session %.100s%s%.200s %s: %.1000s", event->session,
                     is_anybody ? "" : " of ", is_anybody ? "" : event->tenant, fact,
                     event->message);
}

static int open_supervisor(run *r, const char *folder)
{
    snug_supervisor_options wanted = SNUG_SUPERVISOR_OPTIONS_INIT;

    wanted.state_dir = folder;
    wanted.host = &r->host;
    wanted.limits = &r->limits;
    wanted.on_session = on_session;
    wanted.on_event = on_event;
    wanted.payload = r;
    return snug_supervisor_open(&r->server.supervisor, &wanted);
}

/* The first that no other server has. */
static int open_free_folder(run *r)
{
    char name[32];

    for (unsigned i = 1; i <= FOLDERS; i++) {
        snprintf(name, sizeof name, "mcp/%u", i);
        str_clear(&r->state);
        int status = state_path(&r->state, name);
        if (status)
            return status;
        const int error = open_supervisor(r, r->state.data);
        if (error == SNUG_OK)
            return EXIT_FINE;
        if (error != SNUG_EBUSY)
            return command_fail_open(&r->signals);
    }
    return command_fail(EXIT_USAGE,
                        "all %d folders for sessions are in use by other servers; --state names "
                        "another",
                        FOLDERS);
}

static int open_sessions(run *r)
{
    const char *limit;

    command_set_host(&r->host, &r->options, &r->signals, &limit);
    r->limits = (snug_supervisor_limits)SNUG_SUPERVISOR_LIMITS_INIT;
    r->limits.sessions = r->server.limits.sessions;
    r->limits.tenant_sessions = server_share(&r->server, r->server.limits.sessions);
    r->limits.idle_ms = r->server.limits.idle_ms;
    r->limits.save_idle_ms = r->server.limits.save_after_ms;
    r->limits.save_every_cells = r->server.limits.save_every;
    r->limits.drain_save_ms = r->server.limits.save_ms;
    r->limits.drain_ms = r->server.limits.drain_ms / 2; /* the rest: cells, and the end */
    r->limits.cells = r->server.limits.calls;
    if (!r->options.mcp.state)
        return open_free_folder(r);
    if (str_add(&r->state, r->options.mcp.state))
        return command_fail_memory();
    return open_supervisor(r, r->state.data) ? command_fail_open(&r->signals) : EXIT_FINE;
}

static int serve(run *r)
{
    mcp_server *s = &r->server;

    s->options = &r->options;
    s->tools = &r->tools;
    s->state_dir = str_text(&r->state);
    s->has_bash =
        r->host.form == SNUG_FORM_WORKER && !r->host.worker_command && has_program("bwrap");
    if (mcp_server_start(s))
        return command_fail(EXIT_USAGE, "%s", error_message());
    const int status =
        r->options.mcp.http ? mcp_serve_http(s, &r->signals) : mcp_serve_stdio(s, &r->signals);
    mcp_server_stop(s, 0); /* of one that did not come to serve */
    mcp_server_free(s);
    return status || !s->has_lost ? status : EXIT_FAILED;
}

/* Else each call would fail by it, and who has started the server would not know. */
static int check_profile(const options *o)
{
    if (snug_tool_check_name("any", o->session.profile, o->session.allow) == SNUG_ENOTFOUND)
        return command_fail(EXIT_USAGE, "%s", snug_error_message());
    return EXIT_FINE;
}

int command_mcp(const options *o)
{
    run r = { .options = *o,
              .host = SNUG_HOST_OPTIONS_INIT,
              .server = { .limits = mcp_limits_resolve(&o->mcp.limits) } };

    if (o->input_count > 0)
        return command_fail(EXIT_USAGE, "mcp takes options only, and not \"%.100s\"",
                            o->inputs[0].text);
    if (o->isolation == AS_BASH)
        return command_fail(EXIT_USAGE, "mcp has sessions of bash beside those of Python: leave "
                                        "--isolation bash out");
    r.options.upstream_ms = r.server.limits.upstream_ms;
    if (check_profile(o))
        return EXIT_USAGE;
    if (signals_start(&r.signals))
        return command_fail(EXIT_USAGE, "%s", error_message());

    int status = command_make_workdir(o);
    r.server.tokens = &r.tokens;
    if (!status && o->mcp.http && o->mcp.token_file && tokens_read(&r.tokens, o->mcp.token_file))
        status = command_fail(EXIT_USAGE, "%s", error_message());
    if (!status)
        status = tools_open(&r.tools, &r.options, &r.signals);
    if (!status)
        status = open_sessions(&r);
    if (!status)
        status = serve(&r);
    snug_supervisor_close(r.server.supervisor);
    const int taken = signals_taken(&r.signals);
    if (taken)
        status = taken == SIGPIPE                      ? EXIT_FAILED
                 : taken == SIGTERM || taken == SIGINT ? status
                                                       : 128 + taken;
    const int replayed = tools_close(&r.tools);
    signals_stop(&r.signals);
    tokens_free(&r.tokens);
    str_free(&r.state);
    return status ? status : replayed;
}
