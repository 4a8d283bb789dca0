/*
 * troubles.h - what goes wrong with sessions behind a client's back, on stderr.
 *
 * A line each, TROUBLES_AN_HOUR at most. Nor does anybody wait for who reads stderr: what there is
 * no room for is left out.
 */
#ifndef SNUG_CLI_MCP_TROUBLES_H
#define SNUG_CLI_MCP_TROUBLES_H

#include <pthread.h>
#include <stdint.h>

#include <snug/supervisor.h>

enum { TROUBLES_AN_HOUR = 100 };

typedef struct troubles {
    pthread_mutex_t lock;
    uint64_t hour_ns;        /* when the hour began; 0: none has */
    uint64_t told, left_out; /* in it */
} troubles;
#define TROUBLES_INIT                     \
    {                                     \
        .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* Any thread. Nothing of what is ordinary. */
void troubles_tell(troubles *t, const snug_supervisor_event *event);

/* Whether one more may be said in this hour. *left_out: how many were not in the one before. */
int troubles_may_tell(uint64_t *left_out, troubles *t, uint64_t now_ns);

#endif
