/*
 * tools.h - the host's tools that files of escapes with "tools: yes" find. README.md beside it
 * names them.
 */
#ifndef ESCAPES_TOOLS_H
#define ESCAPES_TOOLS_H

#include <snug/snug.h>

/* Binds them. As snug_session_bind_tool. */
int tools_bind(snug_session *session);
/* For on_input: answers no line, before tools_settle. */
void tools_keep_input(void *payload, snug_call *call, const char *prompt);
/* Answers all calls that were kept; nobody waits for them any more. */
void tools_settle(void);

#endif
