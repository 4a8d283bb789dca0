/*
 * loop.h - the steps of a question, the way from one to the next, and what they share.
 */
#ifndef SNUG_AGENT_LOOP_H
#define SNUG_AGENT_LOOP_H

#include "agent/run/run.h"

/* From the first step to the end. SNUG_OK, or the error. */
int loop_run(run *r);

loop_outcome step_plan(run *r); /* generate.c */
loop_outcome step_generate(run *r);
loop_outcome step_repair(run *r);
loop_outcome step_extract(run *r); /* code.c */
loop_outcome step_scan(run *r);
loop_outcome step_execute(run *r); /* execute.c */
/* Before a repair that begins with the names of before: they are set back, and what the failed
 * attempt has left behind lists none. SNUG_OK or an error. */
int execute_set_back(run *r);
loop_outcome step_evaluate(run *r); /* evaluate.c */
loop_outcome step_improve(run *r);  /* improve.c */
loop_outcome step_reply(run *r);    /* answer.c */

/* ---- agent.c ---- */

/* Whether a function may change the agent now: not within a question. SNUG_OK, or an error with a
 * message. */
int agent_check_idle(snug_agent *agent, const char *function);
/* SNUG_EBUSY, with its message. */
int agent_fail_busy(void);
/* Before the question's data is bound. There may be no way. */
void undo_keep_way_back(snug_agent *agent);

/* ---- question.c ---- */

typedef struct question {
    snug_agent_mode mode;
    snug_agent_limits limits;
    const char *refused; /* not NULL: it is answered with the error's message, and this question */
} question;

/* Checks the options and the text: nothing but white space, too many bytes, not UTF-8, a control
 * character (tab and line ends are fine), a program in a language that the session does not run.
 * SNUG_OK, also where it is refused; or SNUG_EINVAL with one sentence. */
int question_prepare(question *out, const snug_agent *agent, const char *text,
                     const snug_agent_ask_options *o);

/* ---- act.c ---- */

/* Binds final_answer, once in a session's life. SNUG_OK or the error of snug_session_bind_tool. */
int act_bind(snug_agent *agent);
/* Takes the programs of the model's reply as calls that wait: WENT. Where there is none, MORE if
 * its words are the answer, else FAILED: the model has heard of it. */
loop_outcome act_take_reply(run *r);
/* Whether a step may be taken still. */
int act_has_steps(const run *r);
/* Answers the last call with the result of its attempt, or with the reason of its refusal. MORE if
 * another call waits, else FAILED: the next step is a request. */
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
/* Defines it, before the first cell of a question. An error of snug.h. */
int act_bash_bind(run *r);
/* After a cell: r->final_answer and r->has_final, if it was called. The same. */
int act_bash_take(run *r);

/* ---- ask_model.c ---- */

/* Binds it in the agent's session, where that is wanted and the session has tools. SNUG_OK, or an
 * error with a message. */
int ask_model_bind(snug_agent *agent);

/* ---- words.c ---- */

/* Decides about r->said, a reply without a program. MORE if it is the answer; FAILED if it is not,
 * or if it is requested again. */
loop_outcome words_take(run *r);
/* In act mode, where all steps were taken: the last request for an answer. MORE; STOPPED where
 * nothing has run that it could be made from, it was asked for before, or none came. */
loop_outcome words_ask_last(run *r);
/* What was taken is no longer the answer. */
void words_forget(run *r);

/* ---- inputs.c ---- */

/* Binds all of the run's inputs and appends what the prompts say of them to run.inputs. SNUG_OK;
 * SNUG_EINVAL, SNUG_ESYSTEM and the like with a message that names the input. */
int inputs_bind(run *r);
/* Reads those of the question's options into the run. SNUG_EINVAL or SNUG_ESYSTEM with a message
 * that names the image: it cannot be read, is of no kind that models take, or too large. */
int images_read(run *r);

/* ---- outputs.c ---- */

/* After the last program: lists them in the reply. SNUG_OK or SNUG_ENOMEM with a message. */
int outputs_collect(run *r);
/* The time, as files have it. */
int64_t outputs_clock_ns(void);

/* ---- models.c ---- */

/* Into out, which is all NULL: one that is named twice is one. SNUG_OK, or an error with a message;
 * close in both cases. */
int models_open(model **out, const snug_agent_limits *limits, const snug_agent_options *o);
void models_close(model **models);
/* The agent's table of prices; SNUG_EINVAL where a limit of cost has no price for one of them. */
int models_open_prices(snug_agent *agent, const snug_agent_options *o);

/* ---- reuse.c ---- */

/* The data of an input is part of the key. SNUG_OK or SNUG_ENOMEM. */
int reuse_add_input(run *r, const char *name, const str *data);
/* 1: the attempt has the result of an earlier run; 0: it is to be run. */
int reuse_find(run *r, attempt *a);
/* After a run that went well. */
void reuse_keep(run *r, const attempt *a);
/* Runs what was not run. As run_cell. */
int reuse_catch_up(run *r);
/* Whether nothing but its data decides what source gives. Judged by names alone; 0 where they leave
 * a doubt. */
int reuse_is_pure(const char *source, size_t len);

/* ---- rerun.c ---- */

/* Runs the attempt's program, and again after each fault of the worker, up to options.reruns times.
 * As run_cell. Where the last run lost the session too, and that is what it was before again, the
 * attempt is_restored. */
int rerun_program(run *r, attempt *a);

/* ---- answer.c ---- */

/* Appends the numbers of the text that are neither in the question nor in what has run for it;
 * figures.h. SNUG_OK or SNUG_ENOMEM with a message. */
int answer_find_unsupported(str *out, const run *r, const char *text);

/* ---- improve.c ---- */

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

/* ---- evaluate.c ---- */

/* The verdict in what a model said, or else in what it called a function with. As verdict_read;
 * evaluate.c. */
int verdict_read_reply(verdict *out, const model_reply *said);

/* Whether the program of the last attempt is to be reviewed. */
int review_is_wanted(const run *r);
/* FAILED, with a sentence in *reason, for a program that shall not run; the run has not failed by
 * that yet. WENT for one that may, also where nobody is sure; else as request_ask. */
loop_outcome review_program(run *r, str *reason);

/* ---- code.c ---- */

/* run.left_out becomes the sentence on blocks in the other language. SNUG_OK, or an error with its
 * message. */
int reading_judge(run *r, const extracted *code);
/* STOPPED: reply.wants_bash is true. */
loop_outcome reading_refuse_bash(run *r);
/* Of the last attempt's program. WENT: it may run. MORE: it is another one now, which is to be
 * scanned. STOPPED or BROKEN. */
loop_outcome consent_to_program(run *r);

#endif
