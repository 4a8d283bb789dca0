/*
 * session_hooks.h - what an editor asks of the session whose cells it edits.
 */
#ifndef SNUG_CLI_SESSION_HOOKS_H
#define SNUG_CLI_SESSION_HOOKS_H

#include "cli/editor/editor.h"
#include "cli/prompt/shown_session.h"

/* s outlives them. What is asked can be interrupted as a cell can. */
editor_hooks session_hooks(shown_session *s);

#endif
