/* However a stream is cut, its events are those that a plain reading of the standard gives for
 * the whole of it. The first byte is the size of the pieces. */
#include "fuzz.h"

#include <snug/snug.h>

#include "base/str.h"
#include "wire/sse.h"

enum { MOST_BYTES = 1 << 20 };

static int note(void *payload, const char *event, const char *data, size_t len)
{
    str *out = payload;
    HOLDS(data[len] == '\0');
    HOLDS(str_add(out, event) == SNUG_OK && str_append(out, "\0", 1) == SNUG_OK);
    HOLDS(str_append(out, data, len) == SNUG_OK && str_append(out, "\0\xff", 2) == SNUG_OK);
    return SNUG_OK;
}

/* The line, and whether it has an end; goes past both. */
static int next_line(input *in, input *line)
{
    size_t len = 0;
    while (len < in->left && in->at[len] != '\r' && in->at[len] != '\n')
        len++;
    if (len == in->left)
        return 0;
    *line = (input){ in->at, len };
    size_t end = len + 2 <= in->left && memcmp(in->at + len, "\r\n", 2) == 0 ? 2 : 1;
    in->at += len + end;
    in->left -= len + end;
    return 1;
}

static int is_field(const char *name, input line, input *value)
{
    size_t len = strlen(name);
    if (line.left < len || memcmp(line.at, name, len) != 0)
        return 0;
    *value = (input){ line.at + len, line.left - len };
    if (value->left == 0)
        return 1;
    if (*value->at != ':')
        return 0;
    value->at++, value->left--;
    if (value->left && *value->at == ' ')
        value->at++, value->left--;
    return 1;
}

/* The standard's rules, one after the other. */
static void read_plainly(str *out, input text)
{
    str event = { 0 }, data = { 0 };
    input line, value;
    if (text.left >= 3 && memcmp(text.at, "\xef\xbb\xbf", 3) == 0)
        text.at += 3, text.left -= 3;
    while (next_line(&text, &line)) {
        if (line.left == 0) {
            /* Each line of data ended with an LF, and the last of them is taken away. */
            if (data.len)
                note(out, event.len ? event.data : "message",
                     (data.data[data.len - 1] = '\0', data.data), data.len - 1);
            str_clear(&event);
            str_clear(&data);
        } else if (is_field("data", line, &value)) {
            HOLDS(str_append(&data, value.at, value.left) == SNUG_OK);
            HOLDS(str_add(&data, "\n") == SNUG_OK);
        } else if (is_field("event", line, &value)) {
            str_clear(&event);
            HOLDS(str_append(&event, value.at, value.left) == SNUG_OK);
        }
    }
    str_free(&event);
    str_free(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = input_of(data, size);
    size_t piece = take_byte(&in) % 16 + 1;
    str ours = { 0 }, plain = { 0 };
    sse s;
    read_plainly(&plain, in);
    sse_init(&s, MOST_BYTES, note, &ours);
    while (in.left) {
        size_t len = piece < in.left ? piece : in.left;
        char *copy = copy_of(in.at, len);
        HOLDS(sse_feed(&s, copy, len) == SNUG_OK);
        free(copy);
        in.at += len;
        in.left -= len;
    }
    HOLDS(ours.len == plain.len);
    HOLDS(!ours.len || memcmp(ours.data, plain.data, ours.len) == 0);
    sse_free(&s);
    str_free(&ours);
    str_free(&plain);
    return 0;
}
