/*
 * rules.h - which tools cells may call: the rules of a session, in order, of which the first that
 * fits a tool decides.
 */
#ifndef SNUG_CALLS_RULES_H
#define SNUG_CALLS_RULES_H

#include <stddef.h>

#include <snug/snug.h>

typedef struct tool_rules {
    snug_tool_rule *rules;
    size_t count;
} tool_rules;

/* A copy. SNUG_OK, SNUG_ENOMEM, or
 * SNUG_EINVAL for a rule without a pattern or with another decision than those of the enum;
 * both with a sentence. */
int tool_rules_take(tool_rules *out, const snug_tool_rule *rules, size_t count);
void tool_rules_free(tool_rules *r);
/* Where no rule fits: SNUG_TOOL_DECISION_ALLOW. origin may be NULL; nothing is allowed by it, which
 * another one has chosen. */
snug_tool_decision tool_rules_decide(const tool_rules *r, const char *name, const char *origin,
                                     int is_read_only);

#endif
