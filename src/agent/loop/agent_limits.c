/*
 * agent_limits.c - the one table of the agent's limits.
 */
#include "agent/loop/agent_limits.h"

#define S   UINT64_C(1000)
#define KIB UINT64_C(1024)

static const snug_agent_limit_description table[] = {
    { "attempts", "--max-attempts", "", 3, "programs for a question, or for a step of a plan" },
    { "steps", "--max-steps", "", 12, "cells in act mode, steps of a plan, fault inputs" },
    { "tokens", "--max-tokens", "", 100000, "of all requests of a question, in and out" },
    { "cost_microusd", "--max-cost", "microdollars", SNUG_UNLIMITED,
      "of a question, by the price table" },
    { "wall_ms", "--max-seconds", "ms", 300 * S, "of a question, cells included" },
    { "code_lines", "--max-code-lines", "", 100, "of a program" },
    { "question_bytes", "--max-question", "bytes", 64 * KIB, "of a question" },
    { "reply_tokens", "--reply-tokens", "", 2000, "that the model may write in one reply" },
    { "reply_bytes", "--reply-size", "bytes", 4096 * KIB, "of one reply as it travels" },
    { "connect_ms", "--connect-timeout", "ms", 10 * S, "until a request is connected" },
    { "first_token_ms", "--first-token-timeout", "ms", 30 * S,
      "until the first byte of an answer" },
    { "idle_ms", "--idle-timeout", "ms", 20 * S, "between two pieces of an answer" },
    { "request_ms", "--request-timeout", "ms", 60 * S, "of a request in all" },
    { "retries", "--retries", "", 4, "of a request after 429, 5xx and broken connections" },
    { "history_tokens", "--history-tokens", "", 4000,
      "of the conversation in a prompt; what is older is summarised" },
    { "retrieved", "--retrieved", "", 3, "snippets and documents of the library in a prompt" },
    { "cache_age_ms", "--cache-age", "ms", 7 * 24 * 3600 * S, "of a reply in the cache" },
    { "cache_bytes", "--cache-size", "bytes", 256 * 1024 * KIB, "of the cache; the oldest go" },
};

enum { COUNT = sizeof table / sizeof table[0] };
_Static_assert(sizeof(snug_agent_limits) == COUNT * sizeof(uint64_t),
               "a row for each field of snug_agent_limits");

/* The fields are the rows, in order. */
static uint64_t field(const snug_agent_limits *limits, size_t index)
{
    return limits ? ((const uint64_t *)(const void *)limits)[index] : 0;
}

const snug_agent_limit_description *snug_agent_limit_info(size_t index)
{
    return index < COUNT ? &table[index] : NULL;
}

snug_agent_limits bounds_resolve(const snug_agent_limits *wanted, const snug_agent_limits *fallback)
{
    snug_agent_limits out;
    uint64_t *fields = (uint64_t *)(void *)&out;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t value = field(wanted, i);
        if (value == 0)
            value = field(fallback, i);
        fields[i] = value ? value : table[i].default_value;
    }
    return out;
}
