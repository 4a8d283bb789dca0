/*
 * tracer.h - where an agent's traces go: a file, a receiver, or both; and the trace of whoever
 * started this process, which they continue.
 */
#ifndef SNUG_AGENT_TRACER_H
#define SNUG_AGENT_TRACER_H

#include <snug/agent.h>

#include "agent/model/http.h"
#include "agent/model/provider.h"
#include "base/str.h"

enum { TRACE_ID_DIGITS = 32, SPAN_ID_DIGITS = 16 };

typedef struct tracer {
    char *file;      /* NULL: none */
    int has_content; /* the file is to be private */
    http *http;      /* NULL: nothing is sent */
    provider_place place;
    str url;
    char trace_id[TRACE_ID_DIGITS + 1]; /* of TRACEPARENT; empty: none */
    char parent_id[SPAN_ID_DIGITS + 1];
    unsigned flags;
} tracer;

/* NULL in *out where nothing is to be traced. SNUG_EINVAL for what is not an address, SNUG_ESYSTEM
 * for a file that cannot be written, with a message that names it. Texts are copied; the variable
 * TRACEPARENT is read. */
int tracer_open(tracer **out, const snug_agent_options *options);
void tracer_close(tracer *t);
/* Writes and sends a request of OTLP. What goes wrong is appended to problem, in a sentence. Takes
 * two seconds at most. */
void tracer_deliver(str *problem, tracer *t, const char *body, size_t len);

#endif
