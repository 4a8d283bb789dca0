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
    str_free(&c->queue);
    pthread_mutex_destroy(&c->whole);
    pthread_mutex_destroy(&c->lock);
}

void capture_spill_to(capture *c, const char *dir, const _Atomic int *is_stopping)
{
    spill_place_init(&c->place, dir);
    c->is_stopping = is_stopping;
}

void capture_reset(capture *c, uint64_t limit_bytes)
{
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

enum { PIECE_HEADER = 1 + sizeof(size_t) };

/* Lengthens the newest piece if it is of the same stream, so that a loop of
 * prints is one call of the listener. */
static int enqueue(capture *c, capture_stream which, const char *text, size_t len)
{
    char header[PIECE_HEADER] = { (char)which };
    size_t size = len;
    int extends = c->queue.len > 0 && c->queue.data[c->last_piece] == (char)which;
    if (str_reserve(&c->queue, PIECE_HEADER + len) != SNUG_OK)
        return SNUG_ENOMEM;
    if (extends) {
        memcpy(&size, c->queue.data + c->last_piece + 1, sizeof size);
        size += len;
        memcpy(c->queue.data + c->last_piece + 1, &size, sizeof size);
    } else {
        c->last_piece = c->queue.len;
        memcpy(header + 1, &size, sizeof size);
        str_append(&c->queue, header, sizeof header);
    }
    return str_append(&c->queue, text, len);
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

/* What may move a buffer, wrap it round or open a file. */
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

int capture_write(capture *c, capture_stream which, const char *text, size_t len)
{
    if (c->on_text && len > 0) {
        pthread_mutex_lock(&c->lock);
        int was_empty = c->queue.len == 0;
        int error = enqueue(c, which, text, len);
        pthread_mutex_unlock(&c->lock);
        if (error)
            return error;
        if (was_empty)
            c->on_text(c->payload);
    }
    stream *s = &c->streams[which];
    return stream_has_room(s, len) ? stream_write(s, text, len) : write_whole(c, which, text, len);
}

void capture_drain(capture *c,
                   void (*listener)(void *payload, capture_stream which, const char *text,
                                    size_t len),
                   void *payload)
{
    pthread_mutex_lock(&c->lock);
    str taken = c->queue;
    c->queue = (str){ 0 };
    c->last_piece = 0;
    pthread_mutex_unlock(&c->lock);
    for (size_t at = 0; at < taken.len;) {
        size_t size;
        memcpy(&size, taken.data + at + 1, sizeof size);
        listener(payload, (capture_stream)taken.data[at], taken.data + at + PIECE_HEADER, size);
        at += PIECE_HEADER + size;
    }
    str_free(&taken);
}
