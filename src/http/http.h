/*
 * http.h - a server of HTTP/1.1 for programs that answer later, over libmicrohttpd, which is loaded
 * when a server is opened. It knows routes, tokens and streams of events, and nothing of what they
 * are about.
 *
 *     static void on_time(void *payload, http_request *r)
 *     {
 *         http_answer(r, 200, "text/plain", NULL, "noon\n", 5);
 *     }
 *
 *     static const http_route routes[] = { { "GET", "/time", on_time }, { 0 } };
 *     http_options options = { .host = "127.0.0.1", .port = 8080, .routes = routes };
 *     http_server *server;
 *     if (http_server_open(&server, &options))
 *         return command_fail(EXIT_USAGE, "%s", error_message());
 *
 * What it refuses by itself, before a route is asked: requests that are larger or slower than the
 * limits; ones that could be read in two ways (a length and chunks, a header twice of which there
 * is one); where the server listens on this machine only, other names of a Host than this
 * machine's; an Origin that is neither this machine's nor among origins; and where there are
 * tokens, requests without one of them.
 *
 * Threads. A route is called on the server's one thread when its request is whole, and must not
 * take long: it answers at once, or hands the request to somebody who answers later, on any thread.
 * on_hang_up is called on a thread of the server's. None of these functions waits for a client.
 */
#ifndef SNUG_HTTP_HTTP_H
#define SNUG_HTTP_HTTP_H

#include <stddef.h>
#include <stdint.h>

typedef struct http_server http_server;
typedef struct http_request http_request;

typedef struct http_route {
    const char *method, *path; /* NULL: the end of the table */
    void (*fn)(void *payload, http_request *r);
} http_route;

typedef struct http_limits {
    size_t body_bytes;   /* of a request */
    size_t unsent_bytes; /* of a stream, that a client has not taken; then it is disconnected */
    unsigned connections;
    unsigned share;      /* of the connections, that one principal may have */
    uint64_t request_ms; /* in which a request has to be whole */
    uint64_t idle_ms;    /* of a connection on which nothing goes on */
    uint64_t beat_ms;    /* between two signs of life of a stream; 0: none */
} http_limits;

/* Who has that token: a name, or NULL. It must not tell by its time how much of it was right. */
typedef const char *http_find_principal(void *payload, const char *token);

typedef struct http_options {
    const char *host; /* a name or an address; "" for all of this machine's */
    uint16_t port;    /* 0: a free one */
    http_limits limits;
    const http_route *routes;
    http_find_principal *find_principal; /* NULL: nobody needs a token */
    const char *const *origins; /* that may ask besides this machine's, NULL-terminated; or NULL */
    void *payload;              /* of all functions */
} http_options;

/* SNUG_OK, or an error with its message. The options' texts and tables stay the caller's, and live
 * as long as the server. */
int http_server_open(http_server **out, const http_options *options);
uint16_t http_server_port(const http_server *server);
/* No connection is taken any more; requests that nobody has answered after ms are refused (503),
 * and streams end. NULL is fine. All requests must have been given back when it returns, or be
 * given back at once. */
void http_server_close(http_server *server, uint64_t ms);
/* Whether that names this machine only. */
int http_is_loopback(const char *host);

/* ---- a request, until it is answered ---- */

/* NULL: there is none of that name; upper and lower case are the same. */
const char *http_header(const http_request *r, const char *name);
/* How many there are of that name. */
unsigned http_header_count(const http_request *r, const char *name);
const char *http_body(const http_request *r, size_t *len);
/* As find_principal has it; "" where there are no tokens. */
const char *http_principal(const http_request *r);
/* hung_up is called at most once, if the client goes away before the answer, or before the end of
 * the stream. release is called once, when neither can be called any more and the request is gone;
 * it does no more than free memory. Set by the route. */
void http_on_hang_up(http_request *r, void (*hung_up)(void *payload),
                     void (*release)(void *payload), void *payload);

/* Each ends it: the request is not to be used afterwards. headers: NULL, or "Name: value\n" lines.
 */
void http_answer(http_request *r, unsigned status, const char *type, const char *headers,
                 const void *body, size_t len);
/* Begins a stream of server-sent events: 200. */
void http_stream_begin(http_request *r, const char *headers);
/* An event with that data, in which there is no line end. */
void http_stream_send(http_request *r, const char *data, size_t len);
/* Ends it. */
void http_stream_end(http_request *r);

#endif
