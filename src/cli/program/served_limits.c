#include "cli/program/served_limits.h"

#include <assert.h>

#define ROW(type, field, option, unit, value, about)                 \
    {                                                                \
#field, option, unit, value, about, offsetof(type, field), 0 \
    }

static const snug_limit_description of_mcp[] = {
    ROW(mcp_limits, message_bytes, "--message-size", "bytes", 32 << 20, "a message of a client"),
    ROW(mcp_limits, calls, "--calls", "", 16, "calls of tools at work at once, of all clients"),
    ROW(mcp_limits, waiting_calls, "--waiting-calls", "", 1000, "calls that wait for their turn"),
    ROW(mcp_limits, wait_ms, "--wait", "ms", 60000, "for which a call waits for its turn"),
    ROW(mcp_limits, share_percent, "--share", "", 50,
        "percent of connections, calls, waiting calls, sessions and clients that one name of the "
        "file of tokens has at most"),
    ROW(mcp_limits, sessions, "--sessions", "", 64,
        "sessions open at once; of more, the one used longest ago is saved and closed"),
    ROW(mcp_limits, idle_ms, "--session-idle", "ms", 900000,
        "without a call, until a session is saved and closed"),
    ROW(mcp_limits, save_after_ms, "--save-after", "ms", 1000,
        "without a call, until a session is saved, and stays open"),
    ROW(mcp_limits, save_every, "--save-every", "", 100,
        "cells of a session after which it is saved at once"),
    ROW(mcp_limits, save_ms, "--save-time", "ms", 10000,
        "for which a session is saved when the server ends"),
    ROW(mcp_limits, drain_ms, "--drain-time", "ms", 30000,
        "from a signal to the end: a third for the cells of `--http` that run, half for saves"),
    ROW(mcp_limits, file_bytes, "--file-size", "bytes", 16 << 20,
        "a file that is read or written by a call"),
    ROW(mcp_limits, upstream_ms, "--upstream-time", "ms", 8000,
        "in which servers of `--upstream` and `--mcp` have to be ready; others are missing"),
    ROW(mcp_limits, connections, "--connections", "", 256, "connections to `--http` at once"),
    ROW(mcp_limits, clients, "--clients", "", 1000,
        "clients of the older protocol that `--http` keeps in mind"),
    ROW(mcp_limits, request_ms, "--request-time", "ms", 30000,
        "in which a request to `--http` has to be whole"),
    ROW(mcp_limits, unsent_bytes, "--unsent-size", "bytes", 64 << 20,
        "of answers that a client does not read; then it is disconnected"),
};

enum { OF_MCP = sizeof of_mcp / sizeof *of_mcp };
static_assert(OF_MCP * sizeof(uint64_t) == sizeof(mcp_limits),
              "every limit has a row in the table");

const snug_limit_description *mcp_limit_info(size_t index)
{
    return index < OF_MCP ? &of_mcp[index] : NULL;
}

mcp_limits mcp_limits_resolve(const mcp_limits *given)
{
    mcp_limits resolved = *given;
    for (size_t i = 0; i < OF_MCP; i++) {
        uint64_t *value = (uint64_t *)((char *)&resolved + of_mcp[i].offset);
        if (*value == 0)
            *value = of_mcp[i].default_value;
    }
    return resolved;
}
