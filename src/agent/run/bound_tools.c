#include "agent/run/bound_tools.h"

#include <stdlib.h>
#include <string.h>

#include "agent/text/clip.h"
#include "agent/text/line.h"
#include "base/array.h"
#include "base/utf8.h"
#include "wire/json.h"

/* ---- one ---- */

/* Of what prompts have of one: a server writes as much as it likes. */
enum { MOST_DOC_BYTES = 1500, MOST_HEAD_BYTES = 1000, MOST_LINE_BYTES = 500 };

/* What a docstring has below a line "Arguments:", as that of a tool of an MCP server. */
static void add_arguments(str *out, const char *doc)
{
    static const char title[] = "\nArguments:\n";
    const size_t width = sizeof title - 1;
    const int is_first = strncmp(doc, title + 1, width - 1) == 0;
    const char *behind = is_first ? NULL : strstr(doc, title);
    str text = { 0 };

    if (!is_first && !behind)
        return;
    const char *found = is_first ? doc + width - 1 : behind + width;
    clip_append(&text, found, strlen(found), MOST_DOC_BYTES, 0);
    for (size_t at = 0; at < text.len;) {
        const line l = line_at(text.data, text.len, at);
        if (line_blanks(&l) < l.len)
            str_printf(out, "\n%.*s", (int)l.len, l.text);
        at = l.next;
    }
    str_free(&text);
}

/* "github.search(query: str) -> dict" */
static void write_head(str *out, const snug_tool *tool)
{
    if (tool->stub)
        str_printf(out, "%s%s", tool->name, tool->stub);
    else
        str_printf(out, "%s(%s)", tool->name, tool->signature ? tool->signature : "**arguments");
}

/* Cut at a character, where it is longer. */
static void add_cut(str *out, const char *text, size_t len, size_t most)
{
    str_append(out, text, len <= most ? len : utf8_floor(text, len, most));
    str_add(out, len <= most ? "" : " ...");
}

/* "- await fetch(url): Reads a page", and its arguments below that. */
static void write_text(str *out, const snug_tool *tool, const str *head)
{
    str_add(out, tool->is_async == SNUG_TOOL_AWAITED ? "- await " : "- ");
    add_cut(out, str_text(head), head->len, MOST_HEAD_BYTES);
    if (tool->doc) {
        str_add(out, *tool->doc ? ": " : "");
        add_cut(out, tool->doc, strcspn(tool->doc, "\n"), MOST_LINE_BYTES);
        add_arguments(out, tool->doc);
    }
    str_add(out, "\n");
}

/* ---- all ---- */

/* How many bytes of the name are its server's; 0: it has none. */
static size_t server_len(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

static int is_of_server(const bound_tool *one, const char *name, size_t len)
{
    return server_len(one->name) == len && memcmp(one->name, name, len) == 0;
}

static int has_many(const bound_tools *t)
{
    size_t count = 0;
    int has_find = 0;

    for (size_t i = 0; i < t->count; i++) {
        count += server_len(t->items[i].name) > 0;
        has_find |= !strcmp(t->items[i].name, "find_tools");
    }
    return has_find && count > MANY_SERVER_TOOLS;
}

/* "- github: 26 functions, github.NAME(...)", at the first of its functions. */
static void write_server(str *out, const bound_tools *t, size_t at)
{
    const char *name = t->items[at].name;
    const size_t len = server_len(name);
    size_t count = 0;

    for (size_t i = 0; i < at; i++)
        if (is_of_server(&t->items[i], name, len))
            return;
    for (size_t i = at; i < t->count; i++)
        count += is_of_server(&t->items[i], name, len) != 0;
    str_printf(out, "- %.*s: %zu function%s, called as %.*s.NAME(...)\n", (int)len, name, count,
               count == 1 ? "" : "s", (int)len, name);
}

void bound_tools_write(str *out, const bound_tools *t)
{
    const int is_short = has_many(t);

    for (size_t i = 0; i < t->count; i++) {
        if (is_short && server_len(t->items[i].name) > 0)
            write_server(out, t, i);
        else
            str_add(out, t->items[i].text);
    }
    if (t->has_awaitable)
        str_add(out, "Awaited calls run side by side under asyncio.gather.\n");
}

/* The place of that name, or the one behind all. */
static size_t place_of(const bound_tools *t, const char *name)
{
    size_t at = 0;
    while (at < t->count && strcmp(t->items[at].name, name) != 0)
        at++;
    return at;
}

/* What was there before goes. */
static void put_text(char **place, str *text)
{
    free(*place);
    *place = str_take(text);
}

int bound_tools_add(bound_tools *t, const snug_tool *tool)
{
    const size_t at = place_of(t, tool->name);
    str name = { 0 }, head = { 0 }, text = { 0 };

    str_add(&name, tool->name);
    write_head(&head, tool);
    write_text(&text, tool, &head);
    int error = array_reserve(&t->items, &t->cap, t->count + 1, sizeof *t->items) ||
                array_reserve(&t->heads, &t->head_cap, t->count + 2, sizeof *t->heads) ||
                str_error(&name) || str_error(&head) || str_error(&text);
    if (!error && at == t->count) {
        t->items[at] = (bound_tool){ 0 };
        t->heads[at] = NULL;
        t->heads[++t->count] = NULL;
    }
    if (!error) {
        put_text(&t->items[at].name, &name);
        put_text(&t->items[at].text, &text);
        put_text(&t->heads[at], &head);
        t->has_awaitable |= tool->is_async == SNUG_TOOL_EITHER;
    }

    str_free(&name);
    str_free(&head);
    str_free(&text);
    return error ? SNUG_ENOMEM : SNUG_OK;
}

void bound_tools_free(bound_tools *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->items[i].name);
        free(t->items[i].text);
        free(t->heads[i]);
    }
    free(t->items);
    free(t->heads);
}

/* ---- names that cells have taken ---- */

static int is_listed(const char *json, size_t len, const char *name, size_t name_len)
{
    cJSON *root = NULL;
    const cJSON *one;
    int is_found = 0;

    if (!json || json_parse(&root, json, len))
        return 0;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(root, "variables"))
    {
        const char *found = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(one, "name"));
        is_found |= found && strlen(found) == name_len && memcmp(found, name, name_len) == 0;
    }
    cJSON_Delete(root);
    return is_found;
}

int bound_tools_is_kept(snug_session *session, const char *name)
{
    snug_description *names = NULL;
    size_t len = 0;

    if (snug_session_list_variables(&names, session))
        return 0;
    const char *json = snug_description_json(names, &len);
    const int is_kept = json && !is_listed(json, len, name, strcspn(name, "."));
    snug_description_free(names);
    return is_kept;
}
