/*
 * summary.h - what a batch comes to, added up from the lines of its results. docs/agent-batch.md
 * says what each figure means.
 */
#ifndef SNUG_CLI_SUMMARY_H
#define SNUG_CLI_SUMMARY_H

#include <stddef.h>
#include <stdio.h>

#include "base/str.h"

enum { SUMMARY_STATUSES = 6, SUMMARY_TIMES = 6, SUMMARY_SCORES = 3 };

typedef struct summary {
    size_t tasks;    /* of the list */
    size_t resumed;  /* that had ended before */
    size_t finished; /* those too */
    size_t statuses[SUMMARY_STATUSES];
    double success_attempts;     /* of the tasks that were answered */
    size_t first_failed, saved;  /* whose first attempt failed; that were answered then */
    double first_errors, errors; /* of first and of last attempts */
    double times[SUMMARY_TIMES];
    double requests, input_tokens, output_tokens, cost_usd;
    int has_cost; /* at least one reply told it */
    size_t scored;
    double scores[SUMMARY_SCORES];
} summary;

/* A line of the results, as it was written. */
void summary_add(summary *s, const char *line, size_t len);
size_t summary_answered(const summary *s);
void summary_print(const summary *s, FILE *stream);
/* Appends "snug.batch/1". out_path: of the results. SNUG_OK or SNUG_ENOMEM. */
int summary_write_json(str *out, const summary *s, const char *out_path);

#endif
