/* served_limits.h - what snug mcp takes and keeps at once: the table, with defaults. */
#ifndef SNUG_CLI_SERVED_LIMITS_H
#define SNUG_CLI_SERVED_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

/* Zero means the default. */
typedef struct mcp_limits {
    uint64_t message_bytes, calls, waiting_calls, wait_ms, share_percent;
    uint64_t sessions, idle_ms, save_after_ms, save_every, save_ms, drain_ms, file_bytes;
    uint64_t upstream_ms;
    uint64_t connections, clients, request_ms, unsent_bytes;
} mcp_limits;

/* A row; NULL past the end. */
const snug_limit_description *mcp_limit_info(size_t index);
/* With the defaults filled in. */
mcp_limits mcp_limits_resolve(const mcp_limits *given);

#endif
