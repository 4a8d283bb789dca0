/*
 * act.h - what act mode keeps between its cells: the transcript, and calls that wait.
 */
#ifndef SNUG_AGENT_ACT_H
#define SNUG_AGENT_ACT_H

#include "agent/run/run.h"

/* Binds final_answer, once in a session's life. SNUG_OK or the error of snug_session_bind_tool. */
int act_bind(snug_agent *agent);
/* Appends a message with that text; call_id is NULL but for MODEL_TOOL. SNUG_OK or SNUG_ENOMEM. */
int act_say(run *r, model_role role, const char *text, size_t len, const char *call_id,
            int is_error);
/* The first two messages. SNUG_OK or an error. */
int act_begin(run *r);
/* Takes the model's reply into the transcript, and its programs as calls that wait. WENT, or
 * FAILED where there is none: the model has heard of it. */
loop_outcome act_take_reply(run *r);
/* STOPPED where all steps were taken, else WENT. */
loop_outcome act_look(run *r);
/* What the last attempt gave, or why it was refused, becomes the answer of its call. MORE where
 * another one waits, else FAILED: the model is next. */
loop_outcome act_observe(run *r, const char *template);
/* The final answer was not accepted: the model hears why. FAILED or BROKEN. */
loop_outcome act_reject(run *r);
/* Calls that still wait are answered: they are not run. */
int act_drop_calls(run *r);

#endif
