#include "calls/rules.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/tool_rule.h"

static int check_rule(const snug_tool_rule *rule, size_t number)
{
    if (!rule->pattern)
        return error_set(SNUG_EINVAL, "tool rule %zu: the pattern is NULL", number);
    if ((unsigned)rule->decision > SNUG_TOOL_DECISION_DENY)
        return error_set(SNUG_EINVAL, "tool rule %zu (%.100s): there is no decision %u", number,
                         rule->pattern, (unsigned)rule->decision);
    return SNUG_OK;
}

int tool_rules_take(tool_rules *out, const snug_tool_rule *rules, size_t count)
{
    int error;

    for (size_t i = 0; i < count; i++)
        if ((error = check_rule(&rules[i], i + 1)))
            return error;

    tool_rules copy = { calloc(count + 1, sizeof *copy.rules), 0 };
    if (!copy.rules)
        return error_no_memory();

    for (size_t i = 0; i < count; i++) {
        copy.rules[i] = rules[i];
        copy.rules[i].pattern = strdup(rules[i].pattern);
        copy.count = i + 1;
        if (!copy.rules[i].pattern) {
            tool_rules_free(&copy);
            return error_no_memory();
        }
    }

    tool_rules_free(out);
    *out = copy;
    return SNUG_OK;
}

void tool_rules_free(tool_rules *r)
{
    for (size_t i = 0; i < r->count; i++)
        free((void *)(uintptr_t)r->rules[i].pattern);
    free(r->rules);
    *r = (tool_rules){ 0 };
}

snug_tool_decision tool_rules_decide(const tool_rules *r, const char *name, const char *origin,
                                     int is_read_only)
{
    for (size_t i = 0; i < r->count; i++) {
        const snug_tool_rule *rule = &r->rules[i];
        if (rule->only_read_only && !is_read_only)
            continue;
        if (tool_rule_fits(rule, name, origin))
            return rule->decision;
    }
    return SNUG_TOOL_DECISION_ALLOW;
}
