/*
 * threadlist.h - the threads that the code of a cell has started, as other threads see them.
 */
#ifndef SNUG_PY_THREADLIST_H
#define SNUG_PY_THREADLIST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "limits/guard.h"
#include "py/core/python.h"

struct interp;

/* Part of an interpreter. */
typedef struct guest_threads {
    pthread_mutex_t lock; /* guards the lists; nothing of Python's is called under it */
    struct guest_thread *first;
    struct guest_thread *ended; /* to be joined */
    _Atomic int count;          /* that have not ended */
    _Atomic int ending;         /* of those, whose function has returned */
    _Atomic int in_transit;     /* in no list: on their way in or out, and those being joined */
    _Atomic uint64_t cpu_ns;    /* of those that ended in this cell */
    int is_open;                /* the code of a cell runs, and may start some */
    int was_stopped;            /* the stop came when only they still ran */
    _Atomic int is_lost;        /* one was torn out; the next two tell why */
    guard_end end;
    int number;
    PyTypeObject *handle_type; /* from 3.13 on */
    PyObject *excepthook;      /* _thread's own */
} guest_threads;

void threads_init(guest_threads *threads);
void threads_free(guest_threads *threads);
/* Any thread: as interp_stop and interp_cut_recursion, for each of them. */
void threads_stop(struct interp *in);
void threads_cut_recursion(struct interp *in);
/* Any thread: whether one of them has that state; whether one may be waiting for 3.11's
 * GIL. */
int threads_have(struct interp *in, const PyThreadState *tstate);
int threads_wait_for_gil(struct interp *in);

#endif
