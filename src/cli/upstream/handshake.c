/* How client and server agree on what they speak: versioning.mdx of the specification. */
#include "cli/upstream/client_inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

/* So long a server on stdio may be silent when it is asked by the newer revision, before it is
 * greeted by an older one too. It may only be slow to start, so that both are waited for. */
enum { SILENCE_MS = 2000 };

enum { UNSUPPORTED_VERSION = -32022, MISSING_CAPABILITY = -32021, HEADER_MISMATCH = -32020 };

const char *client_step(const mcp *m)
{
    if (m->phase == CLIENT_LISTED)
        return "tools/list";
    return m->era == ERA_OLD ? "initialize" : "server/discover";
}

void client_fail_greeting(mcp *m, const char *why)
{
    str_clear(&m->why);
    str_printf(&m->why, "the MCP server %s%s", m->label, why);
    client_end_own(m);
    client_fail_calls(m, str_text(&m->why), 0);
    m->phase = CLIENT_DOWN;
    m->era = ERA_UNKNOWN;
    m->is_listing = 0;
    m->wants_stop = 1;
    pthread_cond_broadcast(&m->change);
}

static void fail_step(mcp *m, const char *why)
{
    str text = { 0 };

    str_printf(&text, ", %s: %s", client_step(m), why);
    client_fail_greeting(m, str_text(&text));
    str_free(&text);
}

static void fail_memory(mcp *m)
{
    fail_step(m, "out of memory");
}

/* ---- what is said ---- */

static void send_initialize(mcp *m)
{
    str params = { 0 };

    m->greet_at_ns = UINT64_MAX;
    if (client_find_ask(m, ASK_INITIALIZE))
        return;
    if (str_printf(&params, "{\"protocolVersion\": \"" MESSAGE_OLD "\", \"capabilities\": {}, "
                            "\"clientInfo\": " MESSAGE_CLIENT "}") ||
        !client_ask(m, ASK_INITIALIZE, "initialize", &params))
        fail_memory(m);
    str_free(&params);
}

void client_greet_old(mcp *m)
{
    if (!client_find_ask(m, ASK_DISCOVER))
        m->era = ERA_OLD;
    send_initialize(m);
}

static void list_first(mcp *m)
{
    m->phase = CLIENT_LISTED;
    m->greet_at_ns = UINT64_MAX;
    client_list(m);
}

void client_begin(mcp *m)
{
    str params = { 0 };

    m->wants_start = 0;
    m->is_listing = 0;
    m->phase = CLIENT_GREETED;
    m->greet_at_ns = UINT64_MAX;
    if (m->era == ERA_NEW) {
        list_first(m);
        return;
    }
    if (m->era == ERA_OLD) {
        send_initialize(m);
        return;
    }
    if (!m->transport->kind->has_streams)
        m->greet_at_ns = clock_deadline_ns(clock_now_ns(), SILENCE_MS);
    if (str_add(&params, "{}") || !client_ask(m, ASK_DISCOVER, "server/discover", &params))
        fail_memory(m);
    str_free(&params);
}

/* ---- what is answered ---- */

static void end_greetings(mcp *m)
{
    ask *a;

    while ((a = client_find_ask(m, ASK_DISCOVER)) || (a = client_find_ask(m, ASK_INITIALIZE)))
        client_end_ask(m, a);
}

/* The versions that a server of the newer kind names. */
static void choose(mcp *m, jsontext_span versions, jsontext_span result)
{
    if (!message_lists_new(versions)) {
        m->era = ERA_OLD;
        send_initialize(m);
    } else if (!result.text) {
        fail_step(m, "it does not take the revision that it names");
    } else {
        m->era = ERA_NEW;
        end_greetings(m);
        list_first(m);
    }
}

static void take_discovery(mcp *m, jsontext_span result, jsontext_span error)
{
    const long code = message_error_code(error);
    str text = { 0 };

    if (result.text) {
        choose(m, jsontext_member(result, "supportedVersions"), result);
    } else if (code == UNSUPPORTED_VERSION) {
        choose(m, jsontext_member(jsontext_member(error, "data"), "supported"),
               (jsontext_span){ 0 });
    } else if (code == MISSING_CAPABILITY || code == HEADER_MISMATCH) {
        jsontext_string(&text, jsontext_member(error, "message"));
        fail_step(m, str_text(&text));
    } else {
        m->era = ERA_OLD;
        send_initialize(m);
    }
    str_free(&text);
}

static void take_initialize(mcp *m, jsontext_span result, jsontext_span error)
{
    str text = { 0 };

    if (!result.text) {
        if (jsontext_string(&text, jsontext_member(error, "message")) || text.len == 0)
            str_add(&text, "it answered with an error");
        m->era = ERA_OLD;
        fail_step(m, str_text(&text));
        str_free(&text);
        return;
    }
    m->era = ERA_OLD;
    end_greetings(m);
    message_read_version(m->version, jsontext_member(result, "protocolVersion"));
    if (client_notify(m, "notifications/initialized", "{}"))
        fail_memory(m);
    else
        list_first(m);
}

void client_take_greeting(mcp *m, ask *a, jsontext_span result, jsontext_span error)
{
    const ask_kind kind = a->kind;

    client_end_ask(m, a);
    if (m->phase != CLIENT_GREETED)
        return;
    if (kind == ASK_DISCOVER)
        take_discovery(m, result, error);
    else
        take_initialize(m, result, error);
}

void client_miss_greeting(mcp *m, ask *a, int status, const char *why)
{
    const ask_kind kind = a->kind;
    const int is_told_off = status == 401 || status == 403 || status == 407;

    client_end_ask(m, a);
    if (m->phase != CLIENT_GREETED)
        return;
    if (kind == ASK_INITIALIZE) {
        m->era = ERA_OLD;
        fail_step(m, why);
    } else if (status >= 400 && !is_told_off) {
        m->era = ERA_OLD;
        send_initialize(m);
    } else {
        fail_step(m, why);
    }
}
