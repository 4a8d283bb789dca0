/* Streamable HTTP: a message a request. Clients of the newer revision say all in each; those of the
 * older one have a session of the protocol's, which is a peer here. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/mcp/asking.h"
#include "cli/mcp/tokens.h"
#include "cli/program/command.h"
#include "http/http.h"

#define MCP_PATH    "/mcp"
#define RETRY_AFTER "Retry-After: 1\n"
enum { ID_BYTES = 33, IDLE_MS = 75000, BEAT_MS = 15000 };

/* A client of the older revision. */
typedef struct client {
    char id[ID_BYTES];
    mcp_peer *peer;
    uint64_t used_ns;
    struct client *next;
} client;

typedef struct transport {
    mcp_server *server;
    http_server *http;
    pthread_mutex_t lock; /* of the clients. Taken before the server's */
    client *clients;
    size_t client_count;
} transport;

/* A request and its way back. Lives as long as the request. */
typedef struct exchange {
    transport *transport;
    http_request *request;
    mcp_peer *alone;       /* the peer of this request only; NULL: that of a client */
    char opened[ID_BYTES]; /* the client that it has opened */
    int takes_stream, is_streaming;
} exchange;

/* ---- the way back ---- */

static void tell(void *payload, const char *text, size_t len)
{
    exchange *e = payload;

    if (!e->takes_stream)
        return;
    if (!e->is_streaming)
        http_stream_begin(e->request, NULL);
    e->is_streaming = 1;
    http_stream_send(e->request, text, len);
}

static void forget_client(transport *t, const char *id);

static void answer_request(void *payload, mcp_status status, const char *text, size_t len)
{
    exchange *e = payload;
    transport *t = e->transport;
    mcp_peer *alone = e->alone;
    const int is_later = status == MCP_OVER_SHARE || status == MCP_UNAVAILABLE;
    char opened[ID_BYTES], headers[ID_BYTES + 64] = "";

    memcpy(opened, e->opened, sizeof opened);
    if (*opened && status == MCP_FINE)
        snprintf(headers, sizeof headers, "Mcp-Session-Id: %s\n", opened);
    if (is_later)
        strcpy(headers, RETRY_AFTER);
    if (e->is_streaming) {
        if (text)
            http_stream_send(e->request, text, len);
        http_stream_end(e->request);
    } else if (text) {
        http_answer(e->request, status, "application/json", headers, text, len);
    } else {
        http_answer(e->request, MCP_TAKEN, NULL, headers, NULL, 0);
    }
    /* The exchange is gone from here on. */
    if (*opened && status != MCP_FINE)
        forget_client(t, opened);
    if (alone)
        mcp_peer_close(t->server, alone);
}

/* id: JSON; NULL: there is none. */
static void refuse(http_request *r, unsigned status, const char *id, int code, const char *why)
{
    str text = { 0 };

    if (rpc_write_error(&text, id, code, why))
        str_clear(&text);
    http_answer(r, status, "application/json", status == MCP_OVER_SHARE ? RETRY_AFTER : NULL,
                str_text(&text), text.len);
    str_free(&text);
}

/* ---- clients of the older revision ---- */

/* With the transport's lock. */
static client **find_client(transport *t, const char *id, const char *principal)
{
    client **at = &t->clients;
    while (*at && (strcmp((*at)->id, id) != 0 ||
                   (principal && strcmp((*at)->peer->principal->name, principal) != 0)))
        at = &(*at)->next;
    return at;
}

/* Nobody finds it any more. With the lock, which is released meanwhile. */
static void end_client(transport *t, client **at)
{
    client *c = *at;

    *at = c->next;
    t->client_count--;
    pthread_mutex_unlock(&t->lock);
    mcp_peer_close(t->server, c->peer);
    free(c);
    pthread_mutex_lock(&t->lock);
}

static void forget_client(transport *t, const char *id)
{
    pthread_mutex_lock(&t->lock);
    client **at = find_client(t, id, NULL);
    if (*at)
        end_client(t, at);
    pthread_mutex_unlock(&t->lock);
}

/* The one that was used longest ago of those without a call: of that principal's; NULL: of all.
 * With the lock. */
static client **find_oldest(transport *t, const char *principal)
{
    client **oldest = NULL;

    for (uint64_t after_ns = 0;; after_ns = (*oldest)->used_ns) {
        oldest = NULL;
        for (client **at = &t->clients; *at; at = &(*at)->next)
            if ((*at)->used_ns > after_ns && (!oldest || (*at)->used_ns < (*oldest)->used_ns) &&
                (!principal || !strcmp((*at)->peer->principal->name, principal)))
                oldest = at;
        if (!oldest || !mcp_peer_is_busy(t->server, (*oldest)->peer))
            return oldest;
    }
}

