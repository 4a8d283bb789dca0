/*
 * reading.h - what of a reply is run, where the text alone does not say it, and what is not.
 */
#ifndef SNUG_AGENT_READING_H
#define SNUG_AGENT_READING_H

#include "agent/run/run.h"

/* Code that was only guessed to be some is dropped where it does not parse. run.left_out becomes
 * the sentence on blocks in the other language. SNUG_OK, or an error with its message. */
int reading_judge(run *r, extracted *code);
/* STOPPED: reply.wants_bash is true. */
loop_outcome reading_refuse_bash(run *r);

#endif
