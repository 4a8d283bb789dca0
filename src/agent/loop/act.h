/*
 * act.h - what act mode does between its cells: calls that wait, and what the model hears of them.
 */
#ifndef SNUG_AGENT_ACT_H
#define SNUG_AGENT_ACT_H

#include "agent/run/run.h"

/* Binds final_answer, once in a session's life. SNUG_OK or the error of snug_session_bind_tool. */
int act_bind(snug_agent *agent);
/* Takes the programs of the model's reply as calls that wait: WENT. Where there is none, MORE if
 * its words are the answer, else FAILED: the model has heard of it. */
loop_outcome act_take_reply(run *r);
/* Whether a step may be taken still. */
int act_has_steps(const run *r);
/* What the last attempt gave, or why it was refused, becomes the answer of its call. MORE where
 * another one waits, else FAILED: the model is next. */
loop_outcome act_observe(run *r, const char *template);
/* A cell has given the final answer. The model hears what it gave only where it goes on: who judges
 * it reads that in what is asked. Calls that wait are dropped. SNUG_OK or an error. */
int act_finish(run *r);
/* The model goes on, and hears what the cell of the final answer gave if it has not. */
int act_catch_up(run *r);
/* The final answer was not accepted: the model hears why. FAILED or BROKEN. */
loop_outcome act_reject(run *r);
/* Calls that still wait are answered: they are not run. */
int act_drop_calls(run *r);

#endif
