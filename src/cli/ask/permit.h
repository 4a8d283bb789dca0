/*
 * permit.h - "run this?" before each program: --ask.
 */
#ifndef SNUG_CLI_PERMIT_H
#define SNUG_CLI_PERMIT_H

#include <snug/agent.h>

#include "base/str.h"
#include "cli/ask/steps.h"
#include "cli/program/options.h"
#include "cli/program/signals.h"

typedef struct permit {
    steps *steps;
    signals *signals;
    struct reader *typed;  /* has what was typed ahead; NULL: nobody has */
    int is_always;         /* somebody has said so */
    const snug_call *call; /* about which somebody is asked; NULL: about something else */
} permit;

/* EXIT_FINE, or EXIT_USAGE after one sentence: nobody could be asked. */
int permit_check(const options *o);
/* What somebody at the terminal says of a program of the agent's. */
snug_agent_consent permit_ask(permit *p, snug_agent *agent, const char *code, size_t len);
/* For on_approval, on a terminal; payload is the permit. */
void permit_call(void *payload, snug_call *call);
/* Whether somebody can be asked at all. */
int permit_is_possible(void);
/* Whether a line says yes. */
int permit_is_yes(const char *line);
/* A line that somebody types, without its end: 1; 0: the input has ended, or a signal has come. */
int permit_read_line(const permit *p, str *line);

#endif
