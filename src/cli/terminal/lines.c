#include "cli/terminal/lines.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#include <snug/snug.h>

enum { CHUNK_BYTES = 64 * 1024 };

void lines_init(lines *l, int fd, int wake, size_t most_bytes)
{
    *l = (lines){ .fd = fd, .wake = wake, .most_bytes = most_bytes };
}

void lines_free(lines *l)
{
    str_free(&l->buffer);
}

/* Drops what was handed out, so that the buffer does not grow with the input. */
static void compact_buffer(lines *l)
{
    if (l->at == 0)
        return;
    memmove(l->buffer.data, l->buffer.data + l->at, l->buffer.len - l->at);
    l->buffer.len -= l->at;
    l->looked -= l->at;
    l->at = 0;
}

/* LINES_LINE when there is more to look at. */
static lines_event fill_buffer(lines *l)
{
    struct pollfd fds[] = { { l->fd, POLLIN, 0 }, { l->wake, POLLIN, 0 } };

    compact_buffer(l);
    if (poll(fds, 2, -1) < 0) {
        if (errno == EINTR)
            return LINES_LINE;
        error_system("poll");
        return LINES_FAILED;
    }

    if (fds[1].revents)
        return LINES_WOKEN;
    if (str_reserve(&l->buffer, CHUNK_BYTES)) {
        error_no_memory();
        return LINES_FAILED;
    }

    ssize_t got = read(l->fd, l->buffer.data + l->buffer.len, CHUNK_BYTES);
    if (got < 0) {
        if (errno == EINTR || errno == EAGAIN)
            return LINES_LINE;
        error_system("<stdin>");
        return LINES_FAILED;
    }

    l->is_at_end = got == 0;
    l->buffer.len += (size_t)got;
    return LINES_LINE;
}

/* Hands out buffer[at, end) and goes on at next. */
static lines_event hand_out(lines *l, size_t end, size_t next, const char **text, size_t *len)
{
    int was_long = l->is_long || end - l->at > l->most_bytes;
    *text = l->buffer.data + l->at;
    *len = end - l->at;
    l->at = l->looked = next;
    l->is_long = 0;
    return was_long ? LINES_LONG : LINES_LINE;
}

lines_event lines_next(lines *l, const char **text, size_t *len)
{
    for (;;) {
        const char *data = l->buffer.data, *end = NULL;
        if (l->looked < l->buffer.len)
            end = memchr(data + l->looked, '\n', l->buffer.len - l->looked);
        if (end) {
            size_t at = (size_t)(end - data);
            return hand_out(l, at, at + 1, text, len);
        }

        if (l->is_at_end && (l->at < l->buffer.len || l->is_long))
            return hand_out(l, l->buffer.len, l->buffer.len, text, len);
        if (l->is_at_end)
            return LINES_END;

        /* What is past the bound is passed over as it comes. */
        l->looked = l->buffer.len;
        if (l->looked - l->at > l->most_bytes) {
            l->is_long = 1;
            l->at = l->looked;
        }

        lines_event event = fill_buffer(l);
        if (event != LINES_LINE)
            return event;
    }
}
