/*
 * threads.h - the threads that the code of a cell starts, where its session may have some.
 *
 * They are threads of ours and not of CPython's _thread, whose functions never run: each
 * has the session's rules (hook, gate, memory account) from its first instruction to its
 * last, finalizers included, and a guard of its own, so that a fault costs the session.
 * The working directory and the umask are the session's, because pthread_create shares
 * them with the thread that calls it.
 *
 * No cell ends before its threads have, and none starts outside a cell: the session's
 * thread waits for them, also when it was torn out itself. So whatever comes after a
 * cell finds one thread only.
 */
#ifndef SNUG_PY_THREADS_H
#define SNUG_PY_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "limits/guard.h"
#include "py/python.h"

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

/* Takes over what starts threads in module _thread. The caller holds the interpreter.
 * 0, or -1 with an exception. */
int threads_adopt(struct interp *in, PyObject *module);
/* The code of a cell begins. */
void threads_begin(struct interp *in);
/* The session's thread, which holds the interpreter: waits until none is left. Keeps the
 * exception that is set, unless the stop came meanwhile: that takes its place, with the
 * other as its context, and the answer is -1, else 0. Does not return when one was torn
 * out: leaves guard_run as that did. */
int threads_wait(struct interp *in);
/* After the last wait of a cell: none starts any more. */
void threads_end(struct interp *in);
/* After a stop, which may have hit threading before it noted that a thread has ended. The
 * session's thread, which holds the interpreter; no exception. */
void threads_forget(struct interp *in);
/* The session's thread was torn out and holds nothing: ends the others and waits until
 * none is left. end and number become those of the first one that was torn out. */
void threads_abandon(struct interp *in, guard_end *end, int *number);

/* Any thread: as interp_stop and interp_cut_recursion, for each of them. */
void threads_stop(struct interp *in);
void threads_cut_recursion(struct interp *in);
/* Any thread: whether one of them has that state; whether one may be waiting for 3.11's
 * GIL. */
int threads_have(struct interp *in, const PyThreadState *tstate);
int threads_wait_for_gil(struct interp *in);

#endif
