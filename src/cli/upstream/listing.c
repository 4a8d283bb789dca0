#include "cli/upstream/client_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/thread.h"
#include "cli/program/command.h"

enum {
    LIST_MS = 200,   /* between two lists that a server's changes ask for */
    RENEW_MS = 1000, /* how long a cell waits for a list that is on its way */
    LEAST_TTL_MS = 1000,
    MOST_PAGES = 1000,
    MOST_RETIRED = 10 * MOST_TOOLS
};

static int add_to(tool_array *tools, mcptool *t)
{
    if (array_reserve(&tools->items, &tools->cap, tools->count + 1, sizeof *tools->items))
        return SNUG_ENOMEM;
    tools->items[tools->count++] = t;
    return SNUG_OK;
}

void client_free_tools(tool_array *tools)
{
    for (size_t i = 0; i < tools->count; i++) {
        mcptool_free(tools->items[i]);
        free(tools->items[i]);
    }
    free(tools->items);
    *tools = (tool_array){ 0 };
}

/* ---- the list ---- */

static void fail_first(mcp *m, const char *why)
{
    str text = { 0 };

    if (m->phase != CLIENT_LISTED)
        return;
    str_printf(&text, "%s", why);
    client_fail_greeting(m, str_text(&text));
    str_free(&text);
}

static void ask_page(mcp *m, str *params)
{
    if (params->len == 0 && str_add(params, "{}")) {
        fail_first(m, ", tools/list: out of memory");
        return;
    }
    m->is_listing = 1;
    if (client_ask(m, ASK_LIST, "tools/list", params))
        return;
    m->is_listing = 0;
    fail_first(m, ", tools/list: out of memory");
}

void client_list(mcp *m)
{
    str params = { 0 };

    m->is_stale = 0;
    m->pages = 0;
    m->list_at_ns = clock_deadline_ns(clock_now_ns(), LIST_MS);
    client_free_tools(&m->coming);
    ask_page(m, &params);
    str_free(&params);
}

static int add_tool(mcp *m, jsontext_span description)
{
    mcptool *t = calloc(1, sizeof *t);
    int error = t ? mcptool_read(t, description) : SNUG_ENOMEM;

    if (!error) {
        t->server = m;
        error = add_to(&m->coming, t);
        if (!error)
            return SNUG_OK;
    }
    if (t && !error)
        mcptool_free(t);
    free(t);
    return error == SNUG_ENOMEM ? error : SNUG_OK; /* one without a name is passed over */
}

static void note_time(mcp *m, jsontext_span page)
{
    const jsontext_span ttl = jsontext_member(page, "ttlMs");
    long long ms = ttl.text ? strtoll(ttl.text, NULL, 10) : 0;

    m->stale_at_ns = UINT64_MAX;
    if (ms > 0)
        m->stale_at_ns =
            clock_deadline_ns(clock_now_ns(), ms < LEAST_TTL_MS ? LEAST_TTL_MS : (uint64_t)ms);
}

static void send_waiting(mcp *m)
{
    for (ask *a = m->asks, *next; a; a = next) {
        next = a->next;
        if (a->kind == ASK_CALL && !a->is_sent && client_send_call(m, a))
            client_end_call(m, a, 0, "out of memory", 13);
    }
}

static void finish_list(mcp *m, jsontext_span page)
{
    m->is_listing = 0;
    client_free_tools(&m->news);
    m->news = m->coming;
    m->coming = (tool_array){ 0 };
    m->has_news = 1;
    note_time(m, page);
    if (m->phase == CLIENT_LISTED) {
        m->phase = CLIENT_READY;
        str_clear(&m->why);
        send_waiting(m);
    }
    pthread_cond_broadcast(&m->change);
}

/* The tools of a page, up to as many as there may be; said once where there are more. */
static int add_tools(mcp *m, jsontext *tools)
{
    jsontext_token ignored;
    jsontext_span item;
    int error = SNUG_OK;

    while (!error && m->coming.count < MOST_TOOLS && jsontext_item(tools, &ignored, &item))
        error = add_tool(m, item);
    if (!error && m->coming.count == MOST_TOOLS && jsontext_item(tools, &ignored, &item) &&
        m->phase == CLIENT_LISTED)
        command_fail(EXIT_FINE, "the MCP server %s has more than %d tools: the others are left out",
                     m->label, MOST_TOOLS);
    return error;
}

