/*
 * server_tools.h - the tools of MCP servers among those of the user.
 */
#ifndef SNUG_CLI_SERVER_TOOLS_H
#define SNUG_CLI_SERVER_TOOLS_H

#include "cli/program/signals.h"
#include "cli/tools/user_tools.h"

typedef int bind_fn(void *target, const snug_tool *tool);

/* As tools_open. They start side by side. */
int server_tools_open(tools *t, signals *s);
/* Appends a sentence for each that could not be reached yet. SNUG_OK or SNUG_ENOMEM. */
int server_tools_write_missing(str *out, const tools *t);
/* Gives those that are new the names that cells have for them. EXIT_FINE, or EXIT_USAGE after one
 * sentence. */
int server_tools_name(tools *t);
/* Whether something of a cell's has that name; then a sentence was said. */
int tools_is_taken_name(const tools *t, const char *name);
/* Takes up what has changed, and binds what is newer than *seen, which becomes that of now.
 * goes_on: one that cannot be bound is said, and left out. SNUG_OK or an error of snug.h. */
int server_tools_bind(tools *t, unsigned long *seen, int goes_on, bind_fn *bind, void *target);
/* What a session has seen, by its address, which a later one may have; 0: nothing. */
unsigned long server_tools_seen(tools *t, const snug_session *session);
/* SNUG_OK or SNUG_ENOMEM with a message. */
int server_tools_note(tools *t, const snug_session *session, unsigned long seen);
void server_tools_close(tools *t);

#endif
