#include "cli/tools/tool_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/jsontext.h"
#include "base/utf8.h"
#include "cli/program/command.h"
#include "cli/program/secrets.h"
#include "cli/tools/fetch_tool.h"
#include "cli/tools/find.h"
#include "cli/tools/user_tools.h"
#include "cli/upstream/client.h"
#include "cli/upstream/mcptool.h"

/* ---- what there is ---- */

#define ANY_TYPES "(**arguments: Any) -> Any"

static int add(tool_list *l, stub one)
{
    if (array_reserve(&l->items, &l->cap, l->count + 1, sizeof *l->items))
        return SNUG_ENOMEM;
    l->items[l->count++] = one;
    return SNUG_OK;
}

static int add_server(tool_list *l, mcp *server)
{
    const mcptool *tool;
    int error = SNUG_OK;

    for (size_t i = 0; !error && (tool = mcp_tool(server, i)); i++)
        error = add(l, (stub){ tool->name, tool->types, tool->doc });
    return error;
}

/* The texts of a tool of fetch's are static. */
static int add_fetch(void *target, const snug_tool *tool)
{
    return add(target, (stub){ tool->name, "(" FETCH_TOOL_SIGNATURE ") -> dict", tool->doc });
}

static int add_replayed(tool_list *l, const snug_tool *tool)
{
    if (!strcmp(tool->name, FIND_TOOLS_NAME)) {
        l->has_find = 1;
        return SNUG_OK;
    }
    l->of_servers += tool->stub != NULL;
    return add(
        l, (stub){ tool->name, tool->stub ? tool->stub : ANY_TYPES, tool->doc ? tool->doc : "" });
}

/* As they were written: those of servers first. */
static int add_all_replayed(tool_list *l, const tools *t)
{
    const snug_tool *tool;
    int error = SNUG_OK;

    for (size_t i = 0; !error && (tool = journal_file_tool(t->file, i)); i++)
        error = add_replayed(l, tool);
    return error;
}

static int add_all(tool_list *l, tools *t)
{
    int error = SNUG_OK;

    if (t->is_replay)
        return add_all_replayed(l, t);

    for (size_t i = 0; i < t->server_count && !error; i++)
        error = add_server(l, t->servers[i].mcp);
    l->of_servers = l->count;
    for (size_t i = 0; i < t->command_count && !error; i++)
        error = add(l, (stub){ t->commands[i].name, ANY_TYPES, "" });
    if (!error && t->fetch)
        error = fetch_tool_bind(t->fetch, add_fetch, l);
    return error;
}

#define FIND_TOOLS_SIGNATURE "query: str, limit: int = 8"

static int add_head(char **out, const char *name, const char *types)
{
    str head = { 0 };
    str_printf(&head, "%s%s", name, types);

    *out = str_take(&head);
    return *out ? SNUG_OK : SNUG_ENOMEM;
}

static int make_heads(tool_list *l)
{
    int error = SNUG_OK;

    if (!(l->heads = calloc(l->count + 2, sizeof *l->heads)))
        return SNUG_ENOMEM;
    for (size_t i = 0; i < l->count && !error; i++)
        error = add_head(&l->heads[i], l->items[i].name, l->items[i].types);
    if (!error && l->has_find)
        error = add_head(&l->heads[l->count], FIND_TOOLS_NAME, "(" FIND_TOOLS_SIGNATURE ") -> str");
    return error;
}

/* A tool of that name, or a server, is the user's own. */
static int has_own_find(const tool_list *l)
{
    const size_t len = strlen(FIND_TOOLS_NAME);

    for (size_t i = 0; i < l->count; i++)
        if (!strncmp(l->items[i].name, FIND_TOOLS_NAME, len) &&
            (l->items[i].name[len] == '\0' || l->items[i].name[len] == '.'))
            return 1;
    return 0;
}

int tool_list_open(tool_list **out, tools *t)
{
    tool_list *l = calloc(1, sizeof *l);

    *out = l;
    if (!l || add_all(l, t) || (l->count > 0 && find_open(&l->index, l->items, l->count)))
        return command_fail_memory();
    if (!t->is_replay)
        l->has_find = l->of_servers > MANY_TOOLS && !has_own_find(l);
    return make_heads(l) ? command_fail_memory() : EXIT_FINE;
}

void tool_list_close(tool_list *l)
{
    if (!l)
        return;
    find_close(l->index);
    for (size_t i = 0; l->heads && l->heads[i]; i++)
        free(l->heads[i]);
    free(l->heads);
    free(l->items);
    free(l);
}

/* ---- as text ---- */

static int write_stubs(str *out, const tool_list *l, const size_t *chosen, size_t count,
                       size_t doc_bytes)
{
    str text = { 0 };

    stubs_write(&text, l->items, chosen, count, doc_bytes);
    secrets_hide_str(&text); /* servers may say what is in their environment */
    const int error = str_error(&text) ? SNUG_ENOMEM : str_add_str(out, &text);
    str_free(&text);
    return error;
}

int tool_list_write(str *out, const tool_list *l)
{
    size_t *all = calloc(l->count + 1, sizeof *all);
    if (!all)
        return SNUG_ENOMEM;
    for (size_t i = 0; i < l->count; i++)
        all[i] = i;

    str_add(out, "from typing import Any, Literal\n\n");
    const int error = write_stubs(out, l, all, l->count, 0);
    free(all);
    return error;
}

