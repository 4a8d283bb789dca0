/*
 * sigpipe.h - writes to what nobody reads any more, in a program whose signals are not ours.
 */
#ifndef SNUG_BASE_SIGPIPE_H
#define SNUG_BASE_SIGPIPE_H

#include <signal.h>

typedef struct sigpipe_hold {
    sigset_t pipe, before;
    int was_pending;
} sigpipe_hold;

/* SIGPIPE does not reach this thread until sigpipe_release; one that arises meanwhile is taken
 * away. */
void sigpipe_block(sigpipe_hold *hold);
void sigpipe_release(const sigpipe_hold *hold);

#endif
