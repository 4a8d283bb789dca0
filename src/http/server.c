/* Requests come, are given to their routes, and are answered later. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "http/connections.h"

enum { HEAD_BYTES = 64 * 1024, BLOCK_BYTES = 32 * 1024, STACK_BYTES = 256 * 1024 };

/* ---- responses ---- */

static void add_headers(struct MHD_Response *response, const str *headers)
{
    char *line = headers->data, *next;

    for (; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        char *colon = strstr(line, ": ");
        if (!colon)
            continue;
        *colon = '\0';
        mhd.add_response_header(response, line, colon + 2);
    }
}

static enum MHD_Result queue(struct MHD_Connection *c, unsigned status,
                             struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    const enum MHD_Result result = mhd.queue_response(c, status, response);
    mhd.destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *why)
{
    char text[256];
    const int len = snprintf(text, sizeof text, "{\"error\":\"%s\"}\n", why);
    struct MHD_Response *response =
        mhd.create_response_from_buffer((size_t)len, text, MHD_RESPMEM_MUST_COPY);

    if (response) {
        mhd.add_response_header(response, "Content-Type", "application/json");
        mhd.add_response_header(response, "Connection", "close");
        if (status == 401)
            mhd.add_response_header(response, "WWW-Authenticate", "Bearer");
        if (status == 429 || status == 503)
            mhd.add_response_header(response, "Retry-After", "1");
    }
    return queue(c, status, response);
}

/* What the stream has for its client; where there is nothing, the connection rests. */
static ssize_t read_stream(void *payload, uint64_t at, char *out, size_t room)
{
    http_request *r = payload;
    ssize_t len;

    (void)at;
    pthread_mutex_lock(&r->server->lock);
    const size_t left = r->answer.len - r->sent;
    if (r->is_gone) {
        len = MHD_CONTENT_READER_END_WITH_ERROR;
    } else if (left > 0) {
        len = (ssize_t)(left < room ? left : room);
        memcpy(out, r->answer.data + r->sent, (size_t)len);
        r->sent += (size_t)len;
        if (r->sent == r->answer.len) {
            str_clear(&r->answer);
            r->sent = 0;
        }
    } else if (r->is_over) {
        len = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        request_suspend(r);
        len = 0;
    }
    pthread_mutex_unlock(&r->server->lock);
    return len;
}

static enum MHD_Result queue_stream(http_request *r)
{
    struct MHD_Response *response =
        mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, r, NULL);
    if (!response)
        return MHD_NO;
    mhd.add_response_header(response, "Content-Type", "text/event-stream");
    mhd.add_response_header(response, "Cache-Control", "no-cache");
    mhd.add_response_header(response, "X-Accel-Buffering", "no");
    add_headers(response, &r->headers);
    return queue(r->connection, 200, response);
}

