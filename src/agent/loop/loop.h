/*
 * loop.h - the steps of a question, and the way from one to the next.
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

#endif
