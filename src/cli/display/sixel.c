#include "cli/display/sixel.h"

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/process/child.h"

enum {
    MOST_MS = 10000,
    MOST_BYTES = 64 << 20,
    MOST_PIXELS = 50 << 20,
    IHDR_END = 24 /* signature, length, "IHDR", width, height */
};

/* ---- what comes back ---- */

/* ESC P numbers q, sixels and their attributes, ESC \ (DEC STD 070, chapter 9). */
int sixel_is_one(const char *text, size_t len)
{
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    if (len < 5 || memcmp(text, "\x1bP", 2) != 0 || memcmp(text + len - 2, "\x1b\\", 2) != 0)
        return 0;

    size_t at = 2, end = len - 2;
    while (at < end && (is_digit(text[at]) || text[at] == ';'))
        at++;
    if (text[at++] != 'q')
        return 0;
    for (; at < end; at++)
        if ((text[at] < '!' || text[at] > '~') && text[at] != '\n' && text[at] != '\r')
            return 0;
    return 1;
}

/* ---- the picture ---- */

static uint32_t number_at(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* 0: there is no header, or the picture is larger than any screen. */
static size_t width_of_png(const str *png)
{
    if (png->len < IHDR_END || memcmp(png->data + 12, "IHDR", 4) != 0)
        return 0;
    uint64_t width = number_at(png->data + 16), height = number_at(png->data + 20);
    return width * height <= MOST_PIXELS ? (size_t)width : 0;
}

/* ---- the process ---- */

/* 0: it has answered in time, and within the bound. */
static int talk(child *c, str *answer, const str *png)
{
    uint64_t until = clock_deadline_ns(clock_now_ns(), MOST_MS);
    size_t written = 0;
    str complaint = { 0 };

    while (c->out >= 0 && clock_now_ns() < until && answer->len < MOST_BYTES) {
        struct pollfd fds[] = { { c->out, POLLIN, 0 },
                                { c->err, POLLIN, 0 },
                                { c->in, POLLOUT, 0 } };
        uint64_t left = until - clock_now_ns();
        if (left > MOST_MS * NS_PER_MS)
            break;
        poll(fds, 3, (int)(left / NS_PER_MS) + 1);
        child_write(c, png->data, png->len, &written, 1);
        child_read(&c->out, answer, MOST_BYTES);
        if (c->err >= 0)
            child_read(&c->err, &complaint, 4096);
    }

    str_free(&complaint);
    return c->out < 0 ? 0 : -1;
}

int sixel_of_png(str *out, const str *png, size_t most_width)
{
    char program[] = "/proc/self/exe", word[] = "sixels", width[24];
    char *arguments[] = { program, word, width, NULL }, *env[] = { NULL };
    size_t own = width_of_png(png);
    str answer = { 0 };
    child c;

    if (own == 0)
        return -1;
    snprintf(width, sizeof width, "%zu", own > most_width ? most_width : (size_t)0);
    if (child_start_program(&c, arguments, env))
        return -1;
    int failed = talk(&c, &answer, png);
    if (failed)
        child_kill(&c);
    else
        child_wait(&c);
    failed |= c.status != 0;
    child_free(&c);

    if (!failed && sixel_is_one(str_text(&answer), answer.len))
        failed = str_append(out, answer.data, answer.len);
    else
        failed = -1;
    str_free(&answer);
    return failed ? -1 : 0;
}
