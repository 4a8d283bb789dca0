/* How client and server agree on what they speak (versioning.mdx of the specification), and the
 * list of tools. One step after the other, on the client's thread. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/program/command.h"
#include "cli/program/quantity.h"
#include "cli/upstream/client_inside.h"

/* So long a server on stdio may be silent when it is asked by the newer revision, before it is
 * greeted by an older one too. It may only be slow to start, so that both are waited for. */
enum { SILENCE_MS = 2000 };

enum { MOST_TOOLS = 1000, MOST_PAGES = 1000, UNSUPPORTED_VERSION = -32022 };

/* ---- steps ---- */

static int fail_step(mcp *m, const char *step, const char *why)
{
    str text = { 0 };

    str_printf(&text, ", %s: %s", step, why);
    client_fail(m, str_text(&text));
    str_free(&text);
    return 0;
}

/* Of an answer that is not a result. */
static int fail_answer(mcp *m, const char *step, const own_request *o)
{
    const jsontext_span error = { str_text(&o->text), o->text.len };
    str text = { 0 };

    if (o->state == OWN_MISSED)
        return fail_step(m, step, str_text(&o->text));
    if (jsontext_string(&text, jsontext_member(error, "message")) || text.len == 0)
        str_add(&text, "the MCP server answered with an error");
    fail_step(m, step, str_text(&text));
    str_free(&text);
    return 0;
}

/* There was no answer at all. */
static int fail_silent(mcp *m, const char *step)
{
    char time[32];
    str text = { 0 };

    if (m->is_dead) {
        client_fail(m, str_text(&m->last_words));
        return 0;
    }
    str_printf(&text, "no answer within %s%s", quantity_text(time, sizeof time, m->start_ms, "ms"),
               m->limit);
    fail_step(m, step, str_text(&text));
    str_free(&text);
    return 0;
}

static int start_server(mcp *m)
{
    m->is_dead = 0;
    if (!m->transport->kind->start(m->transport))
        return 1;
    str text = { 0 };
    str_printf(&text, ": %s", error_message());
    client_fail(m, str_text(&text));
    str_free(&text);
    return 0;
}

/* The place of the request is free. 1; 0: there is no memory. */
static int ask_own(mcp *m, own_request *o, const char *method, const char *params)
{
    str_clear(&o->text);
    o->state = OWN_WAITS;
    o->id = ++m->ids;
    return client_send(m, o->id, method, params, NULL) ? fail_step(m, method, "out of memory") : 1;
}

static int may_go_on(mcp *m, uint64_t until_ns)
{
    return !m->is_dead && clock_now_ns() < until_ns && client_turn(m, until_ns);
}

/* Whether it was answered, or is known not to be. */
static int await_answer(mcp *m, const own_request *o, uint64_t until_ns)
{
    while (o->state == OWN_WAITS && may_go_on(m, until_ns))
        ;
    return o->state != OWN_WAITS;
}

/* ---- an older server ---- */

static int ask_initialize(mcp *m)
{
    return ask_own(m, &m->own[1], "initialize",
                   "{\"protocolVersion\": \"" MCP_OLD "\", \"capabilities\": {}, "
                   "\"clientInfo\": " MCP_CLIENT "}");
}

/* The version that later requests name; MCP_OLD where the server's is none. */
static void read_version(char out[TRANSPORT_VERSION_BYTES], jsontext_span version)
{
    str text = { 0 };
    const int is_date = !jsontext_string(&text, version) && text.len > 0 &&
                        text.len < TRANSPORT_VERSION_BYTES &&
                        strspn(text.data, "0123456789-") == text.len;

    strcpy(out, is_date ? text.data : MCP_OLD);
    str_free(&text);
}

static int initialize(mcp *m, uint64_t until_ns)
{
    own_request *o = &m->own[1];

    m->era = ERA_OLD;
    if (o->id == 0 && !ask_initialize(m))
        return 0;
    if (!await_answer(m, o, until_ns))
        return fail_silent(m, "initialize");
    if (o->state != OWN_RESULT)
        return fail_answer(m, "initialize", o);
    read_version(m->version, jsontext_member((jsontext_span){ str_text(&o->text), o->text.len },
                                             "protocolVersion"));
    if (client_send(m, 0, "notifications/initialized", "{}", NULL))
        return fail_step(m, "initialize", "out of memory");
    return 1;
}

/* ---- a newer one ---- */

static int lists_new(jsontext_span versions)
{
    jsontext j;
    jsontext_token ignored;
    jsontext_span item;

    if (!versions.text || *versions.text != '[' || !jsontext_enter(&j, versions))
        return 0;
    while (jsontext_item(&j, &ignored, &item))
        if (jsontext_is(item, "\"" MCP_NEW "\""))
            return 1;
    return 0;
}

