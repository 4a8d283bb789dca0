/*
 * talk.h - a question as a conversation with a model: what was asked, each reply, and what came of
 * it, as messages (run.messages).
 *
 * A repair goes on with the talk. A judgement, and the words of the answer, see all of it too, but
 * what is said for them does not stay in it. A step of a plan begins another talk, whose first
 * message has what the steps before it gave.
 *
 * The first message and the last exchange are always sent; of those between, the latest that fit
 * into limits.history_tokens; a line in the first message says how many are left out.
 */
#ifndef SNUG_AGENT_TALK_H
#define SNUG_AGENT_TALK_H

#include "agent/run/run.h"

/* These answer SNUG_OK, or an error with a message. */

/* Forgets what was said, and says the first messages of the mode; a program that was given stands
 * in the place of the first reply. */
int talk_begin(run *r);
/* The same, without a system prompt: the template is all that is said. */
int talk_begin_with(run *r, const char *template);
/* Begins it where nothing was said yet. */
int talk_ensure(run *r);
/* Appends a message with that text; call_id is NULL but for MODEL_TOOL. */
int talk_say(run *r, model_role role, const char *text, size_t len, const char *call_id,
             int is_error);
int talk_say_prompt(run *r, model_role role, const char *template, const char *call_id,
                    int is_error);

/* Asks with the whole talk; the reply becomes a part of it. As request_ask. */
loop_outcome talk_ask(run *r, model_use use, reply_time time);
/* The same without the system prompt, and with calls as text: for what is not a program. */
loop_outcome talk_ask_aside(run *r, model_use use, reply_time time);
/* Says the template, asks aside, and forgets both: the reply is in r->said. */
loop_outcome talk_ask_apart(run *r, model_use use, reply_time time, const char *template);
/* The talk as it is now, and back to it: forgets what was said since. */
size_t talk_mark(const run *r);
void talk_return(run *r, size_t mark);

#endif
