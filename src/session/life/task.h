/*
 * task.h - the inside of a task.
 *
 * Two hold it: the caller, if it wants to, and who works on it until it is over.
 */
#ifndef SNUG_SESSION_LIFE_TASK_H
#define SNUG_SESSION_LIFE_TASK_H

#include <pthread.h>
#include <stdatomic.h>

#include <snug/snug.h>
#include <snug/task.h>

#include "session/core/session.h"

typedef enum task_kind {
    TASK_CELL, /* attended by who dispatches or waits */
    TASK_OPEN, /* these by a clerk */
    TASK_RESET,
    TASK_SAVE,
    TASK_RESTORE,
    TASK_CLOSE
} task_kind;

typedef struct kept_options kept_options;

struct snug_task {
    bell_item rings; /* first: for its on_done */
    _Atomic int holders;
    task_kind kind;
    snug_host *host;
    snug_session *session; /* which the task has claimed; NULL for an open */
    snug_task_done *on_done;
    void *payload;

    pthread_mutex_t lock; /* guards what follows up to is_cancelled */
    int is_waiting;       /* for a clerk */
    int is_ending;        /* its session is no longer its own */
    int is_cancelled;

    _Atomic int is_attended;  /* somebody does, or has called on_done */
    _Atomic uint32_t is_over; /* futex word */
    _Atomic int is_missed;    /* somebody else wanted to meanwhile */
    _Atomic int is_told;      /* on_done was called */

    int error;
    char *message;
    snug_result *result; /* taken by who asks first, under lock */
    snug_session *opened;
    snug_saved *saved;

    kept_options *options; /* of an open */
    char *path;
    struct snug_task *next; /* among those that wait for a clerk */
};

/* Under way for its host from here on, with one holder for the caller where out is not NULL.
 * SNUG_OK or SNUG_ENOMEM with a message. */
int task_new(snug_task **made, task_kind kind, snug_host *host, snug_session *session,
             snug_task_done *on_done, void *payload);
void task_hold(snug_task *task);
void task_drop(snug_task *task);
/* One that was not begun: nobody knows of it. */
void task_abandon(snug_task *task);
/* What has come of it, with this thread's message. Its session is released. */
void task_end(snug_task *task, int error);
/* The same, and who dispatches calls on_done, if nobody who waits has. */
void task_end_for_host(snug_task *task, int error);
/* Of a host that has no task any more: what is left of the bell. */
void tasks_close(snug_host *host);

/* start_task.c: ends a task that waits for a thread. */
void clerks_cancel(snug_task *task);
/* What it has for its call. */
void task_free_call(snug_task *task);
typedef struct clerks clerks;
/* No task waits, or is under way. NULL is fine. */
void clerks_close(clerks *c);

#endif
