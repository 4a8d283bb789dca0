/*
 * advice.h - what a person at the prompt can do about an error that code cannot.
 */
#ifndef SNUG_CLI_ADVICE_H
#define SNUG_CLI_ADVICE_H

#include "cli/prompt/shown_session.h"

/* One sentence: what gives the session the module that a cell has missed. malloc'ed; NULL: nothing
 * does, or memory ran out. */
char *advice_on(const shown_session *s, const snug_result *result);

#endif
