/*
 * inputs.h - data that comes with a question: put into the session, told to the model in short.
 */
#ifndef SNUG_AGENT_INPUTS_H
#define SNUG_AGENT_INPUTS_H

#include "agent/run/run.h"

/* Binds all of the run's inputs and appends what the prompts say of them to run.inputs. SNUG_OK;
 * SNUG_EINVAL, SNUG_ESYSTEM and the like with a message that names the input. */
int inputs_bind(run *r);

#endif
