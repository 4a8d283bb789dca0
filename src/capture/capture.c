#include "capture/capture.h"

#include <snug/snug.h>

#include <stdatomic.h>
#include <string.h>

void capture_init(capture *c, void (*on_text)(void *payload), void *payload)
{
    *c = (capture){ .on_text = on_text, .payload = payload };
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->whole, NULL);
    for (int i = 0; i < CAPTURE_STREAMS; i++)
        stream_init(&c->streams[i], SNUG_UNLIMITED);
}

void capture_free(capture *c)
{
    for (int i = 0; i < CAPTURE_STREAMS; i++) {
        spill_close(&c->spills[i]);
        stream_free(&c->streams[i]);
    }

    capture_drain(c, &(capture_listener){ 0 });
    display_list_free(&c->displays);
    str_free(&c->queue);
    pthread_mutex_destroy(&c->whole);
    pthread_mutex_destroy(&c->lock);
}

void capture_spill_to(capture *c, const char *dir, const _Atomic int *is_stopping)
{
    spill_place_init(&c->place, dir);
    c->is_stopping = is_stopping;
}

void capture_reset(capture *c, uint64_t limit_bytes, uint64_t display_bytes)
{
    c->clears_next = 0;
    display_list_reset(&c->displays, display_bytes);
    for (int i = 0; i < CAPTURE_STREAMS; i++) {
        spill_close(&c->spills[i]);
        c->spills[i].state = SPILL_NONE;
        stream_reset(&c->streams[i], limit_bytes);
    }
}

void capture_allow_spill(capture *c, uint64_t number, uint64_t (*room)(void *payload),
                         void *payload)
{
    c->number = number;
    c->place.room = room;
    c->place.payload = payload;
    c->place.has_asked = 0;
    c->place.used_bytes = 0;
    for (int i = 0; i < CAPTURE_STREAMS; i++)
        c->spills[i].state = SPILL_READY;
}

void capture_finish(capture *c)
{
    /* A fault does not wait for a lock to be given back. */
    pthread_mutex_init(&c->whole, NULL);
    for (int i = 0; i < CAPTURE_STREAMS; i++)
        spill_close(&c->spills[i]);
}

enum { PIECE_HEADER = 1 + sizeof(size_t), PIECE_EVENT = CAPTURE_STREAMS };

/* Starts a piece, or lengthens the newest one if it is of the same stream, so that a loop of
 * prints is one call of the listener. The lock is held. */
static int enqueue_piece(capture *c, char kind, const void *data, size_t len)
{
    if (str_reserve(&c->queue, PIECE_HEADER + len) != SNUG_OK)
        return SNUG_ENOMEM;

    if (kind != PIECE_EVENT && c->queue.len > 0 && c->queue.data[c->last_piece] == kind) {
        char *size_at = c->queue.data + c->last_piece + 1;
        size_t size;
        memcpy(&size, size_at, sizeof size);
        size += len;
        memcpy(size_at, &size, sizeof size);
    } else {
        char header[PIECE_HEADER] = { kind };
        memcpy(header + 1, &len, sizeof len);
        c->last_piece = c->queue.len;
        str_append(&c->queue, header, sizeof header);
    }

    return str_append(&c->queue, data, len);
}

/* For the listener, if there is one. bytes: what it takes in memory as it waits. 1: the listener
 * will not hear of it; SNUG_OK or SNUG_ENOMEM. */
static int pass_to_listener(capture *c, char kind, const void *data, size_t len, uint64_t bytes)
{
    if (!c->on_text || len == 0)
        return 1;

    int error = 1;
    pthread_mutex_lock(&c->lock);
    int was_empty = c->queue.len == 0;
    int is_over = c->is_told_at_end && bytes > CAPTURE_TOLD_BYTES - c->waiting_bytes;
    if (!is_over)
        error = enqueue_piece(c, kind, data, len);
    if (!error)
        c->waiting_bytes += bytes;
    pthread_mutex_unlock(&c->lock);
    if (!error && was_empty)
        c->on_text(c->payload);
    return error;
}

/* As it lies in a piece. */
typedef struct event {
    capture_event what;
    display *shown; /* a reference; NULL: none */
} event;

static int pass_event(capture *c, capture_event what, display *d)
{
    event e = { what, NULL };
    uint64_t bytes = sizeof e + PIECE_HEADER;

    if (d && c->on_text) {
        e.shown = display_hold(d);
        bytes += display_bytes(d);
    }

    int error = pass_to_listener(c, PIECE_EVENT, &e, sizeof e, bytes);
    if (error)
        display_drop(e.shown);
    return error < 0 ? error : SNUG_OK;
}

/* Head and ring are all that was written before, in order, while nothing was dropped. */
static void begin_spill(capture *c, capture_stream which)
{
    static const char *const prefixes[CAPTURE_STREAMS] = { "out", "err" };
    const stream *s = &c->streams[which];
    spill *file = &c->spills[which];

    if (stream_is_cut(s)) {
        file->state = SPILL_NONE;
        return;
    }

    spill_begin(file, &c->place, prefixes[which], c->number);
    spill_write(file, str_text(&s->head), s->head.len);
    spill_write(file, s->ring, s->ring_len);
}

