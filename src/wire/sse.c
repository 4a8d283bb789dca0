#include "wire/sse.h"

#include <snug/snug.h>

#include <string.h>

#include "base/ascii.h"

void sse_init(sse *s, size_t most_bytes, sse_fn *on_event, void *payload)
{
    *s = (sse){ .on_event = on_event, .payload = payload, .most_bytes = most_bytes };
}

void sse_free(sse *s)
{
    str_free(&s->line);
    str_free(&s->event);
    str_free(&s->data);
}

static int append_within(str *out, const char *bytes, size_t len, size_t most_bytes)
{
    if (len > most_bytes - out->len)
        return SNUG_EINVAL;
    return str_append(out, bytes, len);
}

/* The empty line: the event is whole. */
static int dispatch_event(sse *s)
{
    int error = SNUG_OK;

    if (s->has_data)
        error = s->on_event(s->payload, s->event.len ? s->event.data : "message",
                            str_text(&s->data), s->data.len);

    str_clear(&s->event);
    str_clear(&s->data);
    s->has_data = 0;
    return error;
}

static int add_event_data(sse *s, const char *value, size_t len)
{
    int error = SNUG_OK;
    if (s->has_data)
        error = append_within(&s->data, "\n", 1, s->most_bytes);
    s->has_data = 1;
    return error ? error : append_within(&s->data, value, len, s->most_bytes);
}

static int is_field(const char *name, size_t len, const char *wanted)
{
    return len == strlen(wanted) && memcmp(name, wanted, len) == 0;
}

static int read_event_line(sse *s)
{
    static const char mark[] = "\xef\xbb\xbf";
    const char *line = str_text(&s->line);
    size_t len = s->line.len;

    if (!s->past_line && len >= 3 && memcmp(line, mark, 3) == 0) {
        line += 3;
        len -= 3;
    }

    s->past_line = 1;
    if (len == 0)
        return dispatch_event(s);

    const char *colon = memchr(line, ':', len), *end = line + len, *value = end;
    size_t name_len = len;
    if (colon) {
        name_len = (size_t)(colon - line);
        value = colon + 1;
    }

    if (value < end && *value == ' ')
        value++;

    size_t value_len = (size_t)(end - value);
    if (is_field(line, name_len, "data"))
        return add_event_data(s, value, value_len);
    if (is_field(line, name_len, "event")) {
        str_clear(&s->event);
        return str_append(&s->event, value, value_len);
    }
    return SNUG_OK; /* "id", "retry", a comment, or what is not known */
}

int sse_feed(sse *s, const char *bytes, size_t len)
{
    const char *end = bytes + len;

    while (bytes < end) {
        if (s->after_cr && *bytes == '\n')
            bytes++;
        s->after_cr = 0;
        const char *from = bytes;
        while (bytes < end && *bytes != '\r' && *bytes != '\n')
            bytes++;
        int error = append_within(&s->line, from, (size_t)(bytes - from), s->most_bytes);
        if (error)
            return error;
        if (bytes == end)
            break;
        s->after_cr = *bytes++ == '\r';
        error = read_event_line(s);
        str_clear(&s->line);
        if (error)
            return error;
    }

    return SNUG_OK;
}
