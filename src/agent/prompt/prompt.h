/*
 * prompt.h - what models are asked: templates filled in with what a run knows, the talk of a
 * question, and the conversation that it is a part of.
 */
#ifndef SNUG_AGENT_PROMPT_H
#define SNUG_AGENT_PROMPT_H

#include "agent/run/run.h"

/* Appends the template's text. Looks at the session (its variables, its files) only where the
 * template has a place for them. SNUG_OK, SNUG_ENOMEM, or what snug_session_list_variables and
 * snug_session_list_files answer. */
int prompt_make(str *out, run *r, const char *name);

/* The names of the modules that cells may import, "csv, json". SNUG_OK, SNUG_ENOMEM, or what the
 * function of the session answers. */
int digest_modules(str *out, snug_session *session);

/* ---- history.c ---- */

/* A question that is over: t is empty. SNUG_OK or SNUG_ENOMEM. */
int turn_take(turn *t, const run *r);
/* The room that limits.history_tokens is. */
size_t history_bytes(const run *r);

/* Before a question: summarises turns where they do not fit. WENT, or BROKEN; where the summary
 * fails, an event says so, and the oldest turns are left out of the prompts. */
loop_outcome history_fit(run *r);
/* Appends the conversation: what was not restored, the summary, and the latest turns that fit.
 * SNUG_OK or SNUG_ENOMEM. */
int history_tell(str *out, const run *r);

/* ---- talk.c ---- */

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

/* ---- request.c ---- */

/* Asks the model for that use; its answer is r->said. time: where the time is counted; TIMES:
 * nowhere, it is a part of another one's. STOPPED
 * where a budget does not allow it, the model could not be asked, or refuses. */
loop_outcome request_ask(run *r, model_use use, reply_time time, const model_message *messages,
                         size_t count);

/* ---- conversation.c ---- */

/* Opens the file and loads what it has into the agent and its session, which are new. SNUG_OK, or
 * an error with a message; then nothing in the file has changed. */
int conversation_open(snug_agent *agent, const char *path);
void conversation_close(snug_agent *agent);
/* After a question, whose turn is among the agent's: stores it. A fault is reported in the reply
 * and by an event, and what the file has stays. */
void conversation_store(run *r);
/* Forgets the last turn, of which there is one, and stores what is left with the session as it is
 * now. SNUG_OK, or an error of the file with a message: then the turn is forgotten all the same. */
int conversation_take_back(snug_agent *agent);
/* Forgets all turns and the summary; in the file, the stored session too. */
int conversation_forget(snug_agent *agent);

/* ---- bash_state.c ---- */

/* Whether they are of a session of bash. */
int bash_state_is(const str *bytes);
/* An error of snug.h, with a message. */
int bash_state_save(str *out, snug_agent *agent);
/* Into a session in which nothing has run. The same. */
int bash_state_restore(snug_agent *agent, const str *bytes);

#endif
