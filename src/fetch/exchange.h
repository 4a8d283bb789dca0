/*
 * exchange.h - requests to servers that the user has named, side by side on one thread, whose
 * replies come piece by piece: of MCP servers. What cells ask for goes by hop.h.
 *
 * Redirects are not followed here. Replies are not unpacked, and not asked for packed.
 */
#ifndef SNUG_FETCH_EXCHANGE_H
#define SNUG_FETCH_EXCHANGE_H

#include <stddef.h>

#include "base/str.h"

typedef struct exchanges exchanges;

/* What has come of a reply before its body. */
typedef struct exchange_head {
    int status; /* 0: none came */
    str content_type, location, session_id;
} exchange_head;

typedef struct exchange_request {
    const char *method, *url;
    const str *lines; /* headers, "Name: value"; line_count of them */
    size_t line_count;
    const char *body; /* NULL: none */
    size_t body_len;
} exchange_request;

/* On the thread of exchanges_turn, where requests may be begun and dropped. tag: the request's. */
typedef struct exchange_watch {
    void *payload;
    void (*on_piece)(void *payload, void *tag, const exchange_head *head, const char *data,
                     size_t len);
    /* why: NULL, the reply is whole; else what ended it, without headers of the request. */
    void (*on_end)(void *payload, void *tag, const exchange_head *head, const char *why);
} exchange_watch;

/* SNUG_OK or SNUG_ENOMEM. */
int exchanges_open(exchanges **out, const exchange_watch *watch);
/* SNUG_OK, SNUG_ENOMEM. What the request points to is copied, and wiped later. */
int exchanges_begin(exchanges *e, const exchange_request *request, void *tag);
/* Ends it; nothing is heard of it any more. A tag that is not there is fine. */
void exchanges_drop(exchanges *e, const void *tag);
/* Waits for at most so long, -1: for ever, or for exchanges_wake, and hands over what has come. */
void exchanges_turn(exchanges *e, int ms);
/* Any thread. */
void exchanges_wake(exchanges *e);
void exchanges_close(exchanges *e);

#endif
