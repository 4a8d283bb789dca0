/*
 * caller.h - who has called the function of a tool: code that awaits, or other code.
 */
#ifndef SNUG_PY_CALLER_H
#define SNUG_PY_CALLER_H

/* From within that function: whether an async def has called it, or a cell with an await, and makes
 * something of what it answers. */
int caller_awaits(void);

#endif
