/*
 * act_bash.h - the final answer of the mode act in bash: a function of the shell, for bash has no
 * functions of the host's.
 */
#ifndef SNUG_AGENT_ACT_BASH_H
#define SNUG_AGENT_ACT_BASH_H

#include "agent/run/run.h"

/* Defines it, before the first cell of a question. An error of snug.h. */
int act_bash_bind(run *r);
/* After a cell: r->final_answer and r->has_final, if it was called. The same. */
int act_bash_take(run *r);

#endif