static enum MHD_Result queue_answer(http_request *r)
{
    struct MHD_Response *response = mhd.create_response_from_buffer(
        r->answer.len, (void *)(uintptr_t)str_text(&r->answer), MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    if (r->type)
        mhd.add_response_header(response, "Content-Type", r->type);
    add_headers(response, &r->headers);
    return queue(r->connection, r->status, response);
}

/* ---- requests ---- */

void request_tidy(http_request *r)
{
    if (r->connection || r->is_held || r->calling > 0)
        return;
    if (r->release)
        r->release(r->payload);
    http_request **at = &r->server->requests;
    while (*at && *at != r)
        at = &(*at)->next;
    if (*at)
        *at = r->next;
    pthread_cond_broadcast(&r->server->change);
    str_free(&r->body);
    str_free(&r->headers);
    str_free(&r->answer);
    free(r);
}

static connection *find_connection(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* Gives its connection to its principal: 1, or 0 where that has its share of them. */
static int claim_connection(http_request *r)
{
    http_server *s = r->server;
    unsigned others = 0;

    pthread_mutex_lock(&s->lock);
    for (const connection *c = s->connections; c; c = c->next)
        others += c != r->of && c->principal && !strcmp(c->principal, r->principal);
    const int has_room = others < s->options.limits.share;
    r->of->principal = has_room ? r->principal : NULL;
    pthread_mutex_unlock(&s->lock);
    return has_room;
}

static enum MHD_Result begin_request(http_server *s, struct MHD_Connection *c, const char *method,
                                     const char *path, void **out)
{
    const char *why = "";
    http_request *r = calloc(1, sizeof *r);
    if (!r)
        return MHD_NO;

    r->server = s;
    r->connection = c;
    pthread_mutex_lock(&s->lock);
    r->of = find_connection(c);
    if (r->of)
        r->of->deadline_ns = clock_deadline_ns(clock_now_ns(), s->options.limits.request_ms);
    r->next = s->requests;
    s->requests = r;
    const int is_closing = s->is_closing;
    pthread_mutex_unlock(&s->lock);
    *out = r;

    if (!r->of)
        return MHD_NO;
    if (is_closing)
        return refuse(c, 503, "the server is ending");
    const unsigned status = head_check(&why, r, method, path);
    if (status)
        return refuse(c, status, why);
    return claim_connection(r)
               ? MHD_YES
               : refuse(c, 429, "too many connections (--connections, --share); try again later");
}

static void take_body(http_request *r, const char *data, size_t len)
{
    if (r->body.len + len > r->server->options.limits.body_bytes)
        r->is_long = 1;
    else if (str_append(&r->body, data, len))
        r->is_long = 1;
}

/* It is whole: its route has it now. */
static enum MHD_Result give_request(http_request *r)
{
    if (r->is_long)
        return refuse(r->connection, 413, "the body is too large");

    pthread_mutex_lock(&r->server->lock);
    r->of->deadline_ns = UINT64_MAX;
    r->state = REQUEST_GIVEN;
    r->is_held = 1;
    request_suspend(r);
    pthread_mutex_unlock(&r->server->lock);
    r->route->fn(r->server->options.payload, r);
    return MHD_YES;
}

static enum MHD_Result handle(void *payload, struct MHD_Connection *c, const char *path,
                              const char *method, const char *version, const char *data,
                              size_t *len, void **context)
{
    http_request *r = *context;

    (void)version;
    if (!r)
        return begin_request(payload, c, method, path, context);
    if (*len > 0) {
        take_body(r, data, *len);
        *len = 0;
        return MHD_YES;
    }
    if (r->state == REQUEST_READ)
        return give_request(r);

    pthread_mutex_lock(&r->server->lock);
    const request_state state = r->state;
    const int is_gone = r->is_gone;
    pthread_mutex_unlock(&r->server->lock);
    if (is_gone)
        return MHD_NO;
    if (state == REQUEST_STREAMS)
        return queue_stream(r);
    return state == REQUEST_ANSWERED ? queue_answer(r) : MHD_YES;
}

/* The library is done with it, whatever the reason. */
static void complete(void *payload, struct MHD_Connection *c, void **context,
                     enum MHD_RequestTerminationCode code)
{
    http_server *s = payload;
    http_request *r = *context;

    (void)c;
    (void)code;
    if (!r)
        return;
    pthread_mutex_lock(&s->lock);
    if (r->is_suspended)
        epoll_ctl(s->epoll, EPOLL_CTL_DEL, r->of->fd, NULL);
    r->is_suspended = 0;
    if (r->of)
        r->of->deadline_ns = clock_deadline_ns(clock_now_ns(), s->options.limits.idle_ms);
    r->is_gone = 1;
    r->connection = NULL;
    request_hang_up(r);
    request_tidy(r);
    pthread_mutex_unlock(&s->lock);
    *context = NULL;
}

/* One more than there may be: the oldest that has shown no token makes room. They are in the order
 * in which they came, the newest first. With the lock. */
static void make_room(const http_server *s)
{
    const connection *oldest = NULL;
    unsigned count = 0;

    for (const connection *c = s->connections; c; c = c->next, count++)
        if (!c->principal && c != s->connections)
            oldest = c;
    if (count > s->options.limits.connections && oldest)
        shutdown(oldest->fd, SHUT_RDWR);
}

static void note_connection(void *payload, struct MHD_Connection *c, void **context,
                            enum MHD_ConnectionNotificationCode code)
{
    http_server *s = payload;
    connection *one = *context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
        one = info ? calloc(1, sizeof *one) : NULL;
        *context = one;
        if (!one)
            return;
        *one = (connection){ .server = s, .fd = info->connect_fd };
        one->deadline_ns = clock_deadline_ns(clock_now_ns(), s->options.limits.request_ms);
        pthread_mutex_lock(&s->lock);
        one->next = s->connections;
        s->connections = one;
        make_room(s);
        pthread_mutex_unlock(&s->lock);
        return;
    }

    if (!one)
        return;
    pthread_mutex_lock(&s->lock);
    connection **at = &s->connections;
    while (*at && *at != one)
        at = &(*at)->next;
    if (*at)
        *at = one->next;
    pthread_mutex_unlock(&s->lock);
    free(one);
    *context = NULL;
}

/* ---- answering ---- */

const char *http_body(const http_request *r, size_t *len)
{
    *len = r->body.len;
    return str_text(&r->body);
}

const char *http_principal(const http_request *r)
{
    return r->principal;
}

void http_on_hang_up(http_request *r, void (*hung_up)(void *payload),
                     void (*release)(void *payload), void *payload)
{
    pthread_mutex_lock(&r->server->lock);
    r->hung_up = hung_up;
    r->release = release;
    r->payload = payload;
    pthread_mutex_unlock(&r->server->lock);
}

/* Nobody holds it any more. With the lock, which is released. */
static void release_held(http_request *r)
{
    http_server *s = r->server;
    r->is_held = 0;
    r->hung_up = NULL;
    request_resume(r);
    request_tidy(r);
    pthread_mutex_unlock(&s->lock);
}

void http_answer(http_request *r, unsigned status, const char *type, const char *headers,
                 const void *body, size_t len)
{
    pthread_mutex_lock(&r->server->lock);
    r->status = status;
    r->type = type;
    r->state = REQUEST_ANSWERED;
    if ((headers && str_add(&r->headers, headers)) ||
        (len > 0 && str_append(&r->answer, body, len)))
        r->is_gone = 1;
    release_held(r);
}

void http_stream_begin(http_request *r, const char *headers)
{
    pthread_mutex_lock(&r->server->lock);
    r->state = REQUEST_STREAMS;
    r->beat_ns = clock_now_ns();
    if (headers && str_add(&r->headers, headers))
        r->is_gone = 1;
    request_resume(r);
    pthread_mutex_unlock(&r->server->lock);
}

void http_stream_send(http_request *r, const char *data, size_t len)
{
    pthread_mutex_lock(&r->server->lock);
    const size_t unsent = r->answer.len - r->sent;
    if (r->is_gone)
        goto done;
    if (unsent > 0 && unsent + len > r->server->options.limits.unsent_bytes) {
        r->is_gone = 1;
        shutdown(r->of->fd, SHUT_RDWR);
    } else if (str_add(&r->answer, "event: message\ndata: ") || str_append(&r->answer, data, len) ||
               str_add(&r->answer, "\n\n")) {
        r->is_gone = 1;
    }
    r->beat_ns = clock_now_ns();
    request_resume(r);
done:
    pthread_mutex_unlock(&r->server->lock);
}

void http_stream_end(http_request *r)
{
    pthread_mutex_lock(&r->server->lock);
    r->is_over = 1;
    release_held(r);
}

/* ---- beginning and end ---- */

static int listen_on(http_server *s, const char *host, uint16_t port)
{
    char service[8];
    struct addrinfo *found = NULL,
                    hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
    const int yes = 1;
    int error = SNUG_OK;

    snprintf(service, sizeof service, "%u", port);
    const int failed = getaddrinfo(*host ? host : NULL, service, &hints, &found);
    if (failed)
        return error_set(SNUG_EINVAL, "%s:%s: %s", host, service, gai_strerror(failed));

    s->socket = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->socket >= 0)
        setsockopt(s->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (s->socket < 0 || bind(s->socket, found->ai_addr, found->ai_addrlen) ||
        listen(s->socket, 128))
        error = error_system("%s:%s cannot be listened to", host, service);
    freeaddrinfo(found);
    return error;
}

static void learn_port(http_server *s)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof address;

