/*
 * cell_asking.h - calls of tools that a rule asks about, as lines: one asks, and one that comes in
 * answers.
 */
#ifndef SNUG_CLI_CELL_ASKING_H
#define SNUG_CLI_CELL_ASKING_H

#include <pthread.h>

#include <snug/snug.h>

#include "cli/cells/cell_answer.h"

typedef struct asked_call asked_call;

typedef struct cell_asking {
    answers *answers;
    pthread_mutex_t lock; /* of what follows */
    asked_call *first;
    uint64_t asked;
    int is_over; /* no further line comes */
} cell_asking;

/* Writes snug.approval/1 of a call of that session's. Any thread. */
void cell_ask(cell_asking *a, const char *session, snug_call *call);
/* Takes the answer of a request, on the thread that reads, and answers that. */
void cell_asking_take(cell_asking *a, const request *r);
/* The session's cell is over: what it has asked is of no use any more. session NULL: no further
 * line comes, and what waits is refused. */
void cell_asking_end(cell_asking *a, const char *session);

#endif
