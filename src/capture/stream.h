/*
 * stream.h - what a cell printed to one stream: head and tail within a limit.
 *
 * Text is UTF-8. While the total is within the limit everything is kept; past
 * it, the first half of the limit and the newest bytes that fill the other half.
 * Cuts are at characters. Not synchronised: its owner's lock or thread guards it.
 */
#ifndef SNUG_CAPTURE_STREAM_H
#define SNUG_CAPTURE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct stream {
    uint64_t limit_bytes;
    uint64_t total_bytes; /* written so far */
    str head;
    char *ring; /* the newest bytes past the head, once it is full */
    size_t ring_cap, ring_len, ring_at;
} stream;

void stream_init(stream *s, uint64_t limit_bytes);
/* SNUG_OK or SNUG_ENOMEM; then the total is right and the text is dropped. */
int stream_write(stream *s, const char *text, size_t len);
/* What is kept, into out: all of it, or head, a line
 * "\n... 12345 bytes left out ...\n", tail. SNUG_OK or SNUG_ENOMEM. */
int stream_text(const stream *s, str *out);
int stream_is_cut(const stream *s);
/* Whether len bytes more would be over the limit. */
int stream_passes_limit(const stream *s, size_t len);
/* Whether they are within it, and a write of them only copies: a writer that is torn out
 * of that leaves a stream that may have counted them and not have them. */
int stream_has_room(const stream *s, size_t len);
/* How many of the written bytes that text shows. */
uint64_t stream_kept_bytes(const stream *s);
/* Empties it for the next cell; buffers up to 64 KiB are kept. */
void stream_reset(stream *s, uint64_t limit_bytes);
void stream_free(stream *s);

#endif
