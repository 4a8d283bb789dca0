/*
 * watch.h - looks after what a session's cells have left running, while no cell runs.
 *
 * A thread of its own looks as often as a cell's does, as long as anything but the shell lives.
 * What is over the session's limits then is ended, all of it, and the next cell says so.
 */
#ifndef SNUG_BASH_WATCH_H
#define SNUG_BASH_WATCH_H

#include <pthread.h>

#include "base/thread.h"

struct snug_session;

typedef struct bash_watch {
    pthread_mutex_t lock; /* held by who uses the shell */
    pthread_cond_t changed;
    thread thread;
    int has_thread;
    int is_awake, shall_end;
    int reason; /* bash_reason; BASH_RUNS: nothing was ended since the last cell */
} bash_watch;

/* SNUG_OK, or SNUG_ESYSTEM with a message. */
int watch_open(struct snug_session *session);
void watch_close(struct snug_session *session);
/* Around every use of the shell. */
void watch_enter(struct snug_session *session);
void watch_leave(struct snug_session *session);

#endif
