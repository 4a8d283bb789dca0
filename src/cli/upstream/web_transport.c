/* Streamable HTTP, of revision 2026-07-28 and of those with sessions before it. */
#include "cli/upstream/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <snug/snug.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/jsontext.h"
#include "fetch/exchange.h"
#include "fetch/url.h"
#include "wire/sse.h"

enum { MOST_HOPS = 3 };
enum { LINGER_MS = 1000 }; /* for the end of a stream whose answer has come */

/* One request. */
typedef struct post {
    struct post *next;
    struct web *web;
    unsigned long id;
    const char *method;
    str body, url, *lines; /* line_count of them, of the head */
    size_t line_count;
    int has_session;
    sse events;
    str reply; /* its body, where it is not a stream of events */
    unsigned hops;
    int is_events, is_begun, is_spoilt;
    uint64_t answered_ns; /* 0: not yet */
} post;

typedef struct web {
    transport base;
    fetch_url url;
    str *headers; /* the user's */
    size_t header_count;
    str session_id;
    exchanges *exchanges;
    post *first;
} web;

/* ---- requests ---- */

static void remove_post(post *p)
{
    post **place = &p->web->first;

    while (*place && *place != p)
        place = &(*place)->next;
    if (*place)
        *place = p->next;
    sse_free(&p->events);
    str_free(&p->reply);
    str_free(&p->url);
    for (size_t i = 0; i < p->line_count; i++) {
        if (p->lines[i].data)
            explicit_bzero(p->lines[i].data, p->lines[i].cap);
        str_free(&p->lines[i]);
    }
    free(p->lines);
    str_free(&p->body);
    free(p);
}

static void add_line(post *p, const char *name, const char *value)
{
    str_printf(&p->lines[p->line_count++], "%s: %s", name, value);
}

static int is_plain_value(const char *text)
{
    static const char begin[] = "=?base64?";
    const size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        if (text[i] < 0x20 || text[i] > 0x7e)
            return 0;
    if (len > 0 && (text[0] == ' ' || text[len - 1] == ' '))
        return 0;
    return strncmp(text, begin, sizeof begin - 1) != 0;
}

/* In base64 where a header could not have it as it is. */
static void add_name(post *p, const char *tool)
{
    str *line = &p->lines[p->line_count];

    if (is_plain_value(tool)) {
        add_line(p, "Mcp-Name", tool);
        return;
    }
    p->line_count++;
    str_add(line, "Mcp-Name: =?base64?");
    base64_append(line, tool, strlen(tool));
    str_add(line, "?=");
}

static void add_lines(post *p, const outgoing *sent)
{
    const web *w = p->web;

    if (sent)
        add_line(p, "Content-Type", "application/json");
    add_line(p, "Accept", "application/json, text/event-stream");
    if (sent && sent->version)
        add_line(p, "MCP-Protocol-Version", sent->version);
    if (sent && sent->is_new)
        add_line(p, "Mcp-Method", sent->method);
    if (sent && sent->is_new && sent->tool)
        add_name(p, sent->tool);
    if (p->has_session)
        add_line(p, "Mcp-Session-Id", w->session_id.data);
    for (size_t i = 0; i < w->header_count; i++)
        str_add_str(&p->lines[p->line_count++], &w->headers[i]);
}

static int begin_post(post *p)
{
    const exchange_request request = { .method = p->method,
                                       .url = str_text(&p->url),
                                       .lines = p->lines,
                                       .line_count = p->line_count,
                                       .body = p->body.len > 0 ? p->body.data : NULL,
                                       .body_len = p->body.len };

    return exchanges_begin(p->web->exchanges, &request, p);
}

static int take_event(void *payload, const char *event, const char *data, size_t len);

/* sent: NULL: it has no body. SNUG_OK or SNUG_ENOMEM. */
static int make_post(web *w, const char *method, const outgoing *sent)
{
    enum { MOST_LINES = 8 };
    post *p = calloc(1, sizeof *p);
    if (!p)
        return SNUG_ENOMEM;

    p->web = w;
    p->method = method;
    p->id = sent ? sent->id : 0;
    p->has_session = w->session_id.len > 0 &&
                     (!sent || !sent->method || strcmp(sent->method, "initialize") != 0);
    sse_init(&p->events, MESSAGE_BYTES, take_event, p);
    p->next = w->first;
    w->first = p;
    int error = SNUG_ENOMEM;
    if ((p->lines = calloc(MOST_LINES + w->header_count, sizeof *p->lines))) {
        add_lines(p, sent);
        error = str_add_str(&p->url, &w->url.whole);
    }
    if (!error && sent)
        error = str_add_str(&p->body, &sent->text);
    for (size_t i = 0; i < p->line_count && !error; i++)
        error = str_error(&p->lines[i]);
    if (!error)
        error = begin_post(p);
    if (error)
        remove_post(p);
    return error;
}

