/* Any bytes are messages up to the first that is none, however the stream is split; and memory
 * grows with what has come, not with what a header announces. */
#include "fuzz.h"

#include "worker/protocol/frame.h"

enum { STEP_BYTES = 4 << 20 };

typedef struct told {
    uint64_t frames, sum;
    int has_ended; /* by what is not a message */
} told;

static void tell(told *t, frame *f)
{
    HOLDS(f->kind < FRAME_KINDS);
    t->frames++;
    t->sum = t->sum * 31 + (uint64_t)f->kind + f->channel + f->number + f->body.len;
    for (size_t i = 0; i < f->body.len; i++)
        t->sum = t->sum * 31 + (unsigned char)f->body.data[i];
    if (f->body.len > 0)
        HOLDS(f->body.data[f->body.len] == '\0');
    frame_free(f);
}

/* splits: the lengths that are read at a time, again and again; none: all that there is room for.
 */
static told read_stream(const char *data, size_t len, const char *splits, size_t split_count)
{
    told t = { 0 };
    frame_reader reader = { 0 };
    for (size_t at = 0, turn = 0; at < len && !t.has_ended; turn++) {
        frame f;
        size_t room, most = len - at;
        char *to = frame_room(&reader, &room);
        HOLDS(to && room > 0);
        HOLDS(reader.next.body.cap <= 2 * len + STEP_BYTES);
        if (split_count && (unsigned char)splits[turn % split_count] + 1u < most)
            most = (unsigned char)splits[turn % split_count] + 1u;
        most = most < room ? most : room;
        memcpy(to, data + at, most);
        at += most;
        int took = frame_took(&f, &reader, most);
        if (took > 0)
            tell(&t, &f);
        t.has_ended = took < 0;
    }
    frame_reader_free(&reader);
    return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    size_t splits = take_byte(&in) % 16;
    splits = splits < in.left ? splits : in.left;
    const char *stream = in.at + splits;
    told whole = read_stream(stream, in.left - splits, NULL, 0);
    told split = read_stream(stream, in.left - splits, in.at, splits);
    HOLDS(whole.frames == split.frames && whole.sum == split.sum);
    HOLDS(whole.has_ended == split.has_ended);
    return 0;
}
