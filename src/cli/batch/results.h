/*
 * results.h - the file that a batch writes: a line for each task that has ended.
 *
 * A line is there whole or not at all: what a killed program left of one is cut off when the
 * file is opened again. A file that is not of this kind is left as it is.
 */
#ifndef SNUG_CLI_RESULTS_H
#define SNUG_CLI_RESULTS_H

#include <stddef.h>
#include <sys/types.h>

typedef struct results {
    int fd; /* -1: not open */
    const char *path;
    off_t bytes; /* of whole lines */
} results;

/* Every line begins so. */
#define RESULTS_BEGIN "{\"id\":"

/* Makes the file, or hands each of its lines, with its id, to take. EXIT_FINE, or EXIT_USAGE
 * after one sentence: another program has it open, a line is not a result. Close in both cases. */
int results_open(results *out, const char *path,
                 void (*take)(void *payload, const char *id, const char *line, size_t len),
                 void *payload);
/* Appends a line, given without its end, and waits until it is on the disk. SNUG_OK, or
 * SNUG_ESYSTEM with a message; the file has its former lines then. */
int results_add(results *r, const char *line, size_t len);
void results_close(results *r);

#endif
