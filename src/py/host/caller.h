/*
 * caller.h - who has called the function of a tool: code that awaits, or other code.
 */
#ifndef SNUG_PY_CALLER_H
#define SNUG_PY_CALLER_H

#include "py/core/state.h"

/* From within that function: whether code that can await has called it, and awaits what it answers,
 * or gives it to asyncio. Where there is no source to know that from, it does unless the call is a
 * statement. */
int caller_awaits(interp *in);

#endif
