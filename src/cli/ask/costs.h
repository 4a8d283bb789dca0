/*
 * costs.h - what the models of a conversation have used so far, by their names.
 */
#ifndef SNUG_CLI_COSTS_H
#define SNUG_CLI_COSTS_H

#include <stdint.h>

#include <snug/agent.h>

typedef struct model_cost {
    char *model;
    double requests, input_tokens, output_tokens, usd;
    int has_usd; /* of all of it */
} model_cost;

typedef struct costs {
    model_cost *items;
    size_t count, cap;
} costs;

/* Takes what an event of an agent says of that. */
void costs_hear(costs *c, const snug_agent_event *event);
/* A table on stdout. */
void costs_print(const costs *c);
void costs_free(costs *c);

#endif
