/*
 * guest_thread.h - one thread that the code of a cell has started.
 */
#ifndef SNUG_PY_GUEST_THREAD_H
#define SNUG_PY_GUEST_THREAD_H

#include "base/thread.h"
#include "py/core/state.h"
#include <time.h>

typedef struct guest_thread {
    struct guest_thread *previous, *next; /* in first or, next only, in ended */
    interp *in;
    thread thread;
    guard guard;
    int wants_guard;
    int is_starting;        /* who starts it still looks at it; guarded by the lock */
    _Atomic uint32_t state; /* futex word of who starts it */
    PyThreadState *tstate;
    fair_member fair;
    clockid_t cpu_clock;
    _Atomic int is_deaf; /* it did not raise what the last step of a stop gave it */
    recursion_left left; /* when it began */
    volatile int is_cut; /* by the last kick, and put back by the next */
    int is_ending;       /* its function has returned */
    PyObject *function, *args, *keywords, *handle; /* owned; the last two may be NULL */
} guest_thread;

#endif
