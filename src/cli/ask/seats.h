/*
 * seats.h - where the questions of snug ask are answered: an agent whose session is of Python, and
 * one whose session is of bash, each opened for the first question that wants it. Where no option
 * says which, the model does, by the language of its first program.
 */
#ifndef SNUG_CLI_SEATS_H
#define SNUG_CLI_SEATS_H

#include <snug/agent.h>

#include "cli/packages/modules.h"
#include "cli/program/options.h"
#include "cli/tools/user_tools.h"

typedef struct seat {
    snug_host *host;
    snug_agent *agent; /* NULL: not open */
    int was_asked;     /* a question, by this process */
} seat;

typedef struct seats {
    const options *options;
    snug_agent_options wanted; /* of both; session's and conversation's are their own */
    tools *tools;
    signals *signals;
    void (*on_approval)(void *payload, snug_call *call); /* of sessions; NULL: nobody is asked */
    void *payload;
    seat python, bash;
    const seat *last;         /* that was opened, or asked; NULL: none was */
    const char *conversation; /* path; NULL: there is none */
    text_list allow; /* what the next session of Python has besides: then it is a full one, */
    char *packages;  /* with packages of this folder; NULL: those of the options */
} seats;

/* Whether a question begins in bash: by the options, or by the name of --code, which is the first
 * question's. */
int seats_is_for_bash(const seats *s, int is_first);
/* Opens it if it is not. EXIT_FINE, or EXIT_USAGE after one sentence. */
int seats_open(seat **out, seats *s, int is_bash);
/* Closes the session of Python, whose next one may import these; folder may be NULL. EXIT_FINE, or
 * EXIT_USAGE after one sentence. */
int seats_allow(seats *s, const missing *m, const char *folder);
/* Whether it is a full one, or the next one is. */
int seats_is_full(const seats *s);
void seats_close(seats *s);

#endif
