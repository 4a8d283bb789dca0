#include "cli/terminal/ticker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "cli/terminal/columns.h"
#include "cli/terminal/term.h"

/* Shorter cells of the prompt have no line, and nothing has that lasts less than a second. */
enum { FIRST_SECOND_OF_CELL = 2, FIRST_SECOND = 1 };

void ticker_format(char out[TICKER_TIME_BYTES], uint64_t seconds)
{
    unsigned long long s = seconds;

    if (s < 60)
        snprintf(out, TICKER_TIME_BYTES, "%llu s", s);
    else if (s < 3600)
        snprintf(out, TICKER_TIME_BYTES, "%llu min %llu s", s / 60, s % 60);
    else
        snprintf(out, TICKER_TIME_BYTES, "%llu h %llu min", s / 3600, s / 60 % 60);
}

/* ---- the line; the lock is held ---- */

static void write_text(const ticker *t, const char *text)
{
    ssize_t written = write(t->fd, text, strlen(text));
    (void)written;
}

static void hide_line(ticker *t)
{
    if (t->is_shown)
        write_text(t, "\r\x1b[2K");
    t->is_shown = 0;
}

/* A line that went on in the next row could not be taken back. */
static void show_line(ticker *t, uint64_t seconds)
{
    char time[TICKER_TIME_BYTES], line[TICKER_TEXT_BYTES + 64], text[sizeof line + 64];
    struct winsize size = { 0 };

    ticker_format(time, seconds);
    snprintf(line, sizeof line, "%s%s%s; Ctrl-C stops it", t->what, *t->what ? ", " : "", time);
    ioctl(t->fd, TIOCGWINSZ, &size);
    const size_t columns = size.ws_col ? size.ws_col : 80;
    const size_t fits = columns_fit(line, strlen(line), columns - 1);
    snprintf(text, sizeof text, "\r%s%.*s%s\x1b[K", t->on, (int)fits, line, t->off);
    write_text(t, text);
    t->is_shown = 1;
}

static void *serve_ticker(void *arg)
{
    ticker *t = arg;

    pthread_mutex_lock(&t->lock);
    while (!t->is_closing) {
        uint64_t now = clock_now_ns(), next = UINT64_MAX;
        if (t->began_ns) {
            const uint64_t first = *t->what ? FIRST_SECOND : FIRST_SECOND_OF_CELL;
            uint64_t seconds = (now - t->began_ns) / NS_PER_S;
            if (seconds >= first && !t->is_inside)
                show_line(t, seconds);
            seconds = seconds < first ? first - 1 : seconds;
            next = t->began_ns + (seconds + 1) * NS_PER_S;
        }
        cond_wait_until(&t->changed, &t->lock, next);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* ---- a cell ---- */

static void set_begin(ticker *t, uint64_t began_ns)
{
    t->began_ns = began_ns;
    pthread_cond_signal(&t->changed);
}

void ticker_say(ticker *t, const char *what)
{
    size_t len = strnlen(what, sizeof t->what - 1);

    while (len > 0 && ((unsigned char)what[len] & 0xc0) == 0x80)
        len--; /* a character is whole, or not there */
    memcpy(t->what, what, len);
    t->what[len] = '\0';
}

void ticker_begin(ticker *t, const char *what)
{
    if (!t->is_open)
        return;
    pthread_mutex_lock(&t->lock);
    t->is_inside = 0;
    ticker_say(t, what);
    set_begin(t, clock_now_ns());
    pthread_mutex_unlock(&t->lock);
}

int ticker_end(ticker *t)
{
    if (!t->is_open)
        return 0;
    pthread_mutex_lock(&t->lock);
    int was_shown = t->is_shown;
    hide_line(t);
    set_begin(t, 0);
    pthread_mutex_unlock(&t->lock);
    return was_shown;
}

void ticker_hold(ticker *t)
{
    if (!t || !t->is_open)
        return;
    pthread_mutex_lock(&t->lock);
    hide_line(t);
}

void ticker_let_go(ticker *t, int is_inside)
{
    if (!t || !t->is_open)
        return;
    t->is_inside = is_inside;
    pthread_mutex_unlock(&t->lock);
}

void ticker_pause(ticker *t)
{
    if (!t || !t->is_open)
        return;
    pthread_mutex_lock(&t->lock);
    hide_line(t);
    t->is_inside = 1;
    pthread_mutex_unlock(&t->lock);
}

void ticker_go_on(ticker *t)
{
    if (!t || !t->is_open)
        return;
    pthread_mutex_lock(&t->lock);
    t->is_inside = 0;
    pthread_mutex_unlock(&t->lock);
}

/* ---- life ---- */

void ticker_open(ticker *t, int fd, const char *on, const char *off)
{
    pthread_condattr_t attributes;
    sigset_t all, before;

    *t = (ticker){ .fd = fd, .on = on, .off = off };
    if (!isatty(fd) || !term_has_sequences())
        return;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    sigfillset(&all); /* signals are for who waits for them */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    t->is_open = pthread_create(&t->thread, NULL, serve_ticker, t) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void ticker_close(ticker *t)
{
    if (!t->is_open)
        return;
    pthread_mutex_lock(&t->lock);
    t->is_closing = 1;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
    pthread_join(t->thread, NULL);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->changed);
    t->is_open = 0;
}
