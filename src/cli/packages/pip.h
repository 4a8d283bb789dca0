/*
 * pip.h - pip as a child process: what it would install, installing that, and pip-audit.
 *
 * It is the pip of the Python that snug was built for, outside any session. It reads no
 * configuration of pip's and no variables but those of the table in pip.c, loads nothing from
 * the current folder, and builds nothing unless that is asked for: to build runs the package's
 * own code.
 */
#ifndef SNUG_CLI_PIP_H
#define SNUG_CLI_PIP_H

#include <stddef.h>
#include <stdint.h>

#include "cli/packages/requirements.h"
#include "cli/program/signals.h"

typedef struct pip {
    signals *signals;   /* what they take ends the child */
    const char *folder; /* for its files; nobody else's */
    const char *wheels; /* an absolute path: nothing comes from elsewhere; NULL: an index */
    int builds, requires_hashes;
    int is_verbose; /* all that pip says goes to stderr */
} pip;

/* A package that pip would install. */
typedef struct pip_package {
    char *name, *version;
    char *hash;     /* "sha256:..."; NULL: not told */
    char *source;   /* folder, or host, that it comes from */
    uint64_t bytes; /* of its file; 0: not known */
    int is_wanted;  /* else another one needs it */
    int is_source;  /* it is built here */
} pip_package;

typedef struct pip_plan {
    pip_package *items;
    size_t count;
} pip_plan;

/* These answer EXIT_FINE, another exit status after one sentence on stderr, or 128 and the
 * signal that ended it, without a sentence. */

int pip_make_plan(pip_plan *out, const pip *p, const requirements *wanted);
/* Exactly what the plan has, into a folder that does not exist. */
int pip_install(const pip *p, const pip_plan *plan, const char *into);
void pip_plan_free(pip_plan *plan);

/* Path of pip-audit on PATH; NULL: there is none. The caller frees it. */
char *pip_find_audit(void);
/* Prints what it knows of the packages in a folder. *found: how many vulnerabilities. */
int pip_audit(size_t *found, const pip *p, const char *program, const char *folder);

#endif
