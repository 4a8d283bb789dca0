/*
 * trace.h - what a question does: events for the caller, and spans of OpenTelemetry, as a line of
 * OTLP in JSON in a file, or sent to a receiver over HTTP.
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
#include "wire/json.h"

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

/* ---- step_events.c ---- */

/* Events "prompt", "route" and "budget"; nothing unless they are asked for. The models' keys are
 * taken out of prompts. use: "code", ... */
/* Where the reply shall have them: the messages of the talk as it is now, before another one
 * begins. SNUG_OK, or an error with a message. */
int watch_keep_talk(run *r);
void watch_prompt(const run *r, const char *use, const model_message *messages, size_t count);
void watch_route(const run *r, snug_agent_step from, snug_agent_step to, loop_outcome outcome);
void watch_budget(const run *r);
/* After each cell. An event "anomaly" where the policy has denied the same thing three times in a
 * question, and where two programs in a row ended by time, by memory or with the session. */
void watch_result(run *r, snug_result *result);

/* The beginning of {"event": name, "n": the attempt, ...}, whose other members json_put_text and
 * the like add. Where nobody listens it has failed, and what is added costs nothing. */
str event_begin(const run *r, const char *name);
/* Ends, sends and frees it. */
void event_send(const run *r, const char *name, str *event);
/* Something that the question does without: {"event": "without", "about": ..., "message": ...}. */
void event_fault(const run *r, const char *about, const char *sentence);
/* The step of the plan that begins. */
void event_plan_step(const run *r);
void event_tool_call(const run *r, const snug_tool_call *call);
/* An event with one text; text may be NULL: none. */
void event_text(const run *r, const char *name, const char *member, const char *text, size_t len);

#endif
