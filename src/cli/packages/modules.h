/*
 * modules.h - modules of packages: the folder that sessions have them from, those that work with
 * data usually imports, and what gives programs one that they wanted and did not get.
 */
#ifndef SNUG_CLI_MODULES_H
#define SNUG_CLI_MODULES_H

#include <stddef.h>

#include "cli/program/options.h"

/* The folder of packages that full sessions import from, by the options or a host's report; NULL:
 * there is none. Free it. */
char *packages_folder(const options *o, const char *report);

/* Whether work with data usually imports it. */
int usual_has(const char *module);
/* Appends those that a folder has; one that cannot be read has none. SNUG_OK or SNUG_ENOMEM. */
int usual_add(text_list *out, const char *folder);
/* What sessions may import besides their profile: what is allowed, a list with a NULL at its end or
 * NULL, and, with --data, the usual ones of the folder of packages. The texts are those that were
 * given, or constant. SNUG_OK or SNUG_ENOMEM. */
int usual_allow(text_list *out, const options *o, const char *const *allowed, const char *report);

typedef struct missing_module {
    char *module;        /* "sklearn", the first part of what was imported */
    const char *package; /* that has it: "scikit-learn", or maybe module itself */
    int is_installed;
    int is_known;   /* that this package has it, and no other one of its name */
    int needs_full; /* a session that has it must be a full one */
} missing_module;

typedef struct missing {
    missing_module *items;
    size_t count, cap;
} missing;

/* Adds the module of that name, by its first part; a quotation mark ends it. report: of the host
 * whose sessions it is missing in. 1: it is new; 0; -1 where memory ran out. */
int missing_add(missing *m, const char *name, const options *o, const char *report);
/* The same of what an error of a cell says is missing: 0 where it says nothing like that. */
int missing_add_error(missing *m, const char *name, const char *value, const options *o,
                      const char *report);
/* What gives it to programs, one sentence; malloc'ed, NULL if memory ran out. is_full: the session
 * is. */
char *missing_hint(const missing_module *module, int is_full);
void missing_free(missing *m);

#endif
