/*
 * cell_answer.h - the lines that snug cells writes: whole, one at a time, at once.
 */
#ifndef SNUG_CLI_CELL_ANSWER_H
#define SNUG_CLI_CELL_ANSWER_H

#include <pthread.h>

#include <snug/snug.h>

#include "cli/cells/cell_request.h"
#include "cli/program/signals.h"

typedef struct answers {
    pthread_mutex_t lock; /* of stdout */
    signals *signals;     /* asked to end with SIGPIPE when nobody reads any more */
    int is_broken;        /* nothing more is written */
} answers;

/* Each answers r and takes its session and id. Any thread. */
void answer_result(answers *a, const request *r, snug_result *result);
void answer_json(answers *a, const request *r, const char *json, size_t len);
void answer_completion(answers *a, const request *r, const snug_completion *completion);
void answer_saved(answers *a, const request *r, snug_saved *saved);
/* A file's bytes as text, where they are, else as base64. */
void answer_file(answers *a, const request *r, const snug_file *file);
void answer_listing(answers *a, const request *r, const snug_listing *listing);
/* {"schema": ...} and the request's path. */
void answer_path(answers *a, const request *r, const char *schema);
/* {"schema": ...} and one truth value, if name is not NULL. */
void answer_fact(answers *a, const request *r, const char *schema, const char *name, int value);
/* snug.error/1; error is a snug_error. */
void answer_error(answers *a, const request *r, int error, const char *message);

#endif
