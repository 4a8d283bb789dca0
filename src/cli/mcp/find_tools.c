/* find_tools: which functions of upstream servers a program could call. */
#include <math.h>
#include <string.h>

#include "base/jsontext.h"
#include "cli/mcp/tool_table.h"
#include "cli/tools/tool_list.h"

static size_t read_limit(const cJSON *arguments)
{
    const cJSON *limit = cJSON_GetObjectItemCaseSensitive(arguments, "limit");

    if (!limit)
        return FOUND_TOOLS;
    if (!(limit->valuedouble >= 1))
        return 1;
    return (size_t)fmin(limit->valuedouble, MOST_FOUND_TOOLS);
}

static void add_names(answer *a, const tool_list *l, const size_t *found, size_t count)
{
    a->failed |= str_add(&a->structured, "{\"tools\":[");
    for (size_t i = 0; i < count; i++) {
        const char *name = l->items[found[i]].name;
        a->failed |= str_add(&a->structured, i > 0 ? "," : "");
        a->failed |= jsontext_quote(&a->structured, name, strlen(name));
    }
    a->failed |= str_add(&a->structured, "],\"stubs\":");
}

void find_tools(mcp_call *c, const cJSON *arguments, answer *a)
{
    const tool_list *l = c->server->tools->list;
    size_t found[MOST_FOUND_TOOLS], count = read_limit(arguments);

    if (tool_list_find(found, &count, l, rpc_text(arguments, "query"))) {
        a->failed = 1;
        return;
    }
    add_names(a, l, found, count);
    a->failed |= tool_list_write_found(&a->text, l, found, count);
    a->failed |= jsontext_quote(&a->structured, str_text(&a->text), count > 0 ? a->text.len : 0);
    a->failed |= str_add(&a->structured, "}");
}
