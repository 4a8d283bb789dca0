/*
 * agent_limits.h - the limits of a question: their defaults, and those in force.
 */
#ifndef SNUG_AGENT_AGENT_LIMITS_H
#define SNUG_AGENT_AGENT_LIMITS_H

#include <snug/agent.h>

/* The field that a row of a table of limits is about. */
static inline uint64_t *limit_at(void *limits, const snug_limit_description *info)
{
    return (uint64_t *)(void *)((char *)limits + info->offset);
}

/* The caller's limits as this version has them. Fields that are zero in wanted (or all, where it is
 * NULL) are taken from fallback, and from the defaults where that has none either; fallback may be
 * NULL. */
int agent_limits_resolve(snug_agent_limits *out, const snug_agent_limits *wanted,
                         const snug_agent_limits *fallback);

#endif
