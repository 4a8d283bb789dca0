/* What a message asks for: the methods of both kinds of revisions, in one table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"
#include "cli/mcp/asking.h"
#include "cli/mcp/server.h"
#include "cli/mcp/tool_table.h"

#define SUPPORTED    "[\"" MCP_MODERN "\",\"" MCP_LEGACY "\"]"
#define CAPABILITIES "{\"tools\":{}}"

static const char instructions[] =
    "Code runs in sessions, which keep variables and files. Each answer names its session; calls "
    "that pass the name go on in it. Print what you want to see, or end with an expression. Close "
    "sessions that are not needed any more.";

/* ---- methods ---- */

static int add_quoted(str *out, const char *text)
{
    return jsontext_quote(out, text, strlen(text));
}

static void initialize(mcp_call *c)
{
    str out = { 0 };

    if (!rpc_text(c->message.params, "protocolVersion")) {
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS, "\"protocolVersion\" must be a string", NULL);
        return;
    }
    pthread_mutex_lock(&c->server->lock);
    c->peer->is_greeted = 1;
    c->peer->takes_forms = asking_takes_forms(rpc_object(c->message.params, "capabilities"));
    pthread_mutex_unlock(&c->server->lock);
    str_printf(&out,
               "{\"protocolVersion\":\"" MCP_LEGACY "\",\"capabilities\":" CAPABILITIES
               ",\"serverInfo\":{\"name\":\"snug\",\"title\":\"snug\",\"version\":"
               "\"%s\"},\"instructions\":",
               snug_version());
    add_quoted(&out, instructions);
    str_add(&out, "}");
    call_result(c, str_error(&out) ? NULL : out.data);
    str_free(&out);
}

static void discover(mcp_call *c)
{
    str out = { 0 };
    str_add(&out, "{");

    call_begin_result(&out, c, 3600000, "public");
    str_add(&out, "\"supportedVersions\":" SUPPORTED ",\"capabilities\":" CAPABILITIES
                  ",\"instructions\":");
    add_quoted(&out, instructions);
    str_add(&out, "}");
    call_result(c, str_error(&out) ? NULL : out.data);
    str_free(&out);
}

static void ping(mcp_call *c)
{
    call_result(c, "{}");
}

/* All of them are on one page. */
static int has_cursor(mcp_call *c)
{
    if (!cJSON_GetObjectItemCaseSensitive(c->message.params, "cursor"))
        return 0;
    call_fail(c, MCP_BAD, RPC_INVALID_PARAMS, "\"cursor\" is none that this server has given",
              NULL);
    return 1;
}

static void list_tools(mcp_call *c)
{
    str out = { 0 };

    if (has_cursor(c))
        return;
    str_add(&out, "{");
    call_begin_result(&out, c, 300000, "public");
    const int error = tool_write_list(&out, c) ? SNUG_ENOMEM : str_add(&out, "}");
    call_result(c, error ? NULL : out.data);
    str_free(&out);
}

static void call_tool(mcp_call *c)
{
    const char *name = rpc_text(c->message.params, "name");
    char why[200];

    if (!name) {
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS, "\"name\" must be a string", NULL);
        return;
    }
    if (c->is_modern && (cJSON_GetObjectItemCaseSensitive(c->message.params, "requestState") ||
                         cJSON_GetObjectItemCaseSensitive(c->message.params, "inputResponses"))) {
        asking_retry(c);
        return;
    }
    c->tool = tool_find(c->server, name);
    if (c->tool) {
        tool_take(c);
        return;
    }
    snprintf(why, sizeof why, "Unknown tool: %.64s%s", name,
             strcmp(name, "run_bash") == 0 ? " (run_bash needs bubblewrap, which is not here)"
                                           : "");
    call_fail(c, MCP_FINE, RPC_INVALID_PARAMS, why, NULL);
}

/* ---- notifications ---- */

static void cancel(mcp_call *c)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(c->message.params, "requestId");
    char *text = id ? json_text(id) : NULL;

    if (text)
        server_cancel(c->server, c->peer, text);
    free(text);
    call_leave(c, MCP_TAKEN);
}

static void accept(mcp_call *c)
{
    call_leave(c, MCP_TAKEN);
}

/* ---- the table ---- */

enum { LEGACY = 1, MODERN = 2, BOTH = 3 };

