/*
 * model_choice.h - the model of a question where nobody has named one, or only its name.
 */
#ifndef SNUG_CLI_MODEL_CHOICE_H
#define SNUG_CLI_MODEL_CHOICE_H

#include <snug/agent.h>

#include "base/str.h"
#include "cli/program/options.h"

/* Puts one into wanted, whose name lives in kept, and says so; nothing where the options or
 * SNUG_MODEL name one, whose provider is added where it is missing. EXIT_FINE, or a status after
 * what can be done was said. */
int model_choice_make(str *kept, snug_agent_options *wanted, const options *o);
/* The whole name of a model that somebody names: it gets the provider that has it. EXIT_FINE, or
 * EXIT_USAGE after one sentence. */
int model_choice_complete(str *out, const options *o, const char *name);
/* What somebody needs who has no model. */
extern const char model_choice_hint[];

#endif
