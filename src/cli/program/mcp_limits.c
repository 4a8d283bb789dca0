#include "cli/program/mcp_limits.h"

#include <assert.h>

/* field, option, unit, default, about */
#define MCP_LIMITS(X)                                                                            \
    X(message_bytes, "--message-size", "bytes", 32 << 20, "a message of a client")               \
    X(calls, "--calls", "", 16, "calls of tools at work at once, of all clients")                \
    X(waiting_calls, "--waiting-calls", "", 1000, "calls that wait for their turn")              \
    X(wait_ms, "--wait", "ms", 60000, "for which a call waits for its turn")                     \
    X(share_percent, "--share", "", 50,                                                          \
      "percent of connections, calls, waiting calls, sessions and clients that one name of the " \
      "file of tokens has at most")                                                              \
    X(sessions, "--sessions", "", 64,                                                            \
      "sessions open at once; of more, the one used longest "                                    \
      "ago is saved and closed")                                                                 \
    X(idle_ms, "--session-idle", "ms", 900000,                                                   \
      "without a call, until a session is saved and "                                            \
      "closed")                                                                                  \
    X(save_after_ms, "--save-after", "ms", 1000,                                                 \
      "without a call, until a session is saved, and stays open")                                \
    X(save_every, "--save-every", "", 100, "cells of a session after which it is saved at once") \
    X(save_ms, "--save-time", "ms", 10000, "for which a session is saved when the server ends")  \
    X(drain_ms, "--drain-time", "ms", 30000,                                                     \
      "from a signal to the end: a third for the cells of `--http` that run, half for saves")    \
    X(file_bytes, "--file-size", "bytes", 16 << 20, "a file that is read or written by a call")  \
    X(upstream_ms, "--upstream-time", "ms", 8000,                                                \
      "in which servers of `--upstream` and `--mcp` have to be ready; others are missing")       \
    X(connections, "--connections", "", 256, "connections to `--http` at once")                  \
    X(clients, "--clients", "", 1000,                                                            \
      "clients of the older protocol that `--http` keeps in "                                    \
      "mind")                                                                                    \
    X(request_ms, "--request-time", "ms", 30000,                                                 \
      "in which a request to `--http` has to be "                                                \
      "whole")                                                                                   \
    X(unsent_bytes, "--unsent-size", "bytes", 64 << 20,                                          \
      "of answers that a client does not "                                                       \
      "read; then it is disconnected")

#define DESCRIPTION(field, option, unit, value, about) \
    { #field, option, unit, value, about, offsetof(mcp_limits, field), 0 },
static const snug_limit_description descriptions[] = { MCP_LIMITS(DESCRIPTION) };

enum { LIMIT_COUNT = sizeof descriptions / sizeof *descriptions };
static_assert(LIMIT_COUNT * sizeof(uint64_t) == sizeof(mcp_limits),
              "every limit has a row in the table");

const snug_limit_description *mcp_limit_info(size_t index)
{
    return index < LIMIT_COUNT ? &descriptions[index] : NULL;
}

mcp_limits mcp_limits_resolve(const mcp_limits *given)
{
    mcp_limits resolved = *given;
#define RESOLVE(field, option, unit, value, about) \
    if (resolved.field == 0)                       \
        resolved.field = (value);
    MCP_LIMITS(RESOLVE)
#undef RESOLVE
    return resolved;
}
