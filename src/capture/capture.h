/*
 * capture.h - the output of a cell: two bounded streams, a file for each that goes over
 * its limit, displays, and, where somebody listens, all of it as it comes, in order.
 *
 * One thread writes (the session's). With a listener, text and displays are also queued,
 * and the thread that waits for the cell takes them away in whole pieces, so that a slow
 * listener never holds up the cell.
 */
#ifndef SNUG_CAPTURE_CAPTURE_H
#define SNUG_CAPTURE_CAPTURE_H

#include <pthread.h>

#include "capture/display.h"
#include "capture/spill.h"
#include "capture/stream.h"

typedef enum capture_stream { CAPTURE_STDOUT, CAPTURE_STDERR, CAPTURE_STREAMS } capture_stream;

/* What happens to the displays of a cell. */
typedef enum capture_event { CAPTURE_SHOW, CAPTURE_UPDATE, CAPTURE_CLEAR } capture_event;

typedef struct capture {
    stream streams[CAPTURE_STREAMS];
    spill spills[CAPTURE_STREAMS];
    display_list displays;
    int clears_next; /* what comes next takes the place of all that there is */
    spill_place place;
    uint64_t number; /* of the cell, for the names of its files */
    /* Held by the writer, against nobody else: a thread that holds a lock is not torn out
     * of its code (limits/guard.h), and so leaves no buffer that was moved and not noted,
     * and no descriptor. */
    pthread_mutex_t whole;
    /* Not zero: the cell is being stopped, and a write that is long shall come to its
     * end. NULL: never. The caller's. */
    const _Atomic int *is_stopping;
    /* Called by the writer when the queue stops being empty; NULL: nobody listens. */
    void (*on_text)(void *payload);
    void *payload;
    /* The listener hears nothing before the end of the cell: what is over CAPTURE_TOLD_BYTES it
     * does not hear at all. */
    int is_told_at_end;
    pthread_mutex_t lock;   /* guards queue */
    str queue;              /* pieces: one byte of kind, then a size_t, then that many bytes */
    size_t last_piece;      /* where the newest piece begins in queue */
    uint64_t waiting_bytes; /* of the queue, and of the displays in it */
} capture;

void capture_init(capture *c, void (*on_text)(void *payload), void *payload);
void capture_free(capture *c);
/* From now on there can be spill files, in dir, which the caller keeps. */
void capture_spill_to(capture *c, const char *dir, const _Atomic int *is_stopping);
/* Empties both streams and the displays for the next cell. */
void capture_reset(capture *c, uint64_t limit_bytes, uint64_t display_bytes);
/* After that: a stream of this cell that goes over its limit is written to a file, from
 * its first byte, while the cell's files have no more than room(payload), asked when the
 * first of them is made. */
void capture_allow_spill(capture *c, uint64_t number, uint64_t (*room)(void *payload),
                         void *payload);
/* On the writer's thread, whose table has the descriptors, when nothing is written any more
 * or the writer was torn out: the files are whole, and what is printed from now on goes to
 * none. */
void capture_finish(capture *c);
/* SNUG_OK or SNUG_ENOMEM. */
int capture_write(capture *c, capture_stream which, const char *text, size_t len);
/* How much a display may count now; see display_list_room. */
uint64_t capture_room(const capture *c, const char *id);
/* Shows d, which the caller has made and keeps its reference of. 1: it is in the list;
 * 0: it would be over the limit, and is dropped; SNUG_ENOMEM. */
int capture_display(capture *c, display *d);
/* Forgets what the cell has written and displayed so far; with waits, when it writes or
 * displays something next. A spill file that has been begun stays. SNUG_OK or SNUG_ENOMEM. */
int capture_clear(capture *c, int waits);

typedef struct capture_listener {
    void (*on_text)(void *payload, capture_stream which, const char *text, size_t len);
    void (*on_display)(void *payload, capture_event event, const display *d); /* NULL with CLEAR */
    void *payload;
} capture_listener;

/* What waits for the listener is no more than this, and what is written at once: see
 * capture_is_full. */
enum { CAPTURE_WAITING_BYTES = 1024 * 1024, CAPTURE_TOLD_BYTES = 16 * 1024 * 1024 };

/* The listener is behind: a writer who can had better wait. It gets whole characters, also of a
 * text that is written in several pieces, if each is whole. Any thread. */
int capture_is_full(capture *c);

/* Takes what is queued and hands it to the listener piece by piece, outside the lock; either
 * call may be NULL. Any thread but one at a time. 1: it was full. */
int capture_drain(capture *c, const capture_listener *listener);

#endif
