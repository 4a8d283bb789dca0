/*
 * bind_tools.h - the host's functions: bound in a session, called on the caller's thread, answered
 * from any.
 */
#ifndef SNUG_SESSION_BIND_TOOLS_H
#define SNUG_SESSION_BIND_TOOLS_H

#include <snug/snug.h>

/* bind of local_form. */
int local_bind(snug_session *session, const snug_tool *tool);

#endif
