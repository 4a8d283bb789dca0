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
/* Ends an unfinished line. */
void steps_end(steps *s);

#endif
