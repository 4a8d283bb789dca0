/*
 * kernel_limits.h - what a kernel for Jupyter takes, keeps and shows: the table, with defaults.
 */
#ifndef SNUG_CLI_KERNEL_LIMITS_H
#define SNUG_CLI_KERNEL_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

/* Zero means the default. */
typedef struct kernel_limits {
    uint64_t message_bytes, message_frames, queued_messages;
    uint64_t history_cells, history_bytes;
    uint64_t shown_times;
} kernel_limits;

/* A row; NULL past the end. */
const snug_limit_description *kernel_limit_info(size_t index);
/* With the defaults filled in. */
kernel_limits kernel_limits_resolve(const kernel_limits *given);

#endif
