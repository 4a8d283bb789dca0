/*
 * models.h - the models of an agent, one for each use.
 */
#ifndef SNUG_AGENT_MODELS_H
#define SNUG_AGENT_MODELS_H

#include "agent/run/run.h"

/* Into out, which is all NULL: one that is named twice is one. SNUG_OK, or an error with a message;
 * close in both cases. */
int models_open(model **out, const snug_agent_limits *limits, const snug_agent_options *o);
void models_close(model **models);
/* The agent's table of prices; SNUG_EINVAL where a limit of cost has no price for one of them. */
int models_open_prices(snug_agent *agent, const snug_agent_options *o);

#endif
