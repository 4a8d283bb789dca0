#include "cli/program/removed.h"

#include <string.h>

static const struct {
    const char *name, *advice;
} removed[] = {
    { "--ask-model-with", "the key execution.ask_model_with=VALUE is the same" },
    { "--fallback-model", "the key generation.fallback=VALUE is the same" },
    { "--messages", "the key response.include_messages=true is the same" },
    { "--repair-model", "the key improvement.model=VALUE is the same" },
    { "--evaluation-model", "the key evaluation.model=VALUE is the same" },
    { "--style", "the key generation.style=VALUE is the same" },
    { "--no-cache", "cache.enabled=false is the same" },
    { "--background", "code has the terminal's own colours; --color never does without" },
    { "--debug", "-v shows the messages of each step" },
    { "--input-size", "the key input.max_size=SIZE is the same" },
    { "--out-files",
      "a question hands over 1000 files at most; --workdir DIR keeps all that is made" },
    { "--out-size", "a question hands over 256 MiB at most; --workdir DIR keeps all that is made" },
    { "--stdin-wait", "--input stdin=- waits for what is piped in, and </dev/null does without" },
    { "--disabled", "enabled=false is the same" },
    { "--history-cells", "a kernel finds the last 10,000 cells" },
    { "--history-size", "a kernel finds the last 10,000 cells" },
    { "--message-frames", "a message of a front end has 64 frames at most" },
    { "--queued-messages", "10,000 messages wait for a front end that reads slowly" },
    { "--shown-times", "front ends are shown 16 times --output of each stream of a cell" },
    { "--types", "\"snug tools\" prints stubs for mypy, and \"snug check\" judges calls of tools" },
    { "--print-config", "docs/mcp.md has the lines for the configuration of each client" },
    { "--task-after", "a call is answered when its cell is over; --timeout bounds it" },
    { "--task-time", "a call is answered when its cell is over; --timeout bounds it" },
    { "--tasks", "a call is answered when its cell is over; --timeout bounds it" },
    { "--debug-info", "response.show_debug_info=true is the same" },
    { "--no-history", "response.include_improvement_history=false is the same" },
    { "--no-improvement", "improvement.enabled=false is the same" },
    { "--no-metrics", "response.show_performance_metrics=false is the same" },
    { "--strict-audit", "pip-audit --path DIR looks at a folder of packages" },
    { "--use-docker", "--docker snug-worker is the same" },
    { "--yes", "packages install does not ask" },
    { "input.stdin_wait",
      "--input stdin=- waits for what is piped in, and </dev/null does without" },
    { "response.out_files", "a question hands over 1000 files at most" },
    { "response.out_size", "a question hands over 256 MiB at most" },
};

const char *removed_advice(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++)
        if (strlen(removed[i].name) == len && !memcmp(removed[i].name, name, len))
            return removed[i].advice;

    return NULL;
}