/* In pieces, between which a stop finds the writer: a write of a long text does not
 * outlast it. */
static void write_spill(capture *c, capture_stream which, const char *text, size_t len)
{
    spill *file = &c->spills[which];

    if (file->state == SPILL_READY)
        begin_spill(c, which);
    while (len > 0 && file->state == SPILL_OPEN) {
        size_t part = len < SPILL_BUFFER_BYTES ? len : SPILL_BUFFER_BYTES;
        spill_write(file, text, part);
        text += part;
        len -= part;
        if (len == 0)
            break;
        pthread_mutex_unlock(&c->whole);
        pthread_mutex_lock(&c->whole);
        if (c->is_stopping && atomic_load_explicit(c->is_stopping, memory_order_relaxed))
            spill_end(file);
    }
}

/* A write that may move a buffer, wrap it round or open a file: under the lock, so that the writer
 * is not torn out of it. */
static int write_whole(capture *c, capture_stream which, const char *text, size_t len)
{
    stream *s = &c->streams[which];

    pthread_mutex_lock(&c->whole);
    if (stream_passes_limit(s, len))
        write_spill(c, which, text, len);
    int error = stream_write(s, text, len);
    pthread_mutex_unlock(&c->whole);
    return error;
}

/* ---- displays ---- */

/* The file has what is forgotten; if the stream goes over its limit again, there is another. */
static void forget_stream(capture *c, capture_stream which)
{
    stream *s = &c->streams[which];
    spill *file = &c->spills[which];

    if (file->state == SPILL_OPEN) {
        spill_close(file);
        file->state = SPILL_READY;
    }

    stream_reset(s, s->limit_bytes);
}

static int clear_now(capture *c)
{
    pthread_mutex_lock(&c->whole);
    c->clears_next = 0;
    forget_stream(c, CAPTURE_STDOUT);
    forget_stream(c, CAPTURE_STDERR);
    display_list_clear(&c->displays);
    pthread_mutex_unlock(&c->whole);
    return pass_event(c, CAPTURE_CLEAR, NULL);
}

int capture_clear(capture *c, int waits)
{
    if (waits) {
        c->clears_next = 1;
        return SNUG_OK;
    }
    return clear_now(c);
}

uint64_t capture_room(const capture *c, const char *id)
{
    if (c->clears_next)
        return c->displays.limit_bytes;
    return display_list_room(&c->displays, id);
}

int capture_display(capture *c, display *d)
{
    if (c->clears_next) {
        int error = clear_now(c);
        if (error)
            return error;
    }

    for (int i = 0; i < CAPTURE_STREAMS; i++)
        d->after[i] = c->streams[i].total_bytes;
    capture_event what = d->is_update ? CAPTURE_UPDATE : CAPTURE_SHOW;
    pthread_mutex_lock(&c->whole);
    int answer = display_list_add(&c->displays, d);
    pthread_mutex_unlock(&c->whole);
    if (answer == 1 && pass_event(c, what, d) != SNUG_OK)
        return SNUG_ENOMEM;
    return answer;
}

/* ---- text ---- */

int capture_write(capture *c, capture_stream which, const char *text, size_t len)
{
    if (c->clears_next && len > 0 && clear_now(c) != SNUG_OK)
        return SNUG_ENOMEM;
    if (pass_to_listener(c, (char)which, text, len, len) < 0)
        return SNUG_ENOMEM;

    stream *s = &c->streams[which];
    if (stream_has_room(s, len))
        return stream_write(s, text, len);
    return write_whole(c, which, text, len);
}

static void hand_piece(const capture_listener *listener, char kind, const char *data, size_t len)
{
    event e;

    if (kind != PIECE_EVENT) {
        if (listener->on_text)
            listener->on_text(listener->payload, (capture_stream)kind, data, len);
        return;
    }

    memcpy(&e, data, sizeof e);
    if (listener->on_display)
        listener->on_display(listener->payload, e.what, e.shown);
    display_drop(e.shown);
}

int capture_is_full(capture *c)
{
    if (!c->on_text || c->is_told_at_end)
        return 0;
    pthread_mutex_lock(&c->lock);
    int is_full = c->waiting_bytes >= CAPTURE_WAITING_BYTES;
    pthread_mutex_unlock(&c->lock);
    return is_full;
}

int capture_drain(capture *c, const capture_listener *listener)
{
    pthread_mutex_lock(&c->lock);
    str taken = c->queue;
    int was_full = c->waiting_bytes >= CAPTURE_WAITING_BYTES;
    c->queue = (str){ 0 };
    c->last_piece = 0;
    c->waiting_bytes = 0;
    pthread_mutex_unlock(&c->lock);

    for (size_t at = 0; at < taken.len;) {
        size_t size;
        memcpy(&size, taken.data + at + 1, sizeof size);
        hand_piece(listener, taken.data[at], taken.data + at + PIECE_HEADER, size);
        at += PIECE_HEADER + size;
    }

    str_free(&taken);
    return was_full;
}
