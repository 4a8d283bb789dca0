/*
 * limits.h - the one table of limits and their defaults.
 */
#ifndef SNUG_LIMITS_LIMITS_H
#define SNUG_LIMITS_LIMITS_H

#include <snug/snug.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* field, option, unit, default, whether it can be SNUG_NONE, about */
#define LIMITS(X)                                                                             \
    X(wall_ms, "--timeout", "ms", 30000, 0, "elapsed time of a cell")                         \
    X(cpu_ms, "--cpu", "ms", 30000, 0, "processor time of a cell")                            \
    X(session_cpu_ms, NULL, "ms", SNUG_UNLIMITED, 0, "processor time of a session's cells")   \
    X(memory_bytes, "--memory", "bytes", 256 * MIB, 0, "memory of a session")                 \
    X(output_bytes, "--output", "bytes", 64 * KIB, 1,                                         \
      "kept of each stream of a cell, head and tail; more goes to a file")                    \
    X(disk_bytes, "--disk", "bytes", 256 * MIB, 1,                                            \
      "sizes of the files that a session has made in the work directory")                     \
    X(disk_files, "--disk-files", "", 1000, 1,                                                \
      "number of files and folders that a session has made there")                            \
    X(source_bytes, "--source", "bytes", 1 * MIB, 0, "source of a cell")                      \
    X(value_bytes, "--value", "bytes", 16 * KIB, 1, "text of a value, clipped in the middle") \
    X(display_bytes, "--displays", "bytes", 8 * MIB, 1, "displays of a cell")                 \
    X(list_bytes, "--lists", "bytes", 256 * KIB, 1,                                           \
      "each list of names in an answer: changed ones, variables, completions")                \
    X(threads, "--threads", "", 0, 1, "threads that a cell may have besides its own")         \
    X(tool_calls, "--tool-calls", "", 100, 1, "calls of host tools in a cell")                \
    X(input_ms, "--input-timeout", "ms", 3600000, 0,                                          \
      "in which a cell waits for lines of `input()`, which is not its time")

/* Every field that is zero in wanted (all, if it is NULL) becomes that of base, which is resolved,
 * or the table's default if base is NULL; SNUG_NONE becomes zero. */
snug_limits limits_resolve(const snug_limits *wanted, const snug_limits *base);

/* The caller's struct as this version has it; all zero for NULL. SNUG_EINVAL for SNUG_NONE where it
 * makes no sense. */
int limits_take(snug_limits *out, const snug_limits *given);

#endif