    if (getsockname(s->socket, (struct sockaddr *)&address, &len))
        return;
    if (address.ss_family == AF_INET6)
        s->port = ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    else
        s->port = ntohs(((struct sockaddr_in *)&address)->sin_port);
}

static int start_daemon(http_server *s)
{
    const http_limits *limits = &s->options.limits;
    const unsigned seconds = (unsigned)((limits->idle_ms + 999) / 1000);

    s->daemon = mhd.start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL, handle,
        s, MHD_OPTION_LISTEN_SOCKET, s->socket, MHD_OPTION_CONNECTION_LIMIT,
        limits->connections + 1, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_BYTES, MHD_OPTION_NOTIFY_COMPLETED,
        complete, s, MHD_OPTION_NOTIFY_CONNECTION, note_connection, s, MHD_OPTION_STRICT_FOR_CLIENT,
        1, MHD_OPTION_END);
    if (!s->daemon)
        return error_system("a server of HTTP cannot be started");
    return SNUG_OK;
}

int http_server_open(http_server **out, const http_options *options)
{
    http_server *s = calloc(1, sizeof *s);
    if (!s)
        return error_no_memory();

    s->options = *options;
    s->socket = s->epoll = -1;
    s->is_loopback = http_is_loopback(options->host);
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->change, &monotonic);
    pthread_condattr_destroy(&monotonic);

    int error = mhd_library_load();
    if (!error)
        error = listen_on(s, options->host, options->port);
    if (!error && (s->epoll = epoll_create1(EPOLL_CLOEXEC)) < 0)
        error = error_system("epoll_create1");
    if (error)
        goto fail;

    learn_port(s);
    error = thread_start(&s->watcher, "snug-http", STACK_BYTES, watch_connections, s);
    s->has_watcher = error == SNUG_OK;
    if (!error)
        error = start_daemon(s);
    if (error)
        goto fail;
    *out = s;
    return SNUG_OK;