/* A redirect that keeps the method, to another path of the server: 1. */
static int follow(post *p, const exchange_head *head)
{
    const fetch_url *from = &p->web->url;
    fetch_url to;
    str why = { 0 };

    if ((head->status != 307 && head->status != 308) || p->hops >= MOST_HOPS)
        return 0;
    int is_ours = !fetch_url_read(&to, &why, str_text(&head->location), str_text(&p->url)) &&
                  !strcmp(str_text(&to.scheme), str_text(&from->scheme)) &&
                  !strcmp(str_text(&to.host), str_text(&from->host)) && to.port == from->port;
    if (is_ours) {
        p->hops++;
        str_clear(&p->url);
        is_ours = !str_add_str(&p->url, &to.whole) && !begin_post(p);
    }
    fetch_url_free(&to);
    str_free(&why);
    return is_ours;
}

/* ---- replies ---- */

static int take_event(void *payload, const char *event, const char *data, size_t len)
{
    post *p = payload;
    const transport_user *user = &p->web->base.user;

    /* Other types are of an older transport. An event without data begins a stream. */
    if (strcmp(event, "message") != 0 || len == 0)
        return SNUG_OK;
    const int taken = user->on_message(user->client, p->id, data, len);
    if (taken > 1 && p->answered_ns == 0)
        p->answered_ns = clock_now_ns();
    return taken ? SNUG_OK : SNUG_ESYSTEM;
}

static int has_type(const exchange_head *head, const char *type)
{
    const char *text = str_text(&head->content_type);
    const size_t len = strlen(type);

    return strncasecmp(text, type, len) == 0 && !strchr("+-.", text[len] ? text[len] : ' ');
}

static int is_success(int status)
{
    return status >= 200 && status < 300;
}

/* Whoever asks may not. */
static int is_told_off(int status)
{
    return status == 401 || status == 403 || status == 407;
}

static void spoil(post *p, const char *why)
{
    const transport_user *user = &p->web->base.user;

    p->is_spoilt = 1;
    exchanges_drop(p->web->exchanges, p);
    if (p->id > 0)
        user->on_ending(user->client, p->id, ENDING_BROKEN, 0, why);
}

static void take_piece(void *payload, void *tag, const exchange_head *head, const char *data,
                       size_t len)
{
    post *p = tag;

    (void)payload;
    if (!p->is_begun) {
        p->is_begun = 1;
        p->is_events = is_success(head->status) && has_type(head, "text/event-stream");
    }
    if (p->is_events) {
        const int error = sse_feed(&p->events, data, len);
        if (error)
            spoil(p, error == SNUG_EINVAL    ? "the MCP server " TOO_LARGE
                     : error == SNUG_ESYSTEM ? "the MCP server sent an event that is not JSON-RPC"
                                             : "out of memory");
    } else if (p->reply.len + len > MESSAGE_BYTES) {
        spoil(p, "the MCP server " TOO_LARGE);
    } else if (str_append(&p->reply, data, len)) {
        spoil(p, "out of memory");
    }
    if (p->is_spoilt)
        remove_post(p);
}

/* ---- the end of a reply ---- */

static int is_answer(const post *p)
{
    const jsontext_span reply = { str_text(&p->reply), p->reply.len };
    char id[32];
    size_t at;

    snprintf(id, sizeof id, "%lu", p->id);
    return !jsontext_check(reply.text, reply.len, &at) &&
           jsontext_is(jsontext_member(reply, "id"), id);
}

/* Some servers say by 400 that they do not know the session, which may mean anything else. */
static int is_lost(const post *p, int status)
{
    return p->has_session && (status == 404 || status == 400) && !is_answer(p);
}

static void refuse(const post *p, const exchange_head *head)
{
    const transport_user *user = &p->web->base.user;
    const int status = head->status;
    str why = { 0 };

    if (status >= 300 && status < 400)
        str_printf(&why, "it redirects to another address (HTTP %d), which is not followed",
                   status);
    else if (is_told_off(status))
        str_printf(&why, "it refuses who asks (HTTP %d): headers of --upstream-config say who does",
                   status);
    else if (is_success(status))
        str_add(&why, "it answered with what is not JSON-RPC");
    else
        str_printf(&why, "it answered with HTTP %d", status);
    user->on_ending(user->client, p->id,
                    is_lost(p, status)   ? ENDING_LOST
                    : is_success(status) ? ENDING_BROKEN
                                         : ENDING_REFUSED,
                    status, str_text(&why));
    str_free(&why);
}

/* An error may stand in a reply with any status. */
static int take_reply(post *p, const exchange_head *head)
{
    const transport_user *user = &p->web->base.user;

    if (p->reply.len == 0 || !has_type(head, "application/json"))
        return 0;
    if (is_told_off(head->status) || is_lost(p, head->status))
        return 0;
    return user->on_message(user->client, p->id, p->reply.data, p->reply.len);
}