int tool_list_find(size_t *best, size_t *count, const tool_list *l, const char *query)
{
    return find_best(best, count, l->index, query);
}

int tool_list_write_found(str *out, const tool_list *l, const size_t *found, size_t count)
{
    enum { DOC_BYTES = 1000 };

    if (count > 0)
        return write_stubs(out, l, found, count, DOC_BYTES);
    str_add(out, "No function has these words. There are: ");
    tool_list_write_servers(out, l);
    return str_add(out, ".\n");
}

/* Whether the server of that tool has one before it. */
static int is_known_server(const tool_list *l, size_t at)
{
    const size_t len = stub_server_len(l->items[at].name);

    for (size_t i = 0; i < at; i++)
        if (stub_server_len(l->items[i].name) == len &&
            !strncmp(l->items[i].name, l->items[at].name, len))
            return 1;
    return 0;
}

static int write_server(str *out, const tool_list *l, size_t at, int is_first)
{
    const char *name = l->items[at].name;
    const size_t len = stub_server_len(name);
    const char *label = len > 0 ? name : "without a server";
    size_t count = 0;

    for (size_t i = at; i < l->count; i++)
        count += stub_server_len(l->items[i].name) == len && !strncmp(l->items[i].name, name, len);
    return str_printf(out, "%s%.*s (%zu function%s)", is_first ? "" : ", ",
                      (int)(len > 0 ? len : strlen(label)), label, count, count == 1 ? "" : "s");
}

int tool_list_write_servers(str *out, const tool_list *l)
{
    int count = 0;

    for (size_t i = 0; i < l->count; i++)
        if (!is_known_server(l, i))
            write_server(out, l, i, count++ == 0);
    return str_error(out);
}

/* "- notes.echo(text: str) -> Any: Say it again." */
static int describe_tool(str *out, const stub *s)
{
    enum { MOST_TYPES = 400, MOST_LINE = 200 };
    const size_t all = strlen(s->types), line = strcspn(s->doc, "\n");
    const int is_cut = all > MOST_TYPES;

    str_printf(out, "- %s%.*s%s", s->name,
               (int)(is_cut ? utf8_floor(s->types, all, MOST_TYPES) : all), s->types,
               is_cut ? " ..." : "");
    if (line > 0)
        str_printf(out, ": %.*s",
                   (int)utf8_floor(s->doc, line, line < MOST_LINE ? line : MOST_LINE), s->doc);
    return str_add(out, "\n");
}

int tool_list_describe(str *out, const tool_list *l)
{
    const int is_short = l->of_servers > MANY_TOOLS;
    str text = { 0 };

    if (l->count == 0)
        return SNUG_OK;
    str_add(&text, "\n\nPrograms can call these functions of the host, without an import:\n");
    if (is_short) {
        tool_list_write_servers(&text, l);
        str_add(&text, l->has_find ? ". find_tools(\"words\") finds them.\n" : ".\n");
    }
    for (size_t i = is_short ? l->of_servers : 0; i < l->count; i++)
        describe_tool(&text, &l->items[i]);
    str_add(&text, "Awaited calls run side by side under asyncio.gather.\n");
    secrets_hide_str(&text);
    const int error = str_error(&text) ? SNUG_ENOMEM : str_add_str(out, &text);
    str_free(&text);
    return error;
}

/* ---- find_tools ---- */

/* The number of an argument, within what there may be. */
static size_t read_limit(jsontext_span value)
{
    if (!value.text || !is_digit(*value.text))
        return value.text && *value.text == '-' ? 1 : FOUND_TOOLS;
    const long number = strtol(value.text, NULL, 10); /* LONG_MAX where there are more digits */
    return number < 1 ? 1 : number > MOST_FOUND_TOOLS ? MOST_FOUND_TOOLS : (size_t)number;
}

static void answer_query(const tool_list *l, snug_call *call, const char *query, size_t count)
{
    size_t found[MOST_FOUND_TOOLS];
    str text = { 0 }, quoted = { 0 };

    if (tool_list_find(found, &count, l, query) || tool_list_write_found(&text, l, found, count) ||
        jsontext_quote(&quoted, str_text(&text), text.len))
        snug_call_fail(call, "out of memory");
    else
        snug_call_return(call, quoted.data, quoted.len);
    str_free(&text);
    str_free(&quoted);
}

/* On the thread that runs the cell: it is done at once. */
static void call_find(void *payload, snug_call *call, const char *arguments)
{
    const jsontext_span object = { arguments, strlen(arguments) };
    str query = { 0 };

    if (jsontext_string(&query, jsontext_member(object, "query")))
        snug_call_fail(call, "query must be a string: words of what a function should do");
    else
        answer_query(payload, call, str_text(&query), read_limit(jsontext_member(object, "limit")));
    str_free(&query);
}

int tool_list_bind(tool_list *l, int (*bind)(void *target, const snug_tool *tool), void *target)
{
    snug_tool tool = SNUG_TOOL_INIT;

    if (!l->has_find)
        return SNUG_OK;
    tool.name = FIND_TOOLS_NAME;
    tool.signature = FIND_TOOLS_SIGNATURE;
    tool.doc = "Find functions of the host by words of what they do.\n\n"
               "Returns their typed stubs as text, the best first: print it.";
    tool.is_read_only = 1;
    tool.fn = call_find;
    tool.payload = l;
    return bind(target, &tool);
}
