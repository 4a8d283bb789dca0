/*
 * hop.h - one request and its reply, by a rule that allows it.
 */
#ifndef SNUG_FETCH_HOP_H
#define SNUG_FETCH_HOP_H

#include <stdint.h>

#include "base/str.h"
#include "fetch/request.h"
#include "fetch/rules.h"

enum { HOP_HEADERS = 200, HOP_HEADER_BYTES = 64 << 10 };

typedef struct hop_request {
    const char *url, *host, *method;
    unsigned port;
    const fetch_rule *rule;
    const str *lines; /* headers, "Name: value"; line_count of them */
    size_t line_count;
    const str *body; /* NULL: none */
    uint64_t most_bytes, deadline_ns;
    int (*is_wanted)(void *payload);
    void *payload;
} hop_request;

typedef struct hop_reply {
    int status;
    fetch_header headers[HOP_HEADERS]; /* names in lower case */
    size_t header_count;
    str body;
} hop_reply;

/* SNUG_OK with any status, SNUG_ENOMEM, or SNUG_ESYSTEM with *why, which may quote what the server
 * said. Free in all cases. */
int hop_make(hop_reply *out, str *why, const hop_request *request);
void hop_reply_free(hop_reply *reply);
/* The value of the last header of that name; NULL: there is none. */
const str *hop_header(const hop_reply *reply, const char *name);

#endif
