/*
 * steps.h - what an agent does, shown while it happens: lines on stderr, or its events as JSON.
 */
#ifndef SNUG_CLI_STEPS_H
#define SNUG_CLI_STEPS_H

#include <snug/agent.h>

#include "cli/terminal/term.h"

typedef struct steps {
    term colors;
    int is_json;    /* each event is a line on stdout */
    int is_quiet;   /* nothing is shown */
    int is_verbose; /* what the model says as well, as it comes */
    int is_inside;  /* a line on stderr has no end yet */
} steps;

/* For on_event; payload is the steps. */
void steps_show(void *payload, const snug_agent_event *event);
/* Says of something that the question does without it, as the event "without" of an agent. */
void steps_without(steps *s, const char *about, const char *message);
/* Says what gives a module to programs that was missing, as an event "missing" where events are
 * JSON. */
void steps_hint(steps *s, const char *module, const char *hint);
/* Ends an unfinished line. */
void steps_end(steps *s);

#endif
