/*
 * signals.h - Ctrl-C and its relatives, taken by a thread of their own.
 *
 * A session may be interrupted from any thread and from no signal handler, so
 * SIGINT, SIGTERM, SIGHUP, SIGWINCH and SIGCONT are blocked everywhere and waited for on one
 * thread; those that the program was started to ignore stay ignored. An interrupt
 * that comes while a cell is just beginning is sent again until the cell has ended,
 * so that none is lost.
 */
#ifndef SNUG_CLI_SIGNALS_H
#define SNUG_CLI_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdint.h>

#include <snug/snug.h>

typedef struct signals {
    pthread_t thread;
    sigset_t set;
    pthread_mutex_t lock;
    void (*interrupt)(void *target); /* ends what is running; NULL: nothing is */
    void *target;
    snug_session *session; /* of signals_watch; NULL: something else runs */
    uint64_t asked_ns;     /* since when it is waited for what that runs in C; 0: it is not */
    int has_told;          /* that it is */
    unsigned count;        /* signals since that cell began */
    unsigned last_count;   /* of the cell before it */
    int taken;             /* the first that asks the program to end */
    int pipe[2];           /* every signal's number as a byte */
    int is_running;
    void (*on_end)(void *payload);
    void *payload;
    void (*before_exit)(void *payload);
    void *exit_payload;
    uint64_t deadline_ns; /* when the program is ended in any case; 0: not yet known */
    int ends_unread;
    uint64_t unread_ns; /* since when nobody reads, of one that is to end; 0: somebody does */
    int is_stopping;
} signals;

/* Before the first other thread is made: they all inherit the blocked signals.
 * SNUG_OK or SNUG_ESYSTEM with a message; stop in both cases. */
int signals_start(signals *s);
/* on_end is called when the program is asked to end, here if it already was, else
 * on the signals' thread or in signals_ask. From then on the program has a few
 * seconds, and the next signal that asks ends it at once. */
void signals_on_end(signals *s, void (*on_end)(void *payload), void *payload);
/* A program that writes on the thread that would end it does not get there where nobody reads: from
 * here on SIGTERM and SIGHUP end it at once when nobody has read for a few seconds. */
void signals_end_unread(signals *s);
/* Called, on the signals' thread, where the program is ended at once; NULL: nothing is. */
void signals_before_exit(signals *s, void (*before_exit)(void *payload), void *payload);
void signals_stop(signals *s);
/* From here on SIGINT, SIGTERM and SIGHUP interrupt this session; NULL: nobody.
 * The first SIGINT does so gently, and says after a second what the next one costs.
 * The second one on the same cell says so, the third ends the program. Answers
 * what signals_taken does: a cell must not begin when that is not 0. */
int signals_watch(signals *s, snug_session *session);
/* The same for something else that is running, any number of times; NULL: nothing. */
int signals_watch_call(signals *s, void (*interrupt)(void *target), void *target);
/* The signal that asks to end; 0: none. */
int signals_taken(signals *s);
/* How many signals that ask to end came while that ran which has ended last. */
unsigned signals_count(signals *s);
/* SIGINT is dealt with. Answers 1 if there was one. */
int signals_forgive(signals *s);
/* The program is to end as if that signal had come; nothing is interrupted. */
void signals_ask(signals *s, int signal);
/* Readable when a signal has come. */
int signals_fd(const signals *s);
/* The next signal that has come, SIGWINCH among them; 0: no more. */
int signals_next(signals *s);

#endif