/* With the lock: a client of the same principal makes room where that has its share, else any. 0:
 * each has a call. */
static int make_room(transport *t, const char *principal)
{
    const uint64_t most = t->server->limits.clients;
    uint64_t own = 0;

    for (const client *c = t->clients; c; c = c->next)
        own += !strcmp(c->peer->principal->name, principal);
    const int is_over = own >= server_share(t->server, most);
    if (!is_over && t->client_count < most)
        return 1;
    client **oldest = find_oldest(t, is_over ? principal : NULL);
    if (oldest)
        end_client(t, oldest);
    return oldest != NULL;
}

/* Its peer, held. NULL: no memory. */
static mcp_peer *open_client(transport *t, exchange *e, const char *principal)
{
    client *c = calloc(1, sizeof *c);
    if (!c || !random_letters(c->id, ID_BYTES - 1) ||
        mcp_peer_open(&c->peer, t->server, principal)) {
        free(c);
        return NULL;
    }

    memcpy(e->opened, c->id, sizeof e->opened);
    mcp_peer *peer = c->peer;
    mcp_peer_hold(t->server, peer);
    c->used_ns = clock_now_ns();
    pthread_mutex_lock(&t->lock);
    c->next = t->clients;
    t->clients = c;
    t->client_count++;
    pthread_mutex_unlock(&t->lock);
    return peer;
}

/* ---- what the headers say ---- */

static const char *principal_of(const http_request *r)
{
    const char *principal = http_principal(r);
    return *principal ? principal : "http";
}

/* A header's value, which may be in base64, is that string of the body. Blanks around a value are
 * not its own (RFC 9110, 5.5), and libmicrohttpd leaves those behind it. */
static int is_same(const char *header, const char *body)
{
    static const char before[] = "=?base64?", after[] = "?=";
    const size_t around = sizeof before - 1 + sizeof after - 1;
    str value = { 0 };
    int error;

    header += strspn(header, " \t");
    size_t len = strlen(header);
    while (len > 0 && strchr(" \t", header[len - 1]))
        len--;
    if (len >= around && !strncmp(header, before, sizeof before - 1) &&
        !strncmp(header + len - 2, after, 2))
        error = base64_decode(&value, header + sizeof before - 1, len - around);
    else
        error = str_append(&value, header, len);
    const int same = !error && body && value.len == strlen(body) &&
                     memcmp(str_text(&value), body, value.len) == 0;
    str_free(&value);
    return same;
}

static const char *version_of(const rpc_message *m)
{
    return rpc_text(rpc_object(m->params, "_meta"), MCP_META "protocolVersion");
}

/* What differs between headers and body of a request of the newer revision; NULL: nothing. */
static const char *find_mismatch(const http_request *r, const rpc_message *m)
{
    const char *version = http_header(r, "MCP-Protocol-Version"),
               *method = http_header(r, "Mcp-Method"), *name = http_header(r, "Mcp-Name");

    if (http_header_count(r, "MCP-Protocol-Version") > 1 ||
        http_header_count(r, "Mcp-Method") > 1 || http_header_count(r, "Mcp-Name") > 1)
        return "duplicate protocol header";
    if (!version || (version_of(m) && !is_same(version, version_of(m))))
        return "Header mismatch: MCP-Protocol-Version does not match the body's protocolVersion";
    if (!method || !is_same(method, m->method))
        return "Header mismatch: Mcp-Method does not match the body's method";
    if (!strcmp(m->method, "tools/call") && (!name || !is_same(name, rpc_text(m->params, "name"))))
        return "Header mismatch: Mcp-Name does not match the body";
    return NULL;
}

/* ---- POST ---- */

static void hung_up(void *payload)
{
    exchange *e = payload;
    if (e->alone)
        mcp_server_hang_up(e->transport->server, e);
}

static exchange *begin_exchange(transport *t, http_request *r)
{
    const char *accept = http_header(r, "Accept");
    exchange *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->transport = t;
    e->request = r;
    e->takes_stream = accept && (strstr(accept, "text/event-stream") || strstr(accept, "*/*"));
    http_on_hang_up(r, hung_up, free, e);
    return e;
}

/* The message is emptied, as by those below. */
static void take_message(transport *t, exchange *e, mcp_peer *peer, rpc_message *m)
{
    const mcp_wire wire = { tell, answer_request, e, e->takes_stream };
    mcp_server_take(t->server, peer, &wire, m);
    mcp_peer_release(t->server, peer);
}

