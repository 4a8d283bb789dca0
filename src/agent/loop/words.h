/*
 * words.h - answers in words: a reply without a program that is the answer, or the words that act
 * mode ends with.
 *
 * What is taken becomes r->final_answer. Without a cell that ran before, only a reply behind
 * "ANSWER:" is taken at once, and only if it has no number that somebody would have to compute. Any
 * other is asked for again, because most of what models say in the place of a program is a plan, or
 * a result that they have made up; a model that stays with its words has its way, and the
 * evaluation judges them; but numbers are taken behind the mark only. A refusal, an announcement
 * and half a reply (prose.h) are never taken.
 */
#ifndef SNUG_AGENT_WORDS_H
#define SNUG_AGENT_WORDS_H

#include "agent/run/run.h"

/* Of r->said, which holds no program: MORE where it is the answer, FAILED where it is none, or is
 * asked for again. */
loop_outcome words_take(run *r);
/* In act mode, where all steps were taken: the last request for an answer. MORE; STOPPED where
 * nothing has run that it could be made from, it was asked for before, or none came. */
loop_outcome words_ask_last(run *r);
/* What was taken is no longer the answer. */
void words_forget(run *r);

#endif
