#include "capture/capture.h"

#include <snug/snug.h>

#include <string.h>

void capture_init(capture *c, void (*on_text)(void *payload), void *payload)
{
    *c = (capture){ .on_text = on_text, .payload = payload };
    pthread_mutex_init(&c->lock, NULL);
    for (int i = 0; i < CAPTURE_STREAMS; i++)
        stream_init(&c->streams[i], SNUG_UNLIMITED);
}

void capture_free(capture *c)
{
    for (int i = 0; i < CAPTURE_STREAMS; i++)
        stream_free(&c->streams[i]);
    str_free(&c->queue);
    pthread_mutex_destroy(&c->lock);
}

void capture_reset(capture *c, uint64_t limit_bytes)
{
    for (int i = 0; i < CAPTURE_STREAMS; i++)
        stream_reset(&c->streams[i], limit_bytes);
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
    return stream_write(&c->streams[which], text, len);
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
