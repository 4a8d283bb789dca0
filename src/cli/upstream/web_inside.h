/*
 * web_inside.h - what the files of the transport by HTTP share.
 */
#ifndef SNUG_CLI_WEB_INSIDE_H
#define SNUG_CLI_WEB_INSIDE_H

#include <stdint.h>

#include "base/str.h"
#include "cli/upstream/message.h"
#include "cli/upstream/transport.h"
#include "fetch/exchange.h"
#include "fetch/url.h"
#include "wire/sse.h"

/* One request. */
typedef struct post {
    struct post *next;
    struct web *web;
    unsigned long id;
    const char *method;
    str body, headers, url, session;
    char version[MESSAGE_VERSION_BYTES];
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

/* ---- web_post.c ---- */

/* SNUG_OK or SNUG_ENOMEM. */
int web_begin_post(post *p);
void web_remove_post(post *p);
/* A redirect that keeps the method, to another path of the server: 1. */
int web_follow(post *p, const exchange_head *head);

#endif
