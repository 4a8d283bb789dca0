/*
 * typecheck.h - what mypy, where it is installed, finds in cells that call tools.
 *
 * The cells are one program to it, in front of which stand the tools' stubs. It only reads them:
 * nothing of them runs.
 */
#ifndef SNUG_CLI_TYPECHECK_H
#define SNUG_CLI_TYPECHECK_H

#include <stdint.h>

#include "cli/program/signals.h"
#include "cli/run/split.h"
#include "cli/tools/tool_list.h"

typedef struct type_finding {
    size_t cell;           /* its index in the list */
    unsigned line, column; /* within it, from 1 */
    char *message;
} type_finding;

typedef struct type_findings {
    type_finding *items; /* in the order of the program */
    size_t count, cap, left_out;
} type_findings;

typedef struct type_checker {
    signals *signals; /* mypy is killed where one asks to end */
    uint64_t wall_ms; /* or where it takes longer */
} type_checker;

/* EXIT_FINE, whatever it has found, EXIT_USAGE after one sentence, or 128 and the number of a
 * signal. Free in all cases. */
int typecheck(type_findings *out, const tool_list *tools, const cell_list *cells,
              const type_checker *how);
void type_findings_free(type_findings *f);

#endif
