/*
 * park.h - sessions in which nothing runs give their threads back, and get new ones, with the same
 * folder and filters, when they are used again.
 *
 * A host has awake_sessions threads for its idle sessions: where one more is opened or woken, the
 * one that was used least lately is parked. Its interpreter stays as it is. A folder that is not
 * the one which its first thread was given is left out of what the new one may open. The new thread
 * stands on the stack of the one before, so that pthread_self, and what Python calls the thread's
 * ident, is the same. Not parked is what a thread has of its own and another would not have:
 * descriptors that cells have left open, threads of cells, the main interpreter; nor who runs on
 * its caller's thread.
 */
#ifndef SNUG_SESSION_PARK_H
#define SNUG_SESSION_PARK_H

#include <stdatomic.h>
#include <stdint.h>

#include <snug/snug.h>

/* As what a session is counted; guarded by its host's lock. */
typedef enum park_state { PARK_NONE, PARK_AWAKE, PARK_PARKED } park_state;

/* Of a session. */
typedef struct session_parking {
    _Atomic uint64_t used_ns; /* when it was claimed last, by the clock; about */
    park_state state;
    int is_parked;                        /* it has an interpreter, and no thread */
    _Atomic int is_waking;                /* 2: and was interrupted */
    struct snug_session *next, *previous; /* of those that are awake */
} session_parking;

/* What a host keeps for it; guarded by its lock. */
typedef struct park {
    uint64_t most;              /* awake ones, 0: all */
    uint64_t awake, parked;     /* of the sessions that can be parked */
    uint64_t parks, wakes;      /* ever */
    struct snug_session *first; /* the awake ones */
} park;

/* The session is open, or was reset: it may be parked from now on, and others for it. */
void park_admit(snug_session *session);
/* It has no thread and no interpreter any more: it was lost. Until it is admitted again. */
void park_forget(snug_session *session);
/* It is about to be closed. */
void park_leave(snug_session *session);
/* Who has claimed it wants to run something: it has a thread then. SNUG_OK, or an error with a
 * message, and the session is parked as before. */
int park_wake(snug_session *session);
/* Who parks it has claimed it: waits for the end of that. */
void park_await(snug_session *session);

#endif
