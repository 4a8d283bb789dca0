/*
 * tasks.h - the questions of snug batch: JSON Lines, an object each.
 *
 *     {"id": "t1", "question": "...", "inputs": {"sales": "sales.csv"},
 *      "checks": ["assert total > 0"], "max_attempts": 2}
 *
 * id and question must be there. Paths are those of the file's folder, unless they begin with a
 * slash.
 */
#ifndef SNUG_CLI_TASKS_H
#define SNUG_CLI_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include <snug/agent.h>

#include "wire/json.h"

typedef struct task {
    const char *id, *question;
    snug_agent_input *inputs; /* paths are the task's own */
    size_t input_count;
    const char **checks;   /* NULL-terminated, or NULL */
    uint64_t max_attempts; /* 0: not given */
    size_t line;           /* from 1 */
    int is_done;
    cJSON *json; /* which the texts belong to */
} task;

typedef struct tasks {
    task *items;
    size_t count, cap;
    task **by_id; /* sorted */
} tasks;

/* EXIT_FINE, or EXIT_USAGE after one sentence that names the line: no JSON, an unknown field, a
 * wrong value, an id that was there before. Free in both cases. */
int tasks_read(tasks *out, const char *path);
/* NULL: there is none of that id. */
task *tasks_find(const tasks *t, const char *id);
void tasks_free(tasks *t);

#endif
