/*
 * missing.h - modules that programs wanted and did not get: whether they are installed, and what
 * gives them to programs.
 */
#ifndef SNUG_CLI_MISSING_H
#define SNUG_CLI_MISSING_H

#include <stddef.h>

#include <snug/agent.h>

#include "cli/program/options.h"

typedef struct missing_module {
    char *module;  /* "sklearn", the first part of what was imported */
    char *package; /* that has it: "scikit-learn"; where it is not installed, maybe */
    int is_installed;
    int needs_full; /* a session that has it must be a full one */
} missing_module;

typedef struct missing {
    missing_module *items;
    size_t count, cap;
} missing;

/* Takes the modules from an event of an agent, "scan" or "executed", each once. report: of the host
 * whose sessions they are missing in. How many are new, or -1 after one sentence. */
int missing_hear(missing *m, const snug_agent_event *event, const options *o, const char *report);
/* What gives it to programs, one sentence; malloc'ed, NULL if memory ran out. is_full: the session
 * is. */
char *missing_hint(const missing_module *module, int is_full);
void missing_free(missing *m);

#endif
