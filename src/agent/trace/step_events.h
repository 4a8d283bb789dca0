/*
 * step_events.h - tells the caller what a run does, a line of JSON for each step.
 *
 * Nothing of the models' keys is in an event: what comes from a provider has lost them before
 * (model.h).
 */
#ifndef SNUG_AGENT_STEP_EVENTS_H
#define SNUG_AGENT_STEP_EVENTS_H

#include "agent/run/run.h"
#include "wire/json.h"

/* {"event": name, "n": the attempt}; NULL where nobody listens or memory ran out. All of
 * wire/json.h's functions may be called with NULL members left out by the caller. */
cJSON *event_begin(const run *r, const char *name);
/* Sends and frees it; NULL is fine. */
void event_send(const run *r, cJSON *event);
/* Something that the question does without: {"event": "without", "about": ..., "message": ...}. */
void event_fault(const run *r, const char *about, const char *sentence);
/* The step of the plan that begins. */
void event_plan_step(const run *r);
void event_tool_call(const run *r, const snug_tool_call *call);
/* An event with one text; text may be NULL: none. */
void event_text(const run *r, const char *name, const char *member, const char *text, size_t len);

#endif
