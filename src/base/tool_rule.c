#include "base/tool_rule.h"

#include <fnmatch.h>

int tool_rule_fits(const snug_tool_rule *rule, const char *name, const char *origin)
{
    if (fnmatch(rule->pattern, name, 0) == 0)
        return 1;
    return origin && rule->decision != SNUG_TOOL_DECISION_ALLOW &&
           fnmatch(rule->pattern, origin, 0) == 0;
}
