/*
 * tool_rules.h - --tool-rule PATTERN=DECISION: which tools cells may call.
 */
#ifndef SNUG_CLI_TOOL_RULES_H
#define SNUG_CLI_TOOL_RULES_H

#include "cli/program/options.h"

/* Reads those of the options into o->session, in their order. EXIT_FINE, or EXIT_USAGE after one
 * sentence. */
int tool_rules_read(options *o);
void tool_rules_forget(options *o);

#endif