static int take_discovery(mcp *m, const own_request *o, uint64_t until_ns)
{
    const jsontext_span answer = { str_text(&o->text), o->text.len };
    const jsontext_span code = jsontext_member(answer, "code");

    switch (o->state) {
    case OWN_RESULT:
        if (!lists_new(jsontext_member(answer, "supportedVersions")))
            break;
        m->era = ERA_NEW;
        return 1;
    case OWN_ERROR:
        if (code.text && strtol(code.text, NULL, 10) == UNSUPPORTED_VERSION &&
            lists_new(jsontext_member(jsontext_member(answer, "data"), "supported")))
            return fail_step(m, "server/discover", "it does not take the revision that it names");
        break;
    case OWN_MISSED:
        /* Where it refuses who asks, it would do so again. */
        if (o->status < 400 || o->status == 401 || o->status == 403 || o->status == 407)
            return fail_answer(m, "server/discover", o);
        break;
    case OWN_WAITS:
        return fail_silent(m, "server/discover");
    }
    return initialize(m, until_ns);
}

static int agree(mcp *m, uint64_t until_ns)
{
    own_request *o = &m->own[0], *older = &m->own[1];
    uint64_t silent_ns = clock_deadline_ns(clock_now_ns(), SILENCE_MS);

    if (m->era != ERA_UNKNOWN)
        return m->era == ERA_NEW || initialize(m, until_ns);
    if (m->transport->kind->has_streams || silent_ns > until_ns)
        silent_ns = until_ns;
    if (!ask_own(m, o, "server/discover", "{}"))
        return 0;
    await_answer(m, o, silent_ns);
    if (m->is_dead) { /* of the question, perhaps */
        m->deaths--;
        m->transport->kind->stop(m->transport);
        return start_server(m) && initialize(m, until_ns);
    }
    if (o->state != OWN_WAITS || m->transport->kind->has_streams)
        return take_discovery(m, o, until_ns);

    if (!ask_initialize(m))
        return 0;
    while (o->state == OWN_WAITS && older->state == OWN_WAITS && may_go_on(m, until_ns))
        ;
    return older->state != OWN_WAITS ? initialize(m, until_ns) : take_discovery(m, o, until_ns);
}

/* ---- the list of tools ---- */

/* SNUG_OK or SNUG_ENOMEM; a tool without a name is passed over. */
static int add_tool(mcp *m, jsontext_span description)
{
    mcptool *t = calloc(1, sizeof *t);
    if (!t || array_reserve(&m->tools, &m->tool_cap, m->tool_count + 1, sizeof *m->tools)) {
        free(t);
        return SNUG_ENOMEM;
    }
    const int error = mcptool_read(t, description);
    if (error) {
        free(t);
        return error == SNUG_ENOMEM ? error : SNUG_OK;
    }
    t->server = m;
    m->tools[m->tool_count++] = t;
    return SNUG_OK;
}

/* As many as there may be; said where there are more. params: those of the next page, or empty. */
static int take_page(mcp *m, str *params, jsontext_span page)
{
    const jsontext_span tools = jsontext_member(page, "tools"),
                        cursor = jsontext_member(page, "nextCursor");
    jsontext j;
    jsontext_token ignored;
    jsontext_span item;

    str_clear(params);
    if (!tools.text || *tools.text != '[' || !jsontext_enter(&j, tools)) {
        client_fail(m, " lists no tools");
        return 0;
    }
    while (jsontext_item(&j, &ignored, &item)) {
        if (m->tool_count == MOST_TOOLS) {
            command_fail(EXIT_FINE,
                         "the MCP server %s has more than %d tools: the others are left out",
                         m->label, MOST_TOOLS);
            return 1;
        }
        if (add_tool(m, item))
            return fail_step(m, "tools/list", "out of memory");
    }
    if (cursor.text && !jsontext_is(cursor, "null"))
        str_printf(params, "{\"cursor\": %.*s}", (int)cursor.len, cursor.text);
    return 1;
}

static int list_tools(mcp *m, uint64_t until_ns)
{
    static const char step[] = "tools/list";
    own_request *o = &m->own[0];
    str params = { 0 };
    int is_fine = 1;

    str_add(&params, "{}");
    for (int pages = 0; is_fine && params.len > 0 && pages < MOST_PAGES; pages++) {
        is_fine = ask_own(m, o, step, params.data);
        if (is_fine && !await_answer(m, o, until_ns))
            is_fine = fail_silent(m, step);
        else if (is_fine && o->state != OWN_RESULT)
            is_fine = fail_answer(m, step, o);
        else if (is_fine)
            is_fine = take_page(m, &params, (jsontext_span){ str_text(&o->text), o->text.len });
    }
    str_free(&params);
    return is_fine;
}

/* ---- all of it ---- */

void client_greet(mcp *m)
{
    const uint64_t until_ns = clock_deadline_ns(clock_now_ns(), m->start_ms);

    m->own[0].id = m->own[1].id = 0;
    const int is_fine =
        start_server(m) && agree(m, until_ns) && (m->has_tools || list_tools(m, until_ns));
    m->own[0].id = m->own[1].id = 0;
    if (!is_fine && !m->has_tools)
        client_free_tools(m);

    pthread_mutex_lock(&m->lock);
    if (is_fine && m->phase == CLIENT_STARTING) {
        m->phase = CLIENT_READY;
        m->has_tools = 1;
        str_clear(&m->why);
    }
    pthread_cond_broadcast(&m->change);
    pthread_mutex_unlock(&m->lock);
}
