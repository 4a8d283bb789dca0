/*
 * capture.h - the output of a cell: two bounded streams and, where somebody
 * listens, the text as it is printed, in order.
 *
 * One thread writes (the session's). Without a listener there is no lock; with
 * one, text is also queued, and the thread that waits for the cell takes it away
 * in whole pieces, so that a slow listener never holds up the cell.
 */
#ifndef SNUG_CAPTURE_CAPTURE_H
#define SNUG_CAPTURE_CAPTURE_H

#include <pthread.h>

#include "capture/stream.h"

typedef enum capture_stream { CAPTURE_STDOUT, CAPTURE_STDERR, CAPTURE_STREAMS } capture_stream;

typedef struct capture {
    stream streams[CAPTURE_STREAMS];
    /* Called by the writer when the queue stops being empty; NULL: nobody listens. */
    void (*on_text)(void *payload);
    void *payload;
    pthread_mutex_t lock; /* guards queue */
    str queue;            /* pieces: one byte of stream, then a size_t, then text */
    size_t last_piece;    /* where the newest piece begins in queue */
} capture;

void capture_init(capture *c, void (*on_text)(void *payload), void *payload);
void capture_free(capture *c);
/* Empties both streams for the next cell. */
void capture_reset(capture *c, uint64_t limit_bytes);
/* SNUG_OK or SNUG_ENOMEM. */
int capture_write(capture *c, capture_stream which, const char *text, size_t len);
/* Takes what is queued and hands it to listener piece by piece, outside the
 * lock. Any thread but one at a time. */
void capture_drain(capture *c,
                   void (*listener)(void *payload, capture_stream which, const char *text,
                                    size_t len),
                   void *payload);

#endif
