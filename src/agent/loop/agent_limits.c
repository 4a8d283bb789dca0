/*
 * agent_limits.c - the one table of the agent's limits.
 */
#include "agent/loop/agent_limits.h"

#include "base/options.h"

#define S   UINT64_C(1000)
#define KIB UINT64_C(1024)

/* field, option, unit, default, about */
#define LIMITS(X)                                                                               \
    X(attempts, "--max-attempts", "", 3, "programs for a question, or for a step of a plan")    \
    X(steps, "--max-steps", "", 12, "cells in act mode, steps of a plan")                       \
    X(tokens, "--max-tokens", "", 100000, "of all requests of a question, in and out")          \
    X(cost_microusd, "--max-cost", "microdollars", SNUG_UNLIMITED,                              \
      "of a question, by the price table")                                                      \
    X(wall_ms, "--max-seconds", "ms", 1800 * S, "of a question, cells included")                \
    X(code_lines, "--max-code-lines", "", 100, "of a program")                                  \
    X(question_bytes, "--max-question", "bytes", 64 * KIB, "of a question")                     \
    X(reply_tokens, "--reply-tokens", "", 2000, "that the model may write in one reply")        \
    X(reply_bytes, "--reply-size", "bytes", 4096 * KIB, "of one reply as it travels")           \
    X(connect_ms, "--connect-timeout", "ms", 10 * S, "until a request is connected")            \
    X(first_token_ms, "--first-token-timeout", "ms", 120 * S,                                   \
      "until the first token of an answer, and 5 min of a server of one's own")                 \
    X(idle_ms, "--idle-timeout", "ms", 60 * S, "between two pieces of an answer")               \
    X(request_ms, "--request-timeout", "ms", SNUG_UNLIMITED,                                    \
      "of a request in all, and 10 min where the reply comes whole")                            \
    X(retries, "--retries", "", 4, "of a request after 429, 5xx and broken connections")        \
    X(history_tokens, "--history-tokens", "", 4000,                                             \
      "of the conversation in a prompt; what is older is summarised")                           \
    X(retrieved, "--retrieved", "", 3, "snippets and documents of the library in a prompt")     \
    X(cache_age_ms, "--cache-age", "ms", 7 * 24 * 3600 * S, "of a reply in the cache")          \
    X(cache_bytes, "--cache-size", "bytes", 256 * 1024 * KIB, "of the cache; the oldest go")    \
    X(longest_reply_tokens, "--longest-reply-tokens", "", 32000,                                \
      "to which a reply that was cut at its length is doubled")                                 \
    X(model_calls, "--most-model-calls", "", 20, "of ask_model, by the programs of a question") \
    X(retrieve_ms, "--retrieve-timeout", "ms", 10 * S, "of the command that finds material")

#define DESCRIPTION(field, option, unit, value, about) \
    { #field, option, unit, value, about, offsetof(snug_agent_limits, field) },

static const snug_limit_description table[] = { LIMITS(DESCRIPTION) };

enum { COUNT = sizeof table / sizeof table[0] };
_Static_assert(sizeof(snug_agent_limits) == sizeof(size_t) + COUNT * sizeof(uint64_t),
               "a row for each field of snug_agent_limits");

const snug_limit_description *snug_agent_limit_info(size_t index)
{
    return index < COUNT ? &table[index] : NULL;
}

static uint64_t first_set(uint64_t wanted, uint64_t fallback, uint64_t default_value)
{
    if (wanted)
        return wanted;
    return fallback ? fallback : default_value;
}

int agent_limits_resolve(snug_agent_limits *out, const snug_agent_limits *wanted,
                         const snug_agent_limits *fallback)
{
    static const snug_agent_limits none = SNUG_AGENT_LIMITS_INIT;
    int error = options_take(out, sizeof *out, wanted, "snug_agent_limits");
    if (error)
        return error;

    if (!fallback)
        fallback = &none;
#define RESOLVE(field, option, unit, value, about) \
    out->field = first_set(out->field, fallback->field, value);
    LIMITS(RESOLVE)
#undef RESOLVE
    return SNUG_OK;
}
