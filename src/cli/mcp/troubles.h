/*
 * troubles.h - what goes wrong with sessions behind a client's back, on stderr.
 *
 * A line each, but no log of them fills a disk: the same trouble of a session is reported the 1st,
 * 10th, 100th, ... time, and of all TROUBLES_AN_HOUR. Nor does anybody wait for who reads stderr:
 * what there is no room for is left out.
 */
#ifndef SNUG_CLI_MCP_TROUBLES_H
#define SNUG_CLI_MCP_TROUBLES_H

#include <pthread.h>
#include <stdint.h>

#include <snug/supervisor.h>

enum { TROUBLES_AN_HOUR = 100, TROUBLES_KNOWN = 64 };

typedef struct trouble {
    uint64_t key; /* of a session and what is wrong with it */
    uint64_t times, last;
} trouble;

typedef struct troubles {
    pthread_mutex_t lock;
    trouble known[TROUBLES_KNOWN]; /* those of the last time */
    uint64_t events;
    uint64_t hour_ns;        /* when the hour began; 0: none has */
    uint64_t told, left_out; /* in it */
} troubles;
#define TROUBLES_INIT                     \
    {                                     \
        .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* Any thread. Nothing of what is ordinary. */
void troubles_tell(troubles *t, const snug_supervisor_event *event);

/* How often this trouble has been there; 0: that is not to be reported. *left_out: how many were
 * left out in the hour before. */
uint64_t troubles_count(uint64_t *left_out, troubles *t, const snug_supervisor_event *event,
                        uint64_t now_ns);

#endif
