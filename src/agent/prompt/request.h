/*
 * request.h - one request of a run to a model, within the run's budgets.
 */
#ifndef SNUG_AGENT_REQUEST_H
#define SNUG_AGENT_REQUEST_H

#include "agent/run/run.h"

/* Asks the model for that use; its answer is r->said. time: where the time is counted; TIMES:
 * nowhere, it is a part of another one's. STOPPED
 * where a budget does not allow it, the model could not be asked, or refuses. */
loop_outcome request_ask(run *r, model_use use, reply_time time, const model_message *messages,
                         size_t count);

#endif
