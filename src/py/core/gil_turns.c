#include "py/core/gil_turns.h"
#include "py/core/home.h"

#if PYTHON_OWN_GIL

int fair_start(void)
{
    return 0;
}

void fair_join(fair_member *member)
{
    (void)member;
}

void fair_quit(fair_member *member)
{
    (void)member;
}

void fair_enter(void)
{
}

void fair_take(fair_member *member)
{
    PyEval_RestoreThread(member->tstate);
}

void fair_leave(void)
{
}

#else

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "py/core/internals.h"

#define SWITCH_NS (5 * NS_PER_MS)

/* One GIL a process, so one of these. */
static struct {
    pthread_mutex_t lock; /* guards first; held while a member's interpreter is written to */
    fair_member *first;
    _Atomic int wanting;       /* threads between enter and leave */
    _Atomic int waiting;       /* of those, in fair_take */
    _Atomic uint32_t sleeping; /* futex word: 1 while the ticker has stopped ticking */
    _Atomic uint32_t resting;  /* futex word: 1 while the taker waits to be sent */
    thread ticker, taker;
} fair = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void put_first(fair_member *member)
{
    member->previous = NULL;
    member->next = fair.first;
    if (fair.first)
        fair.first->previous = member;
    fair.first = member;
}

static void remove_member(fair_member *member)
{
    if (member->previous)
        member->previous->next = member->next;
    else
        fair.first = member->next;
    if (member->next)
        member->next->previous = member->previous;
    member->previous = member->next = NULL;
}

static fair_member *find_member(const PyThreadState *tstate)
{
    fair_member *member = fair.first;
    while (member && member->tstate != tstate)
        member = member->next;
    return member;
}

/* Asks the member that holds the GIL, if one does, to drop it. A member quits before its
 * state goes away, so it is safe to write to. It is put first, for among thousands that rest
 * it may hold the GIL the next time too. Answers whether somebody must take the GIL after
 * this: the thread that drops the GIL on request then waits until another thread has held
 * it. */
static int ask_holder(void)
{
    pthread_mutex_lock(&fair.lock);
    PyThreadState *holder = internals_gil_holder();
    fair_member *member = NULL;
    if (holder)
        member = find_member(holder);
    if (member) {
        internals_ask_to_drop_gil(holder);
        remove_member(member);
        put_first(member);
    }

    pthread_mutex_unlock(&fair.lock);
    return !holder || member;
}

/* Without anything to do for that many ticks, the thread stops ticking. */
enum { IDLE_TICKS = 100 };

static void rest_ticker(void)
{
    atomic_store(&fair.sleeping, 1);
    if (atomic_load(&fair.wanting) < 2)
        futex_wait(&fair.sleeping, 1, UINT64_MAX);
    atomic_store(&fair.sleeping, 0);
}

/* Takes the GIL for a moment, each time it is sent. A thread of its own, for it may
 * have to wait: another may be quicker, and then the holder must be asked again. */
static void *serve_as_taker(void *tstate)
{
    /* Not entered here: the GIL may be held by a session that nobody has asked yet. */
    for (;;) {
        futex_wait(&fair.resting, 1, UINT64_MAX);
        if (atomic_load(&fair.resting))
            continue;
        PyEval_RestoreThread(tstate);
        PyEval_SaveThread();
        atomic_store(&fair.resting, 1);
    }
    return NULL;
}

/* Answers 0 while the last errand is not over: that may have been before the holder was
 * asked. */
static int send_taker(void)
{
    if (!atomic_exchange(&fair.resting, 0))
        return 0;
    futex_wake_all(&fair.resting);
    return 1;
}

/* A member that waits in fair_take is a better taker: then it is surely next, and does not
 * have to win against the one that dropped. */
static int somebody_takes(void)
{
    return internals_gil_holder() && atomic_load(&fair.waiting) > 0;
}

/* The taker is owed until it was sent, also when the others have left meanwhile: the last
 * one would wait for it for ever. */
static void *serve_as_ticker(void *ignored)
{
    _Atomic uint32_t never = 0;

    (void)ignored;
    int idle = IDLE_TICKS, is_owed = 0;
    for (;;) {
        futex_wait(&never, 0, clock_now_ns() + SWITCH_NS);
        int is_contended = atomic_load(&fair.wanting) >= 2;
        idle++;
        if (is_contended || is_owed)
            idle = 0;
        if (is_contended && ask_holder())
            is_owed = 1;
        if (is_owed && !somebody_takes())
            is_owed = !send_taker();
        if (idle > IDLE_TICKS)
            rest_ticker();
    }

    return NULL;
}

int fair_start(void)
{
    PyThreadState *tstate = home_new_state();
    if (!tstate)
        return error_no_memory();

    atomic_store(&fair.resting, 1);
    int error;
    if ((error = thread_start(&fair.taker, "snug taker", 1 << 20, serve_as_taker, tstate)))
        return error;
    return thread_start(&fair.ticker, "snug fair", 1 << 20, serve_as_ticker, NULL);
}

void fair_join(fair_member *member)
{
    pthread_mutex_lock(&fair.lock);
    put_first(member);
    pthread_mutex_unlock(&fair.lock);
}

void fair_quit(fair_member *member)
{
    pthread_mutex_lock(&fair.lock);
    if (member->previous || fair.first == member)
        remove_member(member);
    pthread_mutex_unlock(&fair.lock);
}

void fair_enter(void)
{
    if (atomic_fetch_add(&fair.wanting, 1) == 1 && atomic_exchange(&fair.sleeping, 0))
        futex_wake_all(&fair.sleeping);
}

void fair_take(fair_member *member)
{
    atomic_fetch_add(&fair.waiting, 1);
    PyEval_RestoreThread(member->tstate);
    atomic_fetch_sub(&fair.waiting, 1);
}

void fair_leave(void)
{
    atomic_fetch_sub(&fair.wanting, 1);
}

#endif
