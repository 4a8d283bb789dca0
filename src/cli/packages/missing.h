/*
 * missing.h - modules that programs wanted and did not get: whether they are installed, and what
 * gives them to programs.
 */
#ifndef SNUG_CLI_MISSING_H
#define SNUG_CLI_MISSING_H

#include <stddef.h>

#include "cli/program/options.h"

typedef struct missing_module {
    char *module;  /* "sklearn", the first part of what was imported */
    char *package; /* that has it: "scikit-learn"; where it is not installed, maybe */
    int is_installed;
    int is_known;   /* that this package has it, and no other one of its name */
    int needs_full; /* a session that has it must be a full one */
} missing_module;

typedef struct missing {
    missing_module *items;
    size_t count, cap;
} missing;

/* Adds the module of that name, by its first part. report: of the host whose sessions it is missing
 * in. 1: it is new; 0; -1 where memory ran out. */
int missing_add(missing *m, const char *name, const options *o, const char *report);
/* The same of what an error of a cell says is missing: 0 where it says nothing like that. */
int missing_add_error(missing *m, const char *name, const char *value, const options *o,
                      const char *report);
/* What gives it to programs, one sentence; malloc'ed, NULL if memory ran out. is_full: the session
 * is. */
char *missing_hint(const missing_module *module, int is_full);
void missing_free(missing *m);

#endif
