/*
 * http.h - one request at a time over libcurl, with time-outs that can be distinguished, and an end
 * at once from any thread.
 *
 * Connections are kept for the next request. Redirects are not followed: the key would go along.
 * Proxies and certificates are those of curl's environment.
 */
#ifndef SNUG_AGENT_HTTP_H
#define SNUG_AGENT_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef enum http_fault {
    HTTP_FINE,          /* there is a reply, with any status */
    HTTP_NOT_CONNECTED, /* refused, no such host, the network is down */
    HTTP_NOT_TRUSTED,   /* its certificate */
    HTTP_BROKEN,        /* before the reply was whole */
    HTTP_SLOW_CONNECT,
    HTTP_SLOW_FIRST,
    HTTP_IDLE,
    HTTP_SLOW,
    HTTP_TOO_LARGE,
    HTTP_PAST_DEADLINE,
    HTTP_CANCELLED,
    HTTP_GIVEN_UP /* by on_data */
} http_fault;

typedef struct http_reply {
    http_fault fault;
    str problem; /* of the first four faults, as curl has it; never has the request's headers */
    int status;  /* 0: none came */
    str content_type, retry_after, retry_after_ms, location; /* as far as they came */
} http_reply;

void http_reply_free(http_reply *reply);

/* What on_data answers; anything else gives up. Until HTTP_FLOWS, first_ms is the longest silence
 * that there may be; from then on idle_ms is. */
enum { HTTP_GO_ON, HTTP_FLOWS, HTTP_ENOUGH };

/* Times of 0 and most_bytes of 0: no limit. first_ms of 0: idle_ms from the first byte on. */
typedef struct http_request {
    const char *url;
    const char *key_header;   /* a whole line, or NULL; its copies are wiped */
    const char *other_header; /* NULL: none */
    char *const *headers;     /* further ones, with a NULL behind them; NULL: none */
    const char *body;
    size_t body_len;
    int is_direct; /* by no proxy */
    uint64_t connect_ms, first_ms, idle_ms, total_ms, most_bytes;
    uint64_t deadline_ns; /* CLOCK_MONOTONIC; UINT64_MAX: none */
    /* A piece of the reply's body, with status and headers in reply; on the calling thread, where
     * nothing of curl's runs. After HTTP_ENOUGH the rest is read, but not waited for. */
    int (*on_data)(void *payload, const http_reply *reply, const char *data, size_t len);
    void *payload;
} http_request;

/* An on_data that appends to the str that is its payload. */
int http_collect(void *payload, const http_reply *reply, const char *data, size_t len);

typedef struct http http;

/* SNUG_OK, SNUG_ENOMEM, or SNUG_ESYSTEM with a message. */
int http_open(http **out);
void http_close(http *h);
/* SNUG_OK, also with a fault, or SNUG_ENOMEM. */
int http_post(http_reply *out, http *h, const http_request *request);
/* The same without a body. */
int http_get(http_reply *out, http *h, const http_request *request);
/* Waits; 0, or 1 where it was cancelled. */
int http_wait(http *h, uint64_t until_ns);
/* Any thread: what is under way ends at once, and all after it until http_resume. */
void http_cancel(http *h);
void http_resume(http *h);
int http_is_cancelled(http *h);

#endif
