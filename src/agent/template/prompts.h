/*
 * prompts.h - the prompt templates as they are in agent/template/prompts/, made by embed.py.
 */
#ifndef SNUG_AGENT_PROMPTS_H
#define SNUG_AGENT_PROMPTS_H

#include "agent/template/template.h"

typedef struct prompt {
    template_description info;
    const char *text;
} prompt;

/* Up to one without a name. */
extern const prompt prompts_built_in[];

#endif
