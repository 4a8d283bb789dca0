/*
 * improve.h - a program that is there already: repaired, made faster, or made to hold for more.
 *
 * It takes the place of the first program that a model would write. With the focus fix_errors it
 * goes the way of any other; with the others, once it passes, versions of it are asked for, and
 * one is taken only where it was measured to be better.
 */
#ifndef SNUG_AGENT_IMPROVE_H
#define SNUG_AGENT_IMPROVE_H

#include "agent/run/run.h"

/* Whether the question came with a program. */
int given_is_there(const run *r);
/* Whether better versions of it are wanted. */
int given_is_improved(const run *r);
/* The first attempt is the program. SNUG_OK or SNUG_ENOMEM. */
int given_begin(run *r);
/* Before a version runs: the names are those of before the program, the inputs as they came.
 * STOPPED where what has run leaves no room for them. */
loop_outcome given_renew(run *r);
/* A version of it, where the caller has no checks: WENT if it gives what the program gave. */
loop_outcome given_compare(run *r);
/* The answer: what became of it in a sentence, and the program. SNUG_OK or SNUG_ENOMEM. */
int given_answer(run *r);
/* The session is left as the program that is answered with leaves it, as far as that can be. */
void given_settle(run *r);

#endif
