/*
 * fake_interp.h - stands in for src/py where the session layer is tested: the "code" of a
 * cell is a C function of this table, found by the cell's source, and it ends by itself,
 * when it sees a stop, or only when the test lets it.
 *
 * The functions of py/core/interp.h that other threads call count what the real one forbids:
 * a call for no interpreter, or for one that is closed.
 */
#ifndef SNUG_TEST_FAKE_INTERP_H
#define SNUG_TEST_FAKE_INTERP_H

#include <stdatomic.h>

#include "py/core/interp.h"

/* No code runs longer, so that a broken ladder fails a test and does not hang it. */
enum { FAKE_BOUND_MS = 1200000 };

#define FAKE_CELLS(X)                                                    \
    X(returns)                                                           \
    X(spins_30_us)                                                       \
    X(sleeps_100_ms)                                                     \
    X(burns_150_ms)                                                      \
    X(burns_60_ms_and_sleeps)                                            \
    X(ends_when_stopped)                                                 \
    X(ends_when_starved)                                                 \
    X(ends_when_it_may_not_recurse)                                      \
    X(answers_nobody) /* but the test: may_end */                        \
    X(sleeps_deaf)    /* until the test lets it end; no kick wakes it */ \
    X(settles_and_reports_long)                                          \
    X(settles_when_starved)                                              \
    X(waits_for_the_gil_and_ends_when_stopped)                           \
    X(turns_deaf_and_ends_when_stopped)                                  \
    X(sleeps_while_three_threads_burn)                                   \
    X(ends_when_its_thread_is_starved)                                   \
    X(frees_for_150_ms)                                                  \
    X(frees_for_900_ms)                                                  \
    X(waits_for_the_gil_until_it_is_stopped)                             \
    X(handles_an_interrupt)

struct interp {
    _Atomic int stop; /* stop_reason */
    _Atomic uint64_t limit;
    _Atomic int is_starving, is_settled, waits_for_gil, handles;
    _Atomic uint64_t waits_ns;
    _Atomic int may_end; /* set by fake_let_end */
    _Atomic uint32_t bell;
    _Atomic int is_inside; /* the code runs */
    /* It has started others. */
    _Atomic uint64_t burn_since_ns; /* three of them burn; 0: no */
    _Atomic int has_thread;         /* one with the next guard */
    guard thread;
    _Atomic int is_closed;
    /* Since it was opened: */
    _Atomic int stops, starvings, cuts, kicks, reasons_mixed;
    stop_reason last_reason; /* of the job that ran last; STOP_NONE: it was not stopped */
    uint64_t last_limit;
    struct interp *next;
};

/* What is the same for all interpreters. */
typedef struct fake_python {
    _Atomic int gil_is_shared;
    _Atomic uint64_t gil_turns;
    _Atomic int ladder_is_full;
    _Atomic int misuses; /* calls that the real functions forbid */
    _Atomic int scan_may_end;
    /* Opening: */
    _Atomic int refuses_to_open; /* once; and: */
    _Atomic int refuses_to_give;
    _Atomic uint32_t holds_opens; /* an open waits until fake_let_open */
    _Atomic uint64_t burns_ms;    /* processor time, in each */
    _Atomic uint32_t begun;       /* opens, those that were refused too */
    _Atomic uint32_t closed;      /* ends */
} fake_python;

extern fake_python fake;

/* Ends code that waits for the test. */
void fake_let_end(interp *in);
/* Opens go on that were held. */
void fake_let_open(void);
/* Waits until the word is count or more. */
void fake_await(_Atomic uint32_t *word, uint32_t count);
/* Frees all interpreters that were ever opened; no thread may be left that uses one. */
void fake_reset(void);

#endif
