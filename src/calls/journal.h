/*
 * journal.h - the calls of cells as lines of JSON (journal.c), and a later run that is answered
 * from them (replay.c). snug.h has the format.
 *
 * A journal has a track for each name of a session, which numbers its calls. Desks hold their
 * track, and so the journal: one that was closed writes and answers nothing any more.
 */
#ifndef SNUG_CALLS_JOURNAL_H
#define SNUG_CALLS_JOURNAL_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include <snug/snug.h>

#include "base/jsontext.h"
#include "base/str.h"
#include "calls/desk.h"

/* Calls that are over and not written yet: of more, further calls are refused. */
#define JOURNAL_BYTES (UINT64_C(256) << 20)

/* A call of the earlier run. */
typedef struct replay_row {
    uint64_t number;
    size_t line; /* from 1 */
    char *tool, *error;
    jsontext_span arguments, answer; /* in the journal's lines */
    call_state how;
    snug_call *call; /* it was made again, and waits for its turn */
    int is_done;
} replay_row;

typedef struct journal_track {
    snug_journal *journal;
    char *name;
    struct journal_track *next;
    _Atomic uint64_t made;

    pthread_mutex_t lock; /* of the rest; a desk's lock may be taken under it */
    replay_row *rows;     /* in the order in which the calls were over */
    size_t count, cap;
    size_t *by_number; /* indices of rows */
    size_t head;       /* the row whose turn it is; those before it are done */
    size_t pending;    /* rows with a call */
    int is_broken;     /* a call has differed */
} journal_track;

struct snug_journal {
    snug_journal_options options;
    char *lines; /* of the replay; NULL: it is none */

    pthread_mutex_t writing; /* while write and hide are called */
    int is_closed;           /* under it */

    pthread_mutex_t lock;       /* of the following; no other is taken under it */
    journal_track *tracks;      /* of which none goes before the journal */
    journal_track **end;        /* where the next one is put */
    void *by_name;              /* the same, for tsearch */
    size_t users;               /* desks, and one for whoever has opened it */
    _Atomic(char *) difference; /* set once */
};

/* The track of that name, made if there is none; NULL: no memory. The lock is held, or nobody else
 * has the journal. */
journal_track *journal_track_of(snug_journal *j, const char *name);
/* The same, for one more desk. */
journal_track *journal_join(snug_journal *j, const char *name);
/* One more desk has it. NULL is fine, as for the next one. */
journal_track *journal_share(journal_track *t);
void journal_leave(journal_track *t);

/* Of the next call, from 1. */
uint64_t journal_number(journal_track *t);
/* Whether calls are answered from it. NULL: 0. */
int journal_replays(const journal_track *t);

/* A call that is over. */
typedef struct journal_entry {
    uint64_t number, cell;
    const char *tool;
    const str *arguments, *answer; /* JSON; an answer, or the sentence of the error */
    call_state state;
    uint64_t duration_ns, timeout_ms;
} journal_entry;

/* Appends its line. SNUG_OK, also where the journal writes nothing, or SNUG_ENOMEM. */
int journal_describe(str *out, const journal_track *t, const journal_entry *entry);
/* Hands the line on. */
void journal_write(journal_track *t, str *text);
/* What the journal hides. */
void journal_hide(journal_track *t, str *text);

/* ---- replay.c ---- */

/* Reads the lines of an earlier run. SNUG_OK or an error with its sentence. */
int replay_read(snug_journal *j, const char *given, size_t len);
/* Lets go of calls that are held. */
void replay_free(journal_track *t);
/* The host has taken the call, which is of a track: it is answered as the journal's call of its
 * number was, when its turn comes, or refused where it is another one. On the thread that runs the
 * cell, as the next two. */
void replay_answer(journal_track *t, snug_call *call, uint64_t number);
/* Answers the calls whose turn has come, and lets go of those that are over. */
void replay_go_on(journal_track *t);
/* The call of that number is over: one that the host has never taken has no turn. */
void replay_end(journal_track *t, uint64_t number);

#endif
