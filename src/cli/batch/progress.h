/*
 * progress.h - how far a batch is: a bar on a terminal, or a line for each task that ends.
 */
#ifndef SNUG_CLI_PROGRESS_H
#define SNUG_CLI_PROGRESS_H

#include <stdint.h>

#include "cli/batch/summary.h"

typedef struct progress {
    int has_bar;
    int has_lines;
    uint64_t start_ns;
} progress;

/* is_quiet: neither. A bar where stderr is a terminal that is not dumb. */
progress progress_open(int is_quiet, int is_verbose);
/* Draws the bar again; nothing where there is none. */
void progress_show(const progress *p, const summary *s);
/* A line, in the place of the bar; nothing where there are no lines. */
__attribute__((format(printf, 2, 3))) void progress_tell(const progress *p, const char *format,
                                                         ...);
/* Takes the bar away. */
void progress_end(const progress *p);

#endif
