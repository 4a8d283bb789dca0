/*
 * bash.h - sessions of kind SNUG_KIND_BASH, in a worker of their own under bubblewrap.
 *
 * A host form like the others: the functions of snug.h check and claim, and ask it. The session's
 * work is done on the thread that calls; the shell is another process anyway.
 */
#ifndef SNUG_BASH_BASH_H
#define SNUG_BASH_BASH_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/thread.h"
#include "bash/procs.h"
#include "bash/shell.h"
#include "session/core/session.h"

/* Looks after what cells have left running, while none runs, on a thread of its own, as long as
 * anything but the shell lives. What is over the session's limits then is ended, all of it, and the
 * next cell says so. */
typedef struct bash_watch {
    pthread_mutex_t lock; /* held by who uses the shell */
    pthread_cond_t changed;
    thread thread;
    int has_thread;
    int is_awake, shall_end;
    int reason; /* bash_reason; BASH_RUNS: nothing was ended since the last cell */
} bash_watch;

typedef struct bash_session {
    shell shell;
    int wake;              /* eventfd: look */
    _Atomic int is_wanted; /* an interrupt was asked for; cleared as a cell begins */
    str first;             /* declarations of a shell that has run nothing */
    str names;             /* as the last cell left them */
    procs before;          /* those of earlier cells, while one runs */
    procs now;
    str pieces[2]; /* of output that ends within a character */
    uint64_t syncs;
    uint64_t cpu_ns;  /* of all processes, when the last cell ended */
    int is_full;      /* the work directory, when it was last looked at */
    tree_usage found; /* there then */
    bash_watch watch; /* whose lock guards all above, but for wake and is_wanted */
} bash_session;

extern const host_form bash_form;

/* The cell of form->run, and what else waits for the shell; shell_cell.c. */
int bash_run(snug_result **out, snug_session *session, const char *source, size_t len,
             const snug_limits *limits, int is_aside);
/* The thread of a cell looks at what is wanted of it. Any thread. */
void bash_wake(const bash_session *b);
/* A new shell in place of the old one. It runs restore first, unless that is NULL. */
int bash_start(snug_session *session, const char *restore);
/* The shell runs a line that ends soon (NULL: none), and its names are read: SNUG_OK, or
 * SNUG_ESTOPPED with a message. */
int bash_settle(snug_session *session, const char *line);

/* SNUG_OK, or SNUG_ESYSTEM with a message. */
int watch_open(snug_session *session);
void watch_close(snug_session *session);
/* Around every use of the shell. */
void watch_enter(snug_session *session);
void watch_leave(snug_session *session);

#endif