static void take_modern(transport *t, http_request *r, rpc_message *m)
{
    const char *why = m->kind == RPC_REQUEST ? find_mismatch(r, m) : NULL;
    exchange *e;

    if (why) {
        refuse(r, 400, m->id, MCP_HEADER_MISMATCH, why);
        return;
    }
    e = begin_exchange(t, r);
    if (!e || mcp_peer_open(&e->alone, t->server, principal_of(r))) {
        refuse(r, 500, m->id, RPC_INTERNAL_ERROR, "out of memory");
        return;
    }
    e->alone->is_alone = 1;
    e->alone->is_modern = 1;
    mcp_peer_hold(t->server, e->alone);
    take_message(t, e, e->alone, m);
}

/* The peer of the session that the header names, held; NULL after an answer. */
static mcp_peer *find_peer(transport *t, http_request *r, const char *id)
{
    const char *name = http_header(r, "Mcp-Session-Id");
    mcp_peer *peer = NULL;

    if (!name) {
        refuse(r, 400, id, RPC_INVALID_REQUEST,
               "the header Mcp-Session-Id is missing, which the answer to initialize has");
        return NULL;
    }
    pthread_mutex_lock(&t->lock);
    client *c = *find_client(t, name, principal_of(r));
    if (c) {
        peer = c->peer;
        mcp_peer_hold(t->server, peer);
        c->used_ns = clock_now_ns();
    }
    pthread_mutex_unlock(&t->lock);
    if (!peer)
        refuse(r, 404, id, RPC_INVALID_REQUEST, "there is no session of that id; initialize again");
    return peer;
}

static void take_legacy(transport *t, http_request *r, rpc_message *m)
{
    const int opens = m->method && !strcmp(m->method, "initialize");
    mcp_peer *peer = opens ? NULL : find_peer(t, r, m->id);

    if (!opens && !peer)
        return;
    pthread_mutex_lock(&t->lock);
    const int has_room = !opens || make_room(t, principal_of(r));
    pthread_mutex_unlock(&t->lock);
    if (!has_room) {
        refuse(r, MCP_OVER_SHARE, m->id, MCP_TRY_LATER,
               "there are too many clients, and each has a call (--clients, --share); try again "
               "later");
        return;
    }
    exchange *e = begin_exchange(t, r);
    if (e && opens)
        peer = open_client(t, e, principal_of(r));
    if (!e || !peer) {
        if (peer)
            mcp_peer_release(t->server, peer);
        refuse(r, 500, m->id, RPC_INTERNAL_ERROR, "out of memory");
        return;
    }
    take_message(t, e, peer, m);
}

static void take_body(transport *t, http_request *r, rpc_message *m)
{
    const char *version = http_header(r, "MCP-Protocol-Version");

    if (m->kind == RPC_FAULT)
        refuse(r, 400, m->id, m->code, m->why);
    else if (version_of(m) || (version && !strcmp(version, MCP_MODERN)))
        take_modern(t, r, m);
    else if (version && strcmp(version, MCP_LEGACY) != 0)
        refuse(r, 400, m->id, RPC_INVALID_REQUEST,
               "the MCP-Protocol-Version is not one of " MCP_MODERN " and " MCP_LEGACY);
    else
        take_legacy(t, r, m);
}

static void on_post(void *payload, http_request *r)
{
    const char *type = http_header(r, "Content-Type"), *accept = http_header(r, "Accept");
    rpc_message m;
    size_t len;

    if (!type || strncasecmp(type, "application/json", 16) != 0 || !strchr(" ;", type[16])) {
        refuse(r, 415, NULL, RPC_INVALID_REQUEST, "the Content-Type must be application/json");
        return;
    }
    if (accept && !strstr(accept, "application/json") && !strstr(accept, "*/*")) {
        refuse(r, 406, NULL, RPC_INVALID_REQUEST,
               "Accept must have application/json and text/event-stream");
        return;
    }
    const char *text = http_body(r, &len);
    if (rpc_read(&m, text, len))
        refuse(r, 500, NULL, RPC_INTERNAL_ERROR, "out of memory");
    else
        take_body(payload, r, &m);
    rpc_free(&m);
}

/* ---- GET and DELETE, of the older revision ---- */

/* There is nothing that is not about a request. */
static void on_get(void *payload, http_request *r)
{
    (void)payload;
    http_answer(r, 405, NULL, "Allow: POST, DELETE\n", NULL, 0);
}

