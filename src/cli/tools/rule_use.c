#include "cli/tools/rule_use.h"

#include <stdlib.h>

#include "base/tool_rule.h"
#include "cli/program/command.h"

int rule_use_init(rule_use *u, const options *o)
{
    *u = (rule_use){ .options = o, .fits = calloc(o->rule_count + 1, 1) };
    return u->fits ? SNUG_OK : SNUG_ENOMEM;
}

void rule_use_free(rule_use *u)
{
    free(u->fits);
    *u = (rule_use){ 0 };
}

int rule_use_note(void *target, const snug_tool *tool)
{
    rule_use *u = target;

    u->tools++;
    for (size_t i = 0; i < u->options->rule_count; i++)
        if (tool_rule_fits(&u->options->rules[i], tool->name, tool->origin))
            u->fits[i] = 1;
    return SNUG_OK;
}

void rule_use_say(const rule_use *u, int may_change)
{
    for (size_t i = 0; i < u->options->rule_count && u->tools > 0; i++)
        if (!u->fits[i])
            command_fail(EXIT_FINE, "--tool-rule %s fits no tool%s",
                         u->options->tool_rules.items[i], may_change ? " so far" : "");
}
