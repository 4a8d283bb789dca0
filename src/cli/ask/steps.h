/*
 * steps.h - what an agent does, shown while it happens: lines on stderr, or its events as JSON. On
 * a terminal code is there as it is written, a program's output as it comes, and below them what
 * goes on for how long it has.
 */
#ifndef SNUG_CLI_STEPS_H
#define SNUG_CLI_STEPS_H

#include <snug/agent.h>

#include "cli/ask/program_output.h"
#include "cli/ask/streamed_code.h"
#include "cli/display/code_lines.h"
#include "cli/program/options.h"
#include "cli/terminal/term.h"
#include "cli/terminal/ticker.h"

typedef struct steps {
    term colors;
    int is_json;    /* each event is a line on stdout */
    int is_quiet;   /* nothing is shown */
    int is_verbose; /* what the model says as well, as it comes */
    int is_live;    /* stderr is a terminal where lines can be taken back */
    int is_inside;  /* a line on stderr has no end yet */
    theme theme;    /* of code */
    ticker ticker;
    str begins; /* what goes on from now, for the ticker; empty: nothing else */
    int ends;   /* what went on has ended */

    /* Of the request that is under way. */
    str title;
    int is_titled;     /* the title is there */
    int is_for_code;   /* the reply should have a program */
    size_t bytes;      /* of the reply so far */
    size_t code_shown; /* of the code in it, in bytes */
    streamed_code streamed;
    str code; /* of the program that was shown last */

    program_output output;
} steps;

/* Fine where nothing is to be shown, too. */
void steps_open(steps *s, const options *o);
void steps_close(steps *s);
/* For on_event; payload is the steps. */
void steps_show(void *payload, const snug_agent_event *event);
/* Whether that program is the last that was shown. */
int steps_have_shown(const steps *s, const char *code, size_t len);
/* Around what somebody else writes to the terminal, or waits for there, within a question. */
void steps_hold(steps *s);
void steps_let_go(steps *s);
/* Says of something that the question does without it, as the event "without" of an agent. */
void steps_without(steps *s, const char *about, const char *message);
/* Says what gives a module to programs that was missing, as an event "missing" where events are
 * JSON. */
void steps_hint(steps *s, const char *module, const char *hint);
/* The question has ended: nothing goes on, and no line is unfinished. */
void steps_end(steps *s);

#endif
