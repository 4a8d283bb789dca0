/*
 * rule_use.h - says which rules of --tool-rule fit no tool: a slip in one that denies would allow.
 */
#ifndef SNUG_CLI_RULE_USE_H
#define SNUG_CLI_RULE_USE_H

#include <stddef.h>

#include "cli/program/options.h"

typedef struct rule_use {
    const options *options;
    char *fits; /* of each rule, whether there is a tool */
    size_t tools;
} rule_use;

/* SNUG_OK or SNUG_ENOMEM. */
int rule_use_init(rule_use *u, const options *o);
void rule_use_free(rule_use *u);
/* One of all tools; *target is a rule_use. As snug_session_bind_tool. */
int rule_use_note(void *target, const snug_tool *tool);
/* A sentence for each rule. Where there are no tools nothing is said. may_change: servers may bring
 * others yet. */
void rule_use_say(const rule_use *u, int may_change);

#endif
