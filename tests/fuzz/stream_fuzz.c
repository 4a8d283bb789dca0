/*
 * Rounds of a limit and writes, against all that was written: head and tail are
 * the longest that fit. The input's bytes name characters of one to four bytes;
 * in a round of raw bytes only the sizes are known.
 */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/utf8.h"
#include "capture/stream.h"

#include <inttypes.h>

enum { RAW = 1, UNLIMITED = 2, MOST_ROUNDS = 8 };

static void add(str *text, unsigned byte, int is_raw)
{
    static const char *const characters[] = { "a", "\n", "\xc3\xa9", "\xe2\x82\xac",
                                              "\xf0\x9f\x98\x80" };
    char raw = (char)byte;
    if (is_raw)
        HOLDS(str_append(text, &raw, 1) == SNUG_OK);
    else
        HOLDS(str_add(text, characters[byte % 5]) == SNUG_OK);
}

/* Without is_raw all is valid UTF-8. */
static void check(const stream *s, const str *all, int is_raw)
{
    str text = { 0 };
    const char *written = str_text(all);
    HOLDS(s->total_bytes == all->len);
    HOLDS(stream_is_cut(s) == (all->len > s->limit_bytes));
    HOLDS(stream_text(s, &text) == SNUG_OK);
    size_t kept = (size_t)stream_kept_bytes(s);
    if (!stream_is_cut(s)) {
        HOLDS(kept == all->len && text.len == all->len);
        HOLDS(!memcmp(str_text(&text), written, all->len));
        str_free(&text);
        return;
    }
    size_t limit = (size_t)s->limit_bytes, head = limit / 2, tail = all->len - (limit - limit / 2);
    char between[64];
    int between_len =
        snprintf(between, sizeof between, "\n... %zu bytes left out ...\n", all->len - kept);
    HOLDS(kept <= limit && kept + 6 >= limit);
    HOLDS(text.len == kept + (size_t)between_len);
    if (!is_raw) {
        head = utf8_floor(written, all->len, head);
        tail = utf8_ceil(written, all->len, tail);
        HOLDS(kept == head + all->len - tail);
        HOLDS(!memcmp(text.data, written, head));
        HOLDS(!memcmp(text.data + head, between, (size_t)between_len));
        HOLDS(!memcmp(text.data + head + between_len, written + tail, all->len - tail));
    }
    str_free(&text);
}

static void round_of(stream *s, input *in)
{
    unsigned flags = take_byte(in);
    uint64_t limit = take_byte(in) + (take_byte(in) % 4) * 256;
    str all = { 0 }, part = { 0 };
    stream_reset(s, flags & UNLIMITED ? UINT64_MAX : limit);
    check(s, &all, flags & RAW);
    /* A count of writes, then for each the count of characters and those. */
    for (unsigned writes = take_byte(in) % 64; writes && in->left; writes--) {
        unsigned count = take_byte(in);
        /* Long writes from short inputs. */
        unsigned times = count < 128 ? 1 : 16;
        input same = *in;
        for (unsigned t = 0; t < times; t++) {
            *in = same;
            for (unsigned i = 0; i < count % 128 && in->left; i++)
                add(&part, take_byte(in), flags & RAW);
        }
        HOLDS(stream_write(s, str_text(&part), part.len) == SNUG_OK);
        HOLDS(str_append(&all, str_text(&part), part.len) == SNUG_OK);
        str_clear(&part);
        check(s, &all, flags & RAW);
    }
    str_free(&part);
    str_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    stream s;
    stream_init(&s, 0);
    for (int i = 0; i < MOST_ROUNDS && in.left; i++)
        round_of(&s, &in);
    stream_free(&s);
    return 0;
}
