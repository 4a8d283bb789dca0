/*
 * ask_model.h - ask_model(prompt, system=None) in cells: a program asks a model itself, as of the
 * parts of a text that is too long for one prompt.
 *
 * A request of a cell's is one of the question's: its tokens, cost and time are counted with all
 * others. What goes wrong is an exception in the cell, and never the end of the question.
 */
#ifndef SNUG_AGENT_ASK_MODEL_H
#define SNUG_AGENT_ASK_MODEL_H

#include "agent/run/run.h"

/* Binds it in the agent's session, where that is wanted and the session has tools. SNUG_OK, or an
 * error with a message. */
int ask_model_bind(snug_agent *agent);

#endif
