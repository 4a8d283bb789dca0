/*
 * sse.h - reads server-sent events (WHATWG HTML, 9.2.6) as they come in, however they are cut.
 *
 * Gives on what has data; "id" and "retry" are for a client that connects again, which none here
 * does. An event that the end of the stream cuts off was never one.
 */
#ifndef SNUG_WIRE_SSE_H
#define SNUG_WIRE_SSE_H

#include <stddef.h>

#include "base/str.h"

/* event: its type, "message" where it names none. data: the lines, joined by LF, and a NUL.
 * Anything but SNUG_OK ends the reading. */
typedef int sse_fn(void *payload, const char *event, const char *data, size_t len);

/* Initialised by sse_init. */
typedef struct sse {
    sse_fn *on_event;
    void *payload;
    size_t most_bytes;
    str line, event, data;
    int after_cr;  /* an LF now belongs to that end of a line */
    int has_data;  /* also one that is empty */
    int past_line; /* the first line was looked at for a byte order mark */
} sse;

/* most_bytes: of a line, and of an event's data. */
void sse_init(sse *s, size_t most_bytes, sse_fn *on_event, void *payload);
void sse_free(sse *s);
/* SNUG_OK, SNUG_ENOMEM, SNUG_EINVAL for a line or data over the bound (no message is set), or
 * what on_event answered. After a failure only sse_free may follow. */
int sse_feed(sse *s, const char *bytes, size_t len);

#endif
