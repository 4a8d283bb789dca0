/*
 * bound_tools.h - the host's functions that an agent's programs can call: as text for prompts, and
 * as heads for scans.
 *
 * Where servers ("github.search") have more than MANY_SERVER_TOOLS and one function is called
 * find_tools, prompts name the servers alone: programs ask it.
 */
#ifndef SNUG_AGENT_BOUND_TOOLS_H
#define SNUG_AGENT_BOUND_TOOLS_H

#include <snug/snug.h>

#include <stddef.h>

#include "base/str.h"

enum { MANY_SERVER_TOOLS = 20 };

typedef struct bound_tool {
    char *name;
    char *text; /* its lines in prompts */
} bound_tool;

typedef struct bound_tools {
    bound_tool *items;
    size_t count, cap;
    char **heads; /* "github.search(query: str) -> dict", NULL-terminated; NULL: none */
    size_t head_cap;
    int has_awaitable; /* of SNUG_TOOL_EITHER */
} bound_tools;

/* Adds one, or puts it in the place of that of its name. SNUG_OK or SNUG_ENOMEM. */
int bound_tools_add(bound_tools *t, const snug_tool *tool);
/* Appends what prompts say of all of them. A failure sticks to out. */
void bound_tools_write(str *out, const bound_tools *t);
void bound_tools_free(bound_tools *t);
/* Whether the name, "github.search", is still the host's function in the session, and not one that
 * a cell has given the first part of it; 0 where that cannot be asked. */
int bound_tools_is_kept(snug_session *session, const char *name);

#endif
