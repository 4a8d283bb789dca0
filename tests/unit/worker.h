/*
 * worker.h - a guarded thread for the tests of limits/: runs one function in guard_run
 * and tells how that ended.
 */
#ifndef SNUG_TEST_WORKER_H
#define SNUG_TEST_WORKER_H

#include "test.h"

#include <snug/snug.h>

#include "base/thread.h"
#include "limits/guard.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* ThreadSanitizer delivers signals in calls that it knows, so that a loop must make one. */
#if defined(__SANITIZE_THREAD__)
static inline void turn(void)
{
    static const struct timespec none = { 0, 1 };
    nanosleep(&none, NULL);
}
#define JUMP_OUT_OF_A_LOOP GUARD_JUMP_LIBC
#else
static inline void turn(void)
{
}
#define JUMP_OUT_OF_A_LOOP GUARD_JUMP
#endif

enum { WORKER_STACK_BYTES = 8 * 1024 * 1024 };

typedef struct worker {
    guard g; /* with owner the worker; its functions may be set before worker_start */
    thread t;
    void (*work)(struct worker *w);
    guard_end end;
    _Atomic int is_inside; /* work says when the others may begin */
    _Atomic int may_go_on;
    _Atomic int has_ended;
    _Atomic int kicks, yellows;
    _Atomic long count; /* work's own */
    void *data;
} worker;

/* The worker of the calling thread. */
static inline worker *worker_here(void)
{
    return guard_here->owner;
}

static void worker_work(void *arg)
{
    worker *w = arg;
    w->work(w);
}

static void *worker_main(void *arg)
{
    worker *w = arg;
    w->g.owner = w;
    char *low = (char *)w->t.stack + 4096;
    assert_int_equal(guard_attach(&w->g, low, w->t.stack_bytes - 4096), SNUG_OK);
    w->end = guard_run(&w->g, worker_work, w);
    int has_returned = w->end == GUARD_RETURNED;
    atomic_store(&w->has_ended, 1);
    if (!has_returned)
        guard_vanish(&w->g);
    guard_detach(&w->g);
    return NULL;
}

/* cmocka puts its own handlers before ours in each test. */
static inline void install_guards(void)
{
    guard_uninstall();
    assert_int_equal(guard_install(0), SNUG_OK);
}

static inline void worker_start(worker *w, void (*work)(worker *w))
{
    w->work = work;
    assert_int_equal(thread_start(&w->t, "worker", WORKER_STACK_BYTES, worker_main, w), SNUG_OK);
}

/* Turns for the other threads while *word is zero. */
static inline void wait_for(_Atomic int *word)
{
    while (!atomic_load(word))
        sched_yield();
}

static inline guard_end worker_join(worker *w)
{
    thread_join(&w->t);
    return w->end;
}

/* Starts it, waits until it says that it is inside, and kicks until it has ended. */
static inline guard_end worker_stop(worker *w, void (*work)(worker *w), guard_stage stage)
{
    worker_start(w, work);
    wait_for(&w->is_inside);
    atomic_store(&w->g.stage, (int)stage);
    while (!atomic_load(&w->has_ended)) {
        guard_kick(&w->g);
        sched_yield();
    }
    return worker_join(w);
}

/* A kick that has been handled when this returns: signals that a thread sends to itself
 * are delivered at once. */
static inline void kick_myself(guard_stage stage)
{
    atomic_store(&guard_here->stage, (int)stage);
    guard_kick(guard_here);
    turn();
}

#endif
