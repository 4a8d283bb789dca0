/*
 * tool_list.h - all tools of cells as stubs, and find_tools(query), which cells have where those
 * are many.
 */
#ifndef SNUG_CLI_TOOL_LIST_H
#define SNUG_CLI_TOOL_LIST_H

#include <stddef.h>

#include <snug/snug.h>

#include "base/str.h"
#include "cli/tools/stubs.h"

#define FIND_TOOLS_NAME "find_tools"

enum {
    MANY_TOOLS = 20, /* of servers: where there are more, cells have find_tools */
    FOUND_TOOLS = 8, /* of a search that says no number */
    MOST_FOUND_TOOLS = 50
};

struct tools;

typedef struct tool_list {
    stub *items; /* the texts are those of the tools */
    size_t count, cap;
    size_t of_servers; /* of them, tools of MCP servers; the first ones */
    struct find *index;
    int has_find; /* cells have find_tools */
    char **heads; /* for scans: "github.search(query: str) -> dict"; NULL-terminated */
} tool_list;

/* When all tools have their names. EXIT_FINE, or EXIT_USAGE after one sentence. Close in both
 * cases, with NULL too. */
int tool_list_open(tool_list **out, struct tools *t);
void tool_list_close(tool_list *l);

/* Appends all of it. SNUG_OK or SNUG_ENOMEM. */
int tool_list_write(str *out, const tool_list *l);
/* The numbers of what fits the words best, into best, which has room for *count. SNUG_OK or
 * SNUG_ENOMEM. Any thread. */
int tool_list_find(size_t *best, size_t *count, const tool_list *l, const char *query);
/* Appends stubs of these, with docstrings that may be cut, or a sentence where there is none.
 * SNUG_OK or SNUG_ENOMEM. Any thread. */
int tool_list_write_found(str *out, const tool_list *l, const size_t *found, size_t count);
/* Appends "github (26 functions), files (14)". SNUG_OK or SNUG_ENOMEM. Any thread. */
int tool_list_write_servers(str *out, const tool_list *l);
/* Appends what programs can call, for a model, behind a text: a line for each function, or the
 * servers alone where there are many. Nothing where there are none. SNUG_OK or SNUG_ENOMEM. */
int tool_list_describe(str *out, const tool_list *l);
/* Binds find_tools, where cells have it. As snug_session_bind_tool. */
int tool_list_bind(tool_list *l, int (*bind)(void *target, const snug_tool *tool), void *target);

#endif
