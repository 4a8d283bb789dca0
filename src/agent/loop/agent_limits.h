/*
 * agent_limits.h - the limits of a question: their defaults, and those in force.
 */
#ifndef SNUG_AGENT_AGENT_LIMITS_H
#define SNUG_AGENT_AGENT_LIMITS_H

#include <snug/agent.h>

/* Fields that are zero in wanted (or all, where it is NULL) are taken from fallback, and from
 * the defaults where that has none either; fallback may be NULL. */
snug_agent_limits bounds_resolve(const snug_agent_limits *wanted,
                                 const snug_agent_limits *fallback);

#endif
