/* The functions that the host has bound. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/tool_rule.h"
#include "calls/desk.h"
#include "calls/desk_inside.h"

int desk_copy_text(char **out, const char *text)
{
    *out = NULL;
    if (!text)
        return SNUG_OK;

    *out = strdup(text);
    return *out ? SNUG_OK : SNUG_ENOMEM;
}

desk_tool *desk_tool_copy(const snug_tool *tool)
{
    desk_tool *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;

    copy->is_async = tool->is_async == SNUG_TOOL_EITHER ? SNUG_TOOL_EITHER : tool->is_async != 0;
    copy->takes_any = tool->takes_any;
    copy->is_untimed = tool->is_untimed != 0;
    copy->is_read_only = tool->is_read_only != 0;
    copy->is_unrecorded = tool->is_unrecorded != 0;
    copy->timeout_ms = tool->timeout_ms;
    copy->fn = tool->fn;
    copy->payload = tool->payload;
    if (desk_copy_text(&copy->name, tool->name) ||
        desk_copy_text(&copy->signature, tool->signature) ||
        desk_copy_text(&copy->doc, tool->doc) || desk_copy_text(&copy->origin, tool->origin)) {
        desk_tool_free(copy);
        return NULL;
    }

    return copy;
}

void desk_tool_free(desk_tool *tool)
{
    if (!tool)
        return;
    for (size_t i = 0; i < tool->parameter_count; i++)
        free(tool->parameters[i]);
    free(tool->parameters);
    free(tool->name);
    free(tool->signature);
    free(tool->doc);
    free(tool->origin);
    free(tool);
}

/* ---- by name ---- */

static desk_tool **find_bucket(const desk *d, const char *name)
{
    return &d->buckets[hash_bytes(name, strlen(name)) % d->bucket_count];
}

static void enter_tool(desk *d, desk_tool *tool)
{
    desk_tool **bucket = find_bucket(d, tool->name);

    tool->next_alike = *bucket;
    *bucket = tool;
}

static void leave_tool(desk *d, const desk_tool *tool)
{
    desk_tool **at = find_bucket(d, tool->name);

    while (*at != tool)
        at = &(*at)->next_alike;
    *at = tool->next_alike;
}

static int grow_buckets(desk *d)
{
    const size_t count = d->bucket_count > 0 ? 2 * d->bucket_count : 16;
    desk_tool **grown = calloc(count, sizeof(desk_tool *));
    if (!grown)
        return SNUG_ENOMEM;

    free(d->buckets);
    d->buckets = grown;
    d->bucket_count = count;
    for (size_t i = 0; i < d->tool_count; i++)
        enter_tool(d, d->tools[i]);
    return SNUG_OK;
}

desk_tool *desk_tool_named(const desk *d, const char *name)
{
    desk_tool *tool = d->bucket_count > 0 ? *find_bucket(d, name) : NULL;

    while (tool && strcmp(tool->name, name) != 0)
        tool = tool->next_alike;
    return tool;
}

static int add_tool(desk *d, desk_tool *tool)
{
    if (array_reserve(&d->tools, &d->tool_cap, d->tool_count + 1, sizeof(desk_tool *)) ||
        (d->tool_count == d->bucket_count && grow_buckets(d)))
        return SNUG_ENOMEM;

    tool->place = d->tool_count++;
    d->tools[tool->place] = tool;
    enter_tool(d, tool);
    return SNUG_OK;
}

int desk_put_tool(desk *d, desk_tool *tool)
{
    desk_tool *before = desk_tool_named(d, tool->name);
    if (!before)
        return add_tool(d, tool);

    leave_tool(d, before);
    tool->place = before->place;
    d->tools[tool->place] = tool;
    enter_tool(d, tool);
    desk_tool_free(before);
    return SNUG_OK;
}

int desk_set_rules(desk *d, const snug_tool_rule *rules, size_t count)
{
    return tool_rules_take(&d->rules, rules, count);
}

void desk_set_approval_ms(desk *d, uint64_t ms)
{
    d->approval_ms = ms;
}

int desk_put_tools(desk *d, const desk *from)
{
    if (desk_set_rules(d, from->rules.rules, from->rules.count))
        return SNUG_ENOMEM;

    d->approval_ms = from->approval_ms;
    d->journal = journal_share(from->journal);
    for (size_t i = 0; i < from->tool_count; i++) {
        const desk_tool *own = from->tools[i];
        const snug_tool tool = { .name = own->name,
                                 .signature = own->signature,
                                 .doc = own->doc,
                                 .origin = own->origin,
                                 .is_async = own->is_async,
                                 .takes_any = own->takes_any,
                                 .is_untimed = (uint64_t)own->is_untimed,
                                 .is_read_only = (uint64_t)own->is_read_only,
                                 .is_unrecorded = (uint64_t)own->is_unrecorded,
                                 .timeout_ms = own->timeout_ms,
                                 .fn = own->fn,
                                 .payload = own->payload };

        desk_tool *copy = desk_tool_copy(&tool);
        if (copy)
            copy->is_approved = own->is_approved;
        if (!copy || desk_put_tool(d, copy)) {
            desk_tool_free(copy);
            return SNUG_ENOMEM;
        }
    }

    return SNUG_OK;
}

desk_tool *desk_tool_at(const desk *d, size_t index)
{
    return index < d->tool_count ? d->tools[index] : NULL;
}

const desk_tool *desk_find_tool(const desk *d, uint64_t id)
{
    for (size_t i = 0; i < d->tool_count; i++)
        if (d->tools[i]->id == id)
            return d->tools[i];
    return NULL;
}

uint64_t desk_next_id(desk *d)
{
    return ++d->tools_bound;
}

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
