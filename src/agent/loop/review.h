/*
 * review.h - a model looks at a program for harm beyond its question, before it runs.
 *
 * What it says is advice, and no boundary: what holds a program is its session.
 */
#ifndef SNUG_AGENT_REVIEW_H
#define SNUG_AGENT_REVIEW_H

#include "agent/run/run.h"

/* The verdict in what a model said, or else in what it called a function with. As verdict_read;
 * evaluate.c. */
int verdict_read_reply(verdict *out, const model_reply *said);

/* Whether the program of the last attempt is to be reviewed. */
int review_is_wanted(const run *r);
/* FAILED, with a sentence in *reason, for a program that shall not run; the run has not failed by
 * that yet. WENT for one that may, also where nobody is sure; else as request_ask. */
loop_outcome review_program(run *r, str *reason);

#endif
