#include "cli/prompt/ticker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

enum { FIRST_SECOND = 2 /* shorter cells have no line */ };

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

static void write_text(const char *text)
{
    ssize_t written = write(STDOUT_FILENO, text, strlen(text));
    (void)written;
}

static void hide_line(ticker *t)
{
    if (t->is_shown)
        write_text("\r\x1b[2K");
    t->is_shown = 0;
}

static void show_line(ticker *t, uint64_t seconds)
{
    char time[TICKER_TIME_BYTES], text[128];

    ticker_format(time, seconds);
    snprintf(text, sizeof text, "\r%s%s; Ctrl-C stops it%s\x1b[K", t->on, time, t->off);
    write_text(text);
    t->is_shown = 1;
}

static void *serve_ticker(void *arg)
{
    ticker *t = arg;

    pthread_mutex_lock(&t->lock);
    while (!t->is_closing) {
        uint64_t now = clock_now_ns(), next = UINT64_MAX;
        if (t->began_ns) {
            uint64_t seconds = (now - t->began_ns) / NS_PER_S;
            if (seconds >= FIRST_SECOND && !t->is_inside)
                show_line(t, seconds);
            seconds = seconds < FIRST_SECOND ? FIRST_SECOND - 1 : seconds;
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

void ticker_begin(ticker *t)
{
    if (!t->is_open)
        return;
    pthread_mutex_lock(&t->lock);
    t->is_inside = 0;
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

void ticker_open(ticker *t, const char *on, const char *off)
{
    const char *terminal = getenv("TERM");
    pthread_condattr_t attributes;

    *t = (ticker){ .on = on, .off = off };
    if (!isatty(STDOUT_FILENO) || !terminal || !*terminal || strcmp(terminal, "dumb") == 0)
        return;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    t->is_open = pthread_create(&t->thread, NULL, serve_ticker, t) == 0;
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
