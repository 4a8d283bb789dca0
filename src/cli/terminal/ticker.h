/*
 * ticker.h - says below what is going on for how long it has, and how it is stopped.
 *
 * It has a thread, which writes to the terminal while nothing else does: whoever writes there holds
 * the ticker meanwhile. Its line stands where a line would begin, and goes before anything else is
 * written.
 */
#ifndef SNUG_CLI_TICKER_H
#define SNUG_CLI_TICKER_H

#include <pthread.h>
#include <stdint.h>

enum { TICKER_TEXT_BYTES = 160 };

typedef struct ticker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int fd;            /* of the terminal */
    uint64_t began_ns; /* 0: nothing goes on, or it waits for a line of input */
    char what[TICKER_TEXT_BYTES];
    int is_open, is_closing;
    int is_inside; /* a line has been begun: there is no place */
    int is_shown;
    const char *on, *off; /* how it looks */
} ticker;

/* On a terminal that has sequences; elsewhere, or where there is no thread, it says nothing. */
void ticker_open(ticker *t, int fd, const char *on, const char *off);
/* what: what goes on, clean text that stands before its time; "": a cell of the prompt. */
void ticker_begin(ticker *t, const char *what);
/* Says otherwise what goes on; its time stays. The caller holds the ticker. */
void ticker_say(ticker *t, const char *what);
/* 1: the line was there, with what the terminal has added to it. */
int ticker_end(ticker *t);
/* Around what is written; is_inside: the last line has no end yet. NULL is fine. */
void ticker_hold(ticker *t);
void ticker_let_go(ticker *t, int is_inside);
/* The cell waits for somebody. */
void ticker_pause(ticker *t);
void ticker_go_on(ticker *t);
void ticker_close(ticker *t);

/* "3 s", "1 min 3 s", "2 h 0 min". */
enum { TICKER_TIME_BYTES = 32 };
void ticker_format(char out[TICKER_TIME_BYTES], uint64_t seconds);

#endif
