/*
 * exchange.h - requests by libcurl, side by side on one thread, whose replies come piece by piece.
 * All that snug asks of other servers goes by it: models, MCP servers, and what cells fetch.
 *
 * Redirects are not followed here. Replies are unpacked only where the request says so. Memory of
 * libcurl's is wiped before it is freed: it puts heads of requests together there.
 */
#ifndef SNUG_FETCH_EXCHANGE_H
#define SNUG_FETCH_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/str.h"

typedef struct exchanges exchanges;

typedef enum exchange_end {
    EXCHANGE_WHOLE,
    EXCHANGE_BROKEN,
    EXCHANGE_NOT_TRUSTED, /* its certificate */
    EXCHANGE_TOO_LARGE,   /* the body */
    EXCHANGE_LARGE_HEAD,
    EXCHANGE_NO_MEMORY
} exchange_end;

/* What has come of a reply before its body. */
typedef struct exchange_head {
    int status; /* 0: none came */
    str content_type, location, session_id, retry_after, retry_after_ms;
    uint64_t connected_ns; /* when there was a connection; 0: there is none yet */
    exchange_end end;
} exchange_head;

typedef struct exchange_request {
    const char *method, *url;
    const str *lines; /* headers, "Name: value"; line_count of them */
    size_t line_count;
    const char *body; /* NULL: none */
    size_t body_len;
    /* It is sent again where a connection that was used before ends without a byte: only what a
     * server may act on twice. */
    int is_repeated;
    int is_direct;        /* by no proxy */
    int is_packed;        /* asked for packed, and unpacked */
    const char *agent;    /* NULL: "snug" */
    uint64_t connect_ms;  /* 0: half a minute */
    uint64_t most_bytes;  /* of the body, unpacked; 0: no limit */
    const char *resolved; /* "HOST:PORT:ADDRESS": this name is not looked up. NULL: all are */
    void *payload;        /* of the next two */
    /* Whether the address may be connected to. NULL: any. */
    int (*is_allowed)(void *payload, const struct sockaddr *address);
    /* Each line of the reply's head, also of replies before the final one; 0, or another end than
     * EXCHANGE_WHOLE. NULL: none. */
    exchange_end (*on_line)(void *payload, const char *line, size_t len);
} exchange_request;

/* On the thread of exchanges_turn, where requests may be begun and dropped. tag: the request's. */
typedef struct exchange_watch {
    void *payload;
    void (*on_piece)(void *payload, void *tag, const exchange_head *head, const char *data,
                     size_t len);
    /* why: NULL, the reply is whole; else what ended it, without headers of the request. */
    void (*on_end)(void *payload, void *tag, const exchange_head *head, const char *why);
} exchange_watch;

/* SNUG_OK, SNUG_ENOMEM or SNUG_ESYSTEM, each with a message. */
int exchanges_open(exchanges **out, const exchange_watch *watch);
/* SNUG_OK, SNUG_ENOMEM. What the request points to is copied, and wiped later; payload is not. */
int exchanges_begin(exchanges *e, const exchange_request *request, void *tag);
/* NULL: there is none of that tag. */
const exchange_head *exchanges_head(exchanges *e, const void *tag);
/* Ends it; nothing is heard of it any more. A tag that is not there is fine. */
void exchanges_drop(exchanges *e, const void *tag);
/* Waits for at most so long, -1: for ever, or for exchanges_wake, and hands over what has come. */
void exchanges_turn(exchanges *e, int ms);
/* Only waits. */
void exchanges_wait(exchanges *e, int ms);
/* Any thread. */
void exchanges_wake(exchanges *e);
void exchanges_close(exchanges *e);

/* If line is the header of that name: 1, with its value without white space in *value. */
int exchange_value(const char **value, size_t *value_len, const char *name, const char *line,
                   size_t len);

#endif