static void keep_session(web *w, const post *p, const exchange_head *head)
{
    const str *id = &head->session_id;

    if (!is_success(head->status) || p->has_session || id->len == 0 || w->session_id.len > 0)
        return;
    for (size_t i = 0; i < id->len; i++)
        if (id->data[i] < 0x21 || id->data[i] > 0x7e)
            return;
    str_add_str(&w->session_id, id);
}

static void take_end(void *payload, void *tag, const exchange_head *head, const char *why)
{
    web *w = payload;
    post *p = tag;
    const transport_user *user = &w->base.user;

    if (!why)
        keep_session(w, p, head);
    if (!why && follow(p, head))
        return;
    if (p->id == 0) {
        /* It has no answer, and whether it was taken shows by the next request. */
    } else if (why) {
        str text = { 0 };
        str_printf(&text, "%s: %s", str_text(&w->url.host), why);
        user->on_ending(user->client, p->id, ENDING_BROKEN, 0, str_text(&text));
        str_free(&text);
    } else if (p->is_events) {
        /* If its answer came, nobody waits for one. */
        user->on_ending(user->client, p->id, ENDING_BROKEN, 0,
                        "the MCP server ended the stream without an answer");
    } else if (!take_reply(p, head)) {
        refuse(p, head);
    } else {
        /* If it was the answer, nobody waits for one. */
        user->on_ending(user->client, p->id, ENDING_BROKEN, 0,
                        "the MCP server answered another request than was made");
    }
    remove_post(p);
}

/* ---- a transport ---- */

static int start(transport *base)
{
    web *w = (web *)base;
    const exchange_watch watch = { w, take_piece, take_end };

    str_clear(&w->session_id);
    if (w->exchanges)
        return SNUG_OK;
    return exchanges_open(&w->exchanges, &watch) ? error_no_memory() : SNUG_OK;
}

static void stop(transport *base)
{
    web *w = (web *)base;

    while (w->first) {
        exchanges_drop(w->exchanges, w->first);
        remove_post(w->first);
    }
    str_clear(&w->session_id);
}

static int send_post(transport *base, const outgoing *sent)
{
    return make_post((web *)base, "POST", sent);
}

static void drop(transport *base, unsigned long id)
{
    web *w = (web *)base;

    for (post *p = w->first; p; p = p->next)
        if (p->id == id) {
            exchanges_drop(w->exchanges, p);
            remove_post(p);
            return;
        }
}

/* Servers end a stream behind the answer; those that do not are not waited for. */
static void drop_answered(web *w)
{
    for (post *p = w->first, *next; p; p = next) {
        next = p->next;
        if (p->answered_ns == 0 || clock_now_ns() < clock_deadline_ns(p->answered_ns, LINGER_MS))
            continue;
        exchanges_drop(w->exchanges, p);
        remove_post(p);
    }
}

static void turn(transport *base, int ms)
{
    web *w = (web *)base;

    for (const post *p = w->first; p; p = p->next)
        if (p->answered_ns && (ms < 0 || ms > LINGER_MS))
            ms = LINGER_MS;
    exchanges_turn(w->exchanges, ms);
    drop_answered(w);
}

static void wake(transport *base)
{
    exchanges_wake(((web *)base)->exchanges);
}

/* A session of an older revision is ended, as far as that takes no time. */
static void end_session(web *w)
{
    enum { TURNS = 20, TURN_MS = 50 };

    if (make_post(w, "DELETE", NULL))
        return;
    for (int i = 0; i < TURNS && w->first; i++)
        exchanges_turn(w->exchanges, TURN_MS);
}

static void free_web(transport *base, int at_once)
{
    web *w = (web *)base;

    str session = w->session_id;
    w->session_id = (str){ 0 };
    stop(base);
    w->session_id = session;
    if (!at_once && w->exchanges && w->session_id.len > 0)
        end_session(w);
    stop(base);
    exchanges_close(w->exchanges);
    for (size_t i = 0; i < w->header_count; i++) {
        explicit_bzero(w->headers[i].data, w->headers[i].cap);
        str_free(&w->headers[i]);
    }
    free(w->headers);
    str_free(&w->session_id);
    fetch_url_free(&w->url);
    free(w);
}

static const transport_kind kind = { 1, start, stop, send_post, drop, turn, wake, free_web };

int web_transport_open(transport **out, const upstream *server, const transport_user *user)
{
    str why = { 0 };
    web *w = calloc(1, sizeof *w);
    if (!w)
        return error_no_memory();

    w->base = (transport){ &kind, *user };
    *out = &w->base;
    int error = fetch_url_read(&w->url, &why, server->url, NULL);
    if (error == SNUG_EINVAL)
        error_set(SNUG_EINVAL, "the MCP server %s: %s", server->name, str_text(&why));
    else if (error)
        error_no_memory();
    str_free(&why);
    if (error)
        return error;

    if (!(w->headers = calloc(server->header_count + 1, sizeof *w->headers)))
        return error_no_memory();
    for (; w->header_count < server->header_count; w->header_count++)
        if (str_add(&w->headers[w->header_count], server->headers[w->header_count]))
            return error_no_memory();
    return start(&w->base);
}
