/*
 * crew.h - sessions by name, their queues of requests, and threads that serve them.
 *
 * Requests of a session are served one after the other, those of different
 * sessions at once, up to CREW_THREADS of them; further sessions wait their turn,
 * one request a turn. An idle session has no thread. A slot is there while its
 * session is open or a request waits.
 */
#ifndef SNUG_CLI_CREW_H
#define SNUG_CLI_CREW_H

#include <pthread.h>
#include <stddef.h>

#include <snug/snug.h>

#include "cli/cells/cell_request.h"

/* A session that runs has a thread of its own besides; ten thousand that are ready
 * at once would get ten thousand here, and the process no further. */
enum { CREW_THREADS = 64 };

typedef struct slot {
    char *name;
    void *owner;             /* serve's */
    snug_session *session;   /* NULL: not open; set by crew_set_session */
    snug_notebook *notebook; /* serve's and close's: NULL: not recorded */
    request *first, *last;   /* waiting */
    request *current;        /* being served */
    int is_served;           /* ready or in a thread's hands */
    size_t place;            /* in serving, while current is there */
    struct slot *next_ready;
    struct slot *next_in_bucket;
} slot;

/* Serves slot->current, on any thread. */
typedef void crew_serve(void *payload, slot *slot);

typedef struct crew {
    crew_serve *serve;
    void *payload;
    pthread_mutex_t lock; /* of everything below, and of every slot */
    pthread_cond_t work, change, nudge;
    pthread_t nudger;
    slot **buckets;
    size_t bucket_count, slot_count;
    slot *ready_first, *ready_last;
    size_t ready_count, idle_threads, threads;
    slot *serving[CREW_THREADS]; /* in threads' hands */
    pthread_t ids[CREW_THREADS]; /* of those threads */
    size_t serving_count;
    size_t unfinished;      /* requests */
    size_t waiting_bytes;   /* of their lines */
    size_t interrupt_count; /* unfinished requests that are to be interrupted */
    int is_dropping;        /* waiting requests are thrown away */
    int is_over;
} crew;

/* SNUG_OK, or an error with its message. */
int crew_start(crew *c, crew_serve *serve, void *payload);
/* Takes the request, which has a session's name. Waits while far too much waits.
 * SNUG_OK or SNUG_ENOMEM; the request is the caller's then. */
int crew_push(crew *c, request *r);
/* Ends the oldest cell of the session that has not ended: now, or as soon as it
 * begins. 1; 0: none runs or waits; SNUG_ENOTFOUND: no such session. tell is called with the
 * first two before the cell can end by it, so that its own answer comes later. Only on the thread
 * that calls crew_push. */
int crew_interrupt(crew *c, const char *name, void (*tell)(void *payload, int running),
                   void *payload);
/* For serve: what slot->session is from now on, so that nobody interrupts a
 * session that is being closed. */
void crew_set_session(crew *c, slot *slot, snug_session *session);
/* For serve: the code of slot->current has run, and an interrupt from now on means
 * the next. To be said before the answer is written, so that who reads it and then
 * interrupts does not hit a cell that has ended. */
void crew_ended(crew *c, slot *slot);
/* From now on waiting requests are thrown away unanswered and what runs is
 * interrupted. Any thread. */
void crew_drop(crew *c);
/* For serve: crew_drop was called, and what takes long need not begin. */
int crew_is_dropping(crew *c);
/* Waits until every request is served, ends the threads, hands every open session
 * to close. */
void crew_finish(crew *c, void (*close)(void *payload, slot *slot));

#endif
