/*
 * talk_complete.h - what Tab finds in a conversation: words of the prompt, models behind /model,
 * files elsewhere.
 */
#ifndef SNUG_CLI_TALK_COMPLETE_H
#define SNUG_CLI_TALK_COMPLETE_H

#include "cli/editor/menu.h"

/* For editor_hooks; payload is the talk. */
void talk_complete(void *payload, menu *out, const char *text, size_t len, size_t cursor);

#endif