fail:
    http_server_close(s, 0);
    return error;
}

uint16_t http_server_port(const http_server *s)
{
    return s->port;
}

/* The next that nobody has answered, or whose stream has not ended. With the lock. */
static http_request *next_held(const http_server *s)
{
    http_request *r = s->requests;
    while (r && !r->is_held)
        r = r->next;
    return r;
}

/* Their connections end; who holds them gives them back later. */
static void end_requests(http_server *s, uint64_t ms)
{
    const uint64_t deadline = clock_deadline_ns(clock_now_ns(), ms);

    pthread_mutex_lock(&s->lock);
    s->is_closing = 1;
    while (next_held(s) && clock_now_ns() < deadline)
        cond_wait_until(&s->change, &s->lock, clock_now_ns() + 50 * NS_PER_MS);
    for (http_request *r = s->requests; r; r = r->next) {
        if (r->state == REQUEST_GIVEN) {
            r->status = 503;
            r->state = REQUEST_ANSWERED;
        }
        r->is_over = 1;
        request_resume(r);
    }
    /* What is on its way has a moment. */
    const uint64_t moment = clock_now_ns() + 500 * NS_PER_MS;
    while (s->requests && clock_now_ns() < moment)
        cond_wait_until(&s->change, &s->lock, clock_now_ns() + 20 * NS_PER_MS);
    pthread_mutex_unlock(&s->lock);
}

void http_server_close(http_server *s, uint64_t ms)
{
    if (!s)
        return;
    if (s->daemon) {
        mhd.quiesce_daemon(s->daemon);
        end_requests(s, ms);
        mhd.stop_daemon(s->daemon);
    }
    pthread_mutex_lock(&s->lock);
    s->is_closing = 2;
    pthread_mutex_unlock(&s->lock);
    if (s->has_watcher)
        thread_join(&s->watcher);
    if (s->socket >= 0)
        close(s->socket);
    if (s->epoll >= 0)
        close(s->epoll);
    pthread_cond_destroy(&s->change);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