void client_take_page(mcp *m, ask *a, jsontext_span page)
{
    jsontext j;
    jsontext_span tools = jsontext_member(page, "tools");
    jsontext_span cursor = jsontext_member(page, "nextCursor");
    str params = { 0 };
    int error = SNUG_OK;

    client_end_ask(m, a);
    if (!tools.text || *tools.text != '[' || !jsontext_enter(&j, tools)) {
        m->is_listing = 0;
        fail_first(m, " lists no tools");
        pthread_cond_broadcast(&m->change);
        return;
    }
    error = add_tools(m, &j);
    if (error) {
        m->is_listing = 0;
        fail_first(m, ", tools/list: out of memory");
    } else if (cursor.text && !jsontext_is(cursor, "null") && m->coming.count < MOST_TOOLS &&
               ++m->pages < MOST_PAGES) {
        if (str_printf(&params, "{\"cursor\": %.*s}", (int)cursor.len, cursor.text))
            str_clear(&params);
        ask_page(m, &params);
    } else {
        finish_list(m, page);
    }
    str_free(&params);
}

void client_miss_list(mcp *m, ask *a, const char *why)
{
    str text = { 0 };

    client_end_ask(m, a);
    m->is_listing = 0;
    str_printf(&text, ", tools/list: %s", why);
    fail_first(m, str_text(&text));
    str_free(&text);
    pthread_cond_broadcast(&m->change);
}

void client_note_change(mcp *m)
{
    m->is_stale = 1;
    pthread_cond_broadcast(&m->change);
}

/* ---- taking up ---- */

static int is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Names are ours, and made of the remote ones. */
static int is_same(const mcptool *a, const mcptool *b)
{
    return !strcmp(a->remote, b->remote) && is_same_text(a->signature, b->signature) &&
           is_same_text(a->typed, b->typed) && is_same_text(a->result, b->result) &&
           is_same_text(a->doc, b->doc) && a->is_read_only == b->is_read_only;
}

/* Takes it out of the list, its place being left NULL. */
static mcptool *take_same(tool_array *tools, const mcptool *t)
{
    for (size_t i = 0; i < tools->count; i++)
        if (tools->items[i] && is_same(tools->items[i], t)) {
            mcptool *found = tools->items[i];
            tools->items[i] = NULL;
            return found;
        }
    return NULL;
}

static int offers(const tool_array *tools, const char *remote)
{
    for (size_t i = 0; i < tools->count; i++)
        if (!strcmp(tools->items[i]->remote, remote))
            return 1;
    return 0;
}

/* Those that are left of the old ones. */
static void retire(mcp *m, tool_array *old)
{
    for (size_t i = 0; i < old->count; i++) {
        mcptool *t = old->items[i];
        if (!t)
            continue;
        t->is_gone = !offers(&m->tools, t->remote);
        add_to(&m->retired, t); /* there is room */
    }
    free(old->items);
}

static int take_up(mcp *m)
{
    tool_array old = m->tools, news = m->news;
    int has_changed = 0;

    if (m->retired.count + old.count > MOST_RETIRED ||
        array_reserve(&m->retired.items, &m->retired.cap, m->retired.count + old.count,
                      sizeof *m->retired.items)) {
        client_free_tools(&m->news);
        return 0;
    }
    m->news = (tool_array){ 0 };
    for (size_t i = 0; i < news.count; i++) {
        mcptool *same = take_same(&old, news.items[i]);
        if (same) {
            mcptool_free(news.items[i]);
            free(news.items[i]);
            news.items[i] = same;
        }
        news.items[i]->is_new = !same;
        has_changed |= !same;
    }
    for (size_t i = 0; i < old.count; i++)
        has_changed |= old.items[i] != NULL;
    m->tools = news;
    retire(m, &old);
    return has_changed;
}

int mcp_renew(mcp *m)
{
    int has_changed = 0;

    pthread_mutex_lock(&m->lock);
    const uint64_t now = clock_now_ns(), until_ns = clock_deadline_ns(now, RENEW_MS);
    if (m->phase == CLIENT_READY && now >= m->stale_at_ns) {
        m->is_stale = 1;
        m->transport->kind->wake(m->transport);
    }
    if (m->phase == CLIENT_DOWN && m->tools.count == 0) {
        m->wants_start = 1;
        m->transport->kind->wake(m->transport);
    }
    while (m->phase == CLIENT_READY && (m->is_stale || m->is_listing) && clock_now_ns() < until_ns)
        cond_wait_until(&m->change, &m->lock, until_ns);
    if (m->has_news)
        has_changed = take_up(m);
    m->has_news = 0;
    pthread_mutex_unlock(&m->lock);
    return has_changed;
}