static const struct {
    const char *name;
    rpc_kind kind;
    int revisions;
    void (*serve)(mcp_call *c);
} methods[] = {
    { "initialize", RPC_REQUEST, LEGACY, initialize },
    { "notifications/initialized", RPC_NOTIFICATION, LEGACY, accept },
    { "ping", RPC_REQUEST, LEGACY, ping },
    { "server/discover", RPC_REQUEST, MODERN, discover },
    { "tools/list", RPC_REQUEST, BOTH, list_tools },
    { "tools/call", RPC_REQUEST, BOTH, call_tool },
    { "notifications/cancelled", RPC_NOTIFICATION, BOTH, cancel },
};

/* ---- dispatch ---- */

static void fail_version(mcp_call *c, const char *wanted)
{
    str data = { 0 };
    str_add(&data, "{\"supported\":" SUPPORTED ",\"requested\":");
    add_quoted(&data, wanted);
    if (!str_error(&data))
        str_add(&data, "}");
    call_fail(c, MCP_BAD, MCP_UNSUPPORTED_VERSION, "Unsupported protocol version", str_text(&data));
    str_free(&data);
}

/* What every request of the newer revision says. 1, or 0 when it was refused. */
static int check_modern(mcp_call *c, const cJSON *meta)
{
    const char *version = rpc_text(meta, MCP_META "protocolVersion");

    if (!version) {
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS,
                  "\"_meta\" must have the string \"" MCP_META "protocolVersion\"", NULL);
        return 0;
    }
    if (strcmp(version, MCP_MODERN) != 0) {
        fail_version(c, version);
        return 0;
    }
    if (!rpc_object(meta, MCP_META "clientCapabilities")) {
        call_fail(c, MCP_BAD, RPC_INVALID_PARAMS,
                  "\"_meta\" must have the object \"" MCP_META "clientCapabilities\"", NULL);
        return 0;
    }
    return 1;
}

static int keep_progress_token(mcp_call *c, const cJSON *meta)
{
    const cJSON *token = cJSON_GetObjectItemCaseSensitive(meta, "progressToken");
    if (!cJSON_IsString(token) && !cJSON_IsNumber(token))
        return SNUG_OK;
    c->progress_token = json_text(token);
    return c->progress_token ? SNUG_OK : SNUG_ENOMEM;
}

/* By what it says of itself; what says nothing is of the older kind after a handshake. */
static int is_modern_call(const mcp_call *c, const cJSON *meta)
{
    if (cJSON_GetObjectItemCaseSensitive(meta, MCP_META "protocolVersion") ||
        cJSON_GetObjectItemCaseSensitive(meta, MCP_META "clientCapabilities"))
        return 1;
    if (c->peer->is_modern)
        return 1;
    if (!strcmp(c->message.method, "initialize") || !strcmp(c->message.method, "ping"))
        return 0;
    return !c->peer->is_greeted;
}

static void serve_call(mcp_call *c)
{
    char why[RPC_METHOD_BYTES + 64];

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i].name, c->message.method) != 0 || methods[i].kind != c->message.kind ||
            !(methods[i].revisions & (c->is_modern ? MODERN : LEGACY)))
            continue;
        methods[i].serve(c);
        return;
    }
    if (c->message.kind == RPC_NOTIFICATION) {
        call_leave(c, MCP_TAKEN);
        return;
    }
    snprintf(why, sizeof why, "Method not found: %s", c->message.method);
    call_fail(c, MCP_NO_METHOD, RPC_METHOD_NOT_FOUND, why, NULL);
}

void mcp_server_take(mcp_server *s, mcp_peer *peer, const mcp_wire *wire, rpc_message *message)
{
    mcp_call *c = calloc(1, sizeof *c);
    if (!c) {
        rpc_free(message);
        wire->answer(wire->payload, MCP_BAD, NULL, 0);
        return;
    }

    c->server = s;
    c->principal = peer->principal;
    c->peer = peer;
    mcp_peer_hold(s, peer);
    c->wire = *wire;
    c->message = *message;
    *message = (rpc_message){ 0 };
    if (c->message.kind == RPC_FAULT) {
        call_fail(c, MCP_BAD, c->message.code, c->message.why, NULL);
        return;
    }
    if (c->message.kind == RPC_ANSWER) {
        asking_take_answer(s, peer, &c->message);
        call_leave(c, MCP_TAKEN);
        return;
    }

    const cJSON *meta = rpc_object(c->message.params, "_meta");
    c->is_modern = is_modern_call(c, meta);
    if (c->is_modern && c->message.kind == RPC_REQUEST && !check_modern(c, meta))
        return;
    if (keep_progress_token(c, meta)) {
        call_fail(c, MCP_BAD, RPC_INTERNAL_ERROR, "out of memory for a message", NULL);
        return;
    }
    serve_call(c);
}
