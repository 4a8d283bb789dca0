/*
 * fetch_tool.h - fetch(url), which --fetch gives to cells: src/fetch as a tool.
 */
#ifndef SNUG_CLI_FETCH_TOOL_H
#define SNUG_CLI_FETCH_TOOL_H

#include "cli/tools/user_tools.h"

#define FETCH_TOOL_NAME "fetch"
#define FETCH_TOOL_SIGNATURE                                                                       \
    "url: str, method: str = 'GET', headers: dict = None, body: str = None, params: dict = None, " \
    "json: object = None"

typedef struct fetch_tool fetch_tool;

/* EXIT_FINE, or EXIT_USAGE after one sentence. Close in both cases. */
int fetch_tool_open(fetch_tool **out, tools *t, const options *o);
int fetch_tool_bind(fetch_tool *f, int (*bind)(void *target, const snug_tool *tool), void *target);
/* When no call is under way. NULL is fine. */
void fetch_tool_close(fetch_tool *f);

#endif
