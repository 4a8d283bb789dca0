#include "cli/program/kernel_limits.h"

#include <assert.h>

/* field, option, unit, default, about */
#define KERNEL_LIMITS(X)                                                                     \
    X(message_bytes, "--message-size", "bytes", 64 << 20,                                    \
      "a frame of a message; a client that sends more is disconnected")                      \
    X(message_frames, "--message-frames", "", 64, "frames of a message, up to 4,096")        \
    X(queued_messages, "--queued-messages", "", 10000,                                       \
      "messages that wait for a client that reads slowly; more are lost to it")              \
    X(history_cells, "--history-cells", "", 10000, "cells that `history_request` finds")     \
    X(history_bytes, "--history-size", "bytes", 32 << 20, "their sources and values in all") \
    X(shown_times, "--shown-times", "", 16,                                                  \
      "of each stream of a cell, times `output_bytes`, front ends are shown")

#define DESCRIPTION(field, option, unit, value, about) \
    { #field, option, unit, value, about, offsetof(kernel_limits, field), 0 },
static const snug_limit_description descriptions[] = { KERNEL_LIMITS(DESCRIPTION) };

enum { LIMIT_COUNT = sizeof descriptions / sizeof *descriptions };
static_assert(LIMIT_COUNT * sizeof(uint64_t) == sizeof(kernel_limits),
              "every limit has a row in the table");

const snug_limit_description *kernel_limit_info(size_t index)
{
    return index < LIMIT_COUNT ? &descriptions[index] : NULL;
}

kernel_limits kernel_limits_resolve(const kernel_limits *given)
{
    kernel_limits resolved = *given;
#define RESOLVE(field, option, unit, value, about) \
    if (resolved.field == 0)                       \
        resolved.field = (value);
    KERNEL_LIMITS(RESOLVE)
#undef RESOLVE
    return resolved;
}
