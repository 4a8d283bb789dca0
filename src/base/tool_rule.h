/*
 * tool_rule.h - whether a rule about tools fits one of them. Pure.
 */
#ifndef SNUG_BASE_TOOL_RULE_H
#define SNUG_BASE_TOOL_RULE_H

#include <snug/snug.h>

/* Whether it decides about a tool of that name, where none before it does. origin may be NULL;
 * nothing is allowed by it, which another one has chosen. */
int tool_rule_fits(const snug_tool_rule *rule, const char *name, const char *origin);

#endif