static void on_delete(void *payload, http_request *r)
{
    transport *t = payload;
    const char *name = http_header(r, "Mcp-Session-Id");

    if (!name) {
        http_answer(r, 405, NULL, "Allow: POST\n", NULL, 0);
        return;
    }
    pthread_mutex_lock(&t->lock);
    client **at = find_client(t, name, principal_of(r));
    const int found = *at != NULL;
    if (found)
        end_client(t, at);
    pthread_mutex_unlock(&t->lock);
    http_answer(r, found ? 200 : 404, NULL, NULL, NULL, 0);
}

/* ---- beginning and end ---- */

static const http_route routes[] = { { "POST", MCP_PATH, on_post },
                                     { "GET", MCP_PATH, on_get },
                                     { "DELETE", MCP_PATH, on_delete },
                                     { NULL, NULL, NULL } };

static const char *find_principal(void *payload, const char *text)
{
    const transport *t = payload;
    return tokens_find(t->server->tokens, text);
}

/* "[HOST:]PORT": EXIT_FINE, or EXIT_USAGE after one sentence. host is malloc'ed. */
static int read_address(char **host, uint16_t *port, const char *text)
{
    const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
    char *end;
    const unsigned long number = strtoul(digits, &end, 10);

    if (!is_digit(*digits) || *end)
        return command_fail(EXIT_USAGE, "--http \"%s\": a port is missing, as in 127.0.0.1:8080",
                            text);
    if (number > 65535)
        return command_fail(EXIT_USAGE, "--http \"%s\": a port is 65535 at most", text);
    const size_t len = colon ? (size_t)(colon - text) : 0;
    const int is_open = *text == '[';
    if (colon &&
        (len == 0 || (is_open ? len < 3 || colon[-1] != ']' : memchr(text, ':', len) != NULL)))
        return command_fail(EXIT_USAGE,
                            "--http \"%s\": a host is a name or an address, IPv6 in brackets: "
                            "0.0.0.0:8080 or [::]:8080 is all of this machine's",
                            text);
    *host = !colon    ? strdup("127.0.0.1")
            : is_open ? strndup(text + 1, len - 2)
                      : strndup(text, len);
    *port = (uint16_t)number;
    return *host ? EXIT_FINE : command_fail_memory();
}

static int open_http(transport *t, const options *o, const char *host, uint16_t port)
{
    const mcp_limits *limits = &t->server->limits;
    const http_options wanted = {
        .host = host,
        .port = port,
        .limits = { (size_t)limits->message_bytes, (size_t)limits->unsent_bytes,
                    (unsigned)limits->connections,
                    (unsigned)server_share(t->server, limits->connections), limits->request_ms,
                    IDLE_MS, BEAT_MS },
        .routes = routes,
        .find_principal = t->server->tokens->count > 0 ? find_principal : NULL,
        .origins = o->mcp.origins.items,
        .payload = t,
    };
    return http_server_open(&t->http, &wanted) ? command_fail(EXIT_USAGE, "%s", error_message())
                                               : EXIT_FINE;
}

/* Until a signal asks to end. */
static void wait_for_end(signals *sig)
{
    while (!signals_taken(sig)) {
        struct pollfd fd = { signals_fd(sig), POLLIN, 0 };
        poll(&fd, 1, 1000);
        while (signals_next(sig))
            ;
    }
}

static void close_transport(transport *t)
{
    asking_refuse_all(t->server);
    mcp_server_stop(t->server, t->server->limits.drain_ms / 3);
    mcp_server_save(t->server);
    pthread_mutex_lock(&t->lock);
    while (t->clients)
        end_client(t, &t->clients);
    pthread_mutex_unlock(&t->lock);
    http_server_close(t->http, 1000);
}

int mcp_serve_http(mcp_server *s, signals *sig)
{
    transport t = { .server = s, .lock = PTHREAD_MUTEX_INITIALIZER };
    const options *o = s->options;
    char *host = NULL;
    uint16_t port = 0;

    int status = read_address(&host, &port, o->mcp.http);
    if (!status && s->tokens->count == 0 && !http_is_loopback(host))
        status =
            command_fail(EXIT_USAGE,
                         "--http %s is for other machines too: --token-file is needed, so that "
                         "not everybody runs programs here",
                         o->mcp.http);
    if (!status)
        status = open_http(&t, o, host, port);
    if (!status) {
        fprintf(stderr, "snug: serving at http://%s:%u" MCP_PATH "\n", host,
                http_server_port(t.http));
        fflush(stderr);
        wait_for_end(sig);
        close_transport(&t);
    }
    free(host);
    return status;
}
