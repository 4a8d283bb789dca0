/*
 * attendant.h - the thread of a kernel that a running cell does not hold up: it answers on control,
 * echoes the heartbeat, passes on lines for input(), and takes signals and the end of the parent.
 */
#ifndef SNUG_CLI_ATTENDANT_H
#define SNUG_CLI_ATTENDANT_H

#include <pthread.h>
#include <stdint.h>

#include <snug/snug.h>

#include "cli/kernel/message.h"

struct kernel;

typedef struct attendant {
    struct kernel *kernel;
    signer *signer; /* of control and stdin */
    pthread_t thread;
    int is_running;
    int wake_fd;   /* wakes the attendant */
    int ending_fd; /* readable when the kernel is to end; wakes the shell's thread */
    int signal_fd, parent_fd;
    long parent; /* its id; 0: there is none to watch */

    pthread_mutex_t lock; /* of what follows */
    snug_session *session;
    struct asked_line *lines; /* that the cell waits for: the client is asked for the first one */
    const kernel_message *cell;
    int is_asked;         /* the request for that line is sent */
    uint64_t question;    /* the number of that message */
    int unanswered;       /* lines asked for and not waited for, which may still come */
    unsigned stops;       /* of the cell that runs, by the client */
    uint64_t tell_ns;     /* when to say that the first is waited for; 0: never, or it was said */
    uint64_t hurry_ns;    /* when what the shell asks of the session is interrupted; 0: never */
    int is_ending;        /* no further cell is to begin */
    int is_over;          /* the thread is to end */
    int status;           /* with which the program ends */
    uint64_t deadline_ns; /* when it ends in any case */
} attendant;

/* Blocks the signals that it takes: before any other thread is made. SNUG_OK, or an error with a
 * sentence; close in both cases. */
int attendant_prepare(attendant *a, struct kernel *k);
/* Starts the thread. */
int attendant_start(attendant *a);
void attendant_close(attendant *a);

/* ---- for the shell's thread ---- */

/* From now on it is this session that is interrupted; NULL: none. */
void attendant_set_session(attendant *a, snug_session *session);
/* Asks the client of that cell for a line, behind those that it was asked for before, and answers
 * the call with it: one that waits for an approval as approve.h reads lines. */
void attendant_ask(attendant *a, const kernel_message *cell, snug_call *call, const char *prompt,
                   int is_approval);
/* A cell begins: its first stop waits for what it runs in C. */
void attendant_begin_cell(attendant *a);
/* The cell is over: calls that wait get none, and later lines are left aside. */
void attendant_end_cell(attendant *a);
/* What the session is asked for now is interrupted after that many ms; 0: it is done. */
void attendant_hurry(attendant *a, uint64_t ms);
int attendant_is_ending(attendant *a);
/* The kernel is to end: what runs is interrupted. */
void attendant_begin_end(attendant *a, int status);

#endif
