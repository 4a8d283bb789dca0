#include "cli/program/tool_rules.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program/command.h"

static const struct {
    const char *word;
    snug_tool_decision decision;
    int only_read_only;
} decisions[] = {
    { "allow", SNUG_TOOL_DECISION_ALLOW, 0 },
    { "allow-reads", SNUG_TOOL_DECISION_ALLOW, 1 },
    { "ask", SNUG_TOOL_DECISION_ASK, 0 },
    { "deny", SNUG_TOOL_DECISION_DENY, 0 },
};

static int read_rule(snug_tool_rule *out, const char *text)
{
    const char *word = strrchr(text, '=');

    if (!word || word == text)
        return command_fail(EXIT_USAGE, "--tool-rule %s is not PATTERN=DECISION", text);
    for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++) {
        if (strcmp(decisions[i].word, word + 1) != 0)
            continue;
        out->pattern = strndup(text, (size_t)(word - text));
        out->decision = decisions[i].decision;
        out->only_read_only = decisions[i].only_read_only;
        return out->pattern ? EXIT_FINE : command_fail_memory();
    }
    return command_fail(
        EXIT_USAGE, "--tool-rule %s: there are allow, allow-reads, ask and deny, and not \"%s\"",
        text, word + 1);
}

int tool_rules_read(options *o)
{
    const size_t count = o->tool_rules.count;
    int status = EXIT_FINE;

    tool_rules_forget(o);
    if (count == 0)
        return EXIT_FINE;
    o->rules = calloc(count, sizeof *o->rules);
    if (!o->rules)
        return command_fail_memory();
    for (size_t i = 0; i < count && !status; i++) {
        status = read_rule(&o->rules[i], o->tool_rules.items[i]);
        o->rule_count = i + 1;
    }
    o->session.tool_rules = o->rules;
    o->session.tool_rule_count = o->rule_count;
    return status;
}

void tool_rules_forget(options *o)
{
    for (size_t i = 0; i < o->rule_count; i++)
        free((void *)(uintptr_t)o->rules[i].pattern);
    free(o->rules);
    o->rules = NULL;
    o->rule_count = 0;
    o->session.tool_rules = NULL;
    o->session.tool_rule_count = 0;
}
