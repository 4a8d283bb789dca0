/*
 * journal_inside.h - the inside of a journal, for calls/: journal.c writes, replay_lines.c reads
 * what was written, and replay.c answers from it.
 */
#ifndef SNUG_CALLS_JOURNAL_INSIDE_H
#define SNUG_CALLS_JOURNAL_INSIDE_H

#include <pthread.h>

#include "base/jsontext.h"
#include "calls/journal.h"

/* A call of the earlier run. */
typedef struct replay_row {
    uint64_t number;
    size_t line; /* from 1 */
    char *tool;
    jsontext_span arguments, answer; /* in the journal's lines */
    char *error;                     /* NULL: none */
    call_state how;
    snug_call *call; /* it was made again, and waits for its turn */
    int is_done;
} replay_row;

struct journal_track {
    snug_journal *journal;
    char *name;
    journal_track *next, *next_alike; /* of all; of those in its bucket */
    _Atomic uint64_t made;

    pthread_mutex_t lock; /* of the rest; a desk's lock may be taken under it */
    replay_row *rows;     /* in the order in which the calls were over */
    size_t count, cap;
    size_t *by_number; /* indices of rows */
    size_t head;       /* the row whose turn it is; those before it are done */
    size_t pending;    /* rows with a call */
    int is_broken;     /* a call has differed */
};

struct snug_journal {
    snug_journal_options options;
    char *lines; /* of the replay; NULL: it is none */

    pthread_mutex_t writing; /* while write and hide are called */
    int is_closed;           /* under it */

    pthread_mutex_t lock;    /* of the following; no other is taken under it */
    journal_track *tracks;   /* of which none goes before the journal */
    journal_track **end;     /* where the next one is put */
    journal_track **buckets; /* by the hash of the name */
    size_t track_count, bucket_count;
    size_t users;               /* desks, and one for who has opened it */
    _Atomic(char *) difference; /* set once */
};

/* The track of that name, made if there is none; NULL: no memory. The lock is held, or nobody else
 * has the journal. */
journal_track *journal_track_of(snug_journal *j, const char *name, size_t len);
/* Reads the lines of a replay. SNUG_OK or an error with its sentence. */
int replay_read(snug_journal *j, const char *given, size_t len);
/* Lets go of calls that are held. */
void replay_free(journal_track *t);

#endif
