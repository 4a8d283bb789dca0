/*
 * trace.h - what a question did, as spans of OpenTelemetry: a line of OTLP in JSON in a file, or
 * sent to a receiver over HTTP.
 *
 * A question is one trace: its span is invoke_agent, below it are chat for each request to a model
 * and execute_tool for each scan and each cell, and below that for each call of a host's tool.
 * Names are those of OpenTelemetry's semantic conventions for generative AI. Texts of the question,
 * of programs and answers are in it only where traces_content says so, and keys never. What goes
 * wrong is an event and costs the trace alone.
 */
#ifndef SNUG_AGENT_TRACE_H
#define SNUG_AGENT_TRACE_H

#include "agent/run/run.h"

/* The spans of a question. All of these do nothing where r->trace is NULL, which it is too where
 * memory runs out. Spans are numbers; 0 is not a span. */
void trace_begin(run *r);
/* Ends the question's span, writes and sends all of them, which may take two seconds. error: what
 * the question ended with. */
void trace_end(run *r, int error);
/* Around the steps scan and execute; of other steps nothing. */
size_t trace_step_begin(run *r, snug_agent_step step);
void trace_step_end(run *r, size_t number, snug_agent_step step);
/* Around a request, whose reply is r->said then. named: the model's name with the provider's. */
size_t trace_chat_begin(run *r, const char *named, const model_request *request);
void trace_chat_end(run *r, size_t number);

#endif
