/*
 * undo.h - the way back from a question: snug_agent_undo.
 */
#ifndef SNUG_AGENT_UNDO_H
#define SNUG_AGENT_UNDO_H

#include "agent/run/run.h"

/* Before the question's data is bound. There may be no way. */
void undo_keep_way_back(snug_agent *agent);

#endif
