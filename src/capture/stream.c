#include "capture/stream.h"

#include <snug/snug.h>

#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_BUFFER_BYTES = 64 * 1024 };

/* Without a limit this is 2^63 bytes, which nobody writes. */
static uint64_t head_limit(const stream *s)
{
    return s->limit_bytes / 2;
}

static size_t tail_limit(const stream *s)
{
    uint64_t limit = s->limit_bytes - s->limit_bytes / 2;
    return limit > SIZE_MAX ? SIZE_MAX : (size_t)limit;
}

void stream_init(stream *s, uint64_t limit_bytes)
{
    *s = (stream){ .limit_bytes = limit_bytes };
}

/* Makes the ring hold len bytes, of at most max. It is not grown once it has gone
 * round: it is at its maximum then. */
static int reserve_ring(stream *s, size_t len, size_t max)
{
    if (len <= s->ring_cap)
        return SNUG_OK;

    size_t cap = s->ring_cap > max / 2 ? max : s->ring_cap * 2;
    if (cap < len)
        cap = len;
    char *ring = realloc(s->ring, cap);
    if (!ring)
        return SNUG_ENOMEM;

    s->ring = ring;
    s->ring_cap = cap;
    return SNUG_OK;
}

/* Until the ring has max bytes it fills up from its beginning; from then on the
 * oldest byte, at ring_at, gives way. */
static int write_ring(stream *s, const char *text, size_t len)
{
    size_t max = tail_limit(s);

    if (len > max) {
        text += len - max;
        len = max;
    }

    if (len == 0)
        return SNUG_OK;

    size_t unused = max - s->ring_len;
    size_t wanted = len > unused ? max : s->ring_len + len;
    if (reserve_ring(s, wanted, max)) {
        /* The tail is the newest text in one piece, or nothing. */
        s->ring_len = s->ring_at = 0;
        return SNUG_ENOMEM;
    }

    size_t part = len < unused ? len : unused;
    memcpy(s->ring + s->ring_len, text, part);
    s->ring_len += part;
    text += part;
    len -= part;

    /* What is left goes over the oldest bytes, at most once round. */
    size_t to_end = max - s->ring_at;
    part = len < to_end ? len : to_end;
    memcpy(s->ring + s->ring_at, text, part);
    memcpy(s->ring, text + part, len - part);
    s->ring_at += len;
    if (s->ring_at >= max)
        s->ring_at -= max;
    return SNUG_OK;
}

int stream_write(stream *s, const char *text, size_t len)
{
    size_t written = 0;
    /* After a write that was dropped, the head stays as it is: text that follows a
     * gap belongs to the tail. */
    int head_is_open = s->total_bytes == s->head.len;
    uint64_t unused = head_limit(s) - s->head.len;

    s->total_bytes += len;
    if (head_is_open && unused) {
        written = len <= unused ? len : (size_t)unused;
        int error = str_append(&s->head, text, written);
        if (error)
            return error;
    }

    if (written == len)
        return SNUG_OK;
    return write_ring(s, text + written, len - written);
}

int stream_is_cut(const stream *s)
{
    return s->total_bytes != s->head.len + s->ring_len;
}

int stream_passes_limit(const stream *s, size_t len)
{
    return s->total_bytes > s->limit_bytes || len > s->limit_bytes - s->total_bytes;
}

int stream_has_room(const stream *s, size_t len)
{
    if (s->total_bytes != s->head.len)
        return !stream_passes_limit(s, len) && len < s->ring_cap - s->ring_len;
    return len <= head_limit(s) - s->head.len && len < s->head.cap - s->head.len;
}

/* What is shown: the head's first bytes, and that many of the ring from at. */
typedef struct shown {
    size_t head_len, at, left;
} shown;

static shown measure_shown(const stream *s)
{
    shown f = { s->head.len, s->ring_at, s->ring_len };

    if (stream_is_cut(s)) {
        f.head_len = utf8_whole(str_text(&s->head), s->head.len);
        /* The first bytes of the tail may be the end of a character: at most three. */
        for (int i = 0; i < 3 && f.left && (s->ring[f.at] & 0xc0) == 0x80; i++) {
            f.left--;
            f.at++;
            if (f.at == s->ring_len)
                f.at = 0;
        }
    }

    return f;
}

uint64_t stream_kept_bytes(const stream *s)
{
    shown f = measure_shown(s);
    return f.head_len + f.left;
}

int stream_text(const stream *s, str *out)
{
    /* So that nothing below fails halfway. */
    if (s->ring_len > SIZE_MAX - s->head.len - 64 ||
        str_reserve(out, s->head.len + s->ring_len + 64))
        return SNUG_ENOMEM;

    shown f = measure_shown(s);
    size_t head_len = f.head_len, at = f.at, left = f.left;
    str_append(out, str_text(&s->head), head_len);
    if (stream_is_cut(s))
        str_printf(out, "\n... %" PRIu64 " bytes left out ...\n", s->total_bytes - head_len - left);
    if (left) {
        size_t part = left < s->ring_len - at ? left : s->ring_len - at;
        str_append(out, s->ring + at, part);
        str_append(out, s->ring, left - part);
    }

    return SNUG_OK;
}

void stream_reset(stream *s, uint64_t limit_bytes)
{
    if (s->head.cap > KEPT_BUFFER_BYTES)
        str_free(&s->head);
    if (s->ring_cap > KEPT_BUFFER_BYTES) {
        free(s->ring);
        s->ring = NULL;
        s->ring_cap = 0;
    }

    str_clear(&s->head);
    s->limit_bytes = limit_bytes;
    s->total_bytes = 0;
    s->ring_len = s->ring_at = 0;
}

void stream_free(stream *s)
{
    str_free(&s->head);
    free(s->ring);
    *s = (stream){ .limit_bytes = s->limit_bytes };
}
