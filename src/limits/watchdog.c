#include "limits/watchdog.h"

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* Reserved, hardly touched; ThreadSanitizer's thread-local state needs most of it. */
enum { STACK_BYTES = 1024 * 1024 };

/* Everything but the thread is guarded by lock. */
struct watchdog {
    pthread_mutex_t lock;
    pthread_cond_t wake;  /* on CLOCK_MONOTONIC; the thread is wanted before sleeping_to */
    watch armed;          /* the ring of armed items begins and ends here */
    uint64_t sleeping_to; /* when the thread looks next, at the latest */
    int is_closing;
    int has_thread;
    thread thread;
};

static int is_armed(const watch *item)
{
    return item->next != NULL;
}

/* Sets the deadline of an armed item; the lock is held. */
static void set_deadline(watchdog *w, watch *item, uint64_t deadline_ns)
{
    item->deadline_ns = deadline_ns;
    if (deadline_ns < w->sleeping_to) {
        w->sleeping_to = deadline_ns;
        pthread_cond_signal(&w->wake);
    }
}

/* watchdog_round with the lock held. */
static uint64_t round_locked(watchdog *w, uint64_t now_ns)
{
    uint64_t next_ns = UINT64_MAX;

    for (watch *item = w->armed.next; item != &w->armed; item = item->next) {
        if (item->deadline_ns <= now_ns && item->deadline_ns != UINT64_MAX)
            item->deadline_ns = item->on_deadline(item, now_ns);
        if (item->deadline_ns < next_ns)
            next_ns = item->deadline_ns;
    }

    w->sleeping_to = next_ns;
    return next_ns;
}

static void *serve_watches(void *arg)
{
    watchdog *w = arg;

    pthread_mutex_lock(&w->lock);
    while (!w->is_closing) {
        uint64_t next_ns = round_locked(w, clock_now_ns());
        /* This gives the lock up, even if the time is past. A wake without a cause
         * costs a round. */
        cond_wait_until(&w->wake, &w->lock, next_ns);
    }

    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static int init_wake(pthread_cond_t *wake)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error)
        return error;

    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!error)
        error = pthread_cond_init(wake, &attributes);
    pthread_condattr_destroy(&attributes);
    return error;
}

int watchdog_open_manual(watchdog **out)
{
    watchdog *w = calloc(1, sizeof *w);
    if (!w)
        return error_no_memory();

    w->armed.next = w->armed.previous = &w->armed;
    w->sleeping_to = UINT64_MAX;
    int failed = init_wake(&w->wake);
    if (failed) {
        free(w);
        errno = failed;
        return error_system("cannot make the watchdog's condition");
    }

    /* Without attributes this cannot fail on Linux. */
    pthread_mutex_init(&w->lock, NULL);
    *out = w;
    return SNUG_OK;
}

int watchdog_open(watchdog **out)
{
    watchdog *w;
    int error = watchdog_open_manual(&w);
    if (error)
        return error;

    error = thread_start(&w->thread, "snug-watchdog", STACK_BYTES, serve_watches, w);
    if (error) {
        watchdog_close(w);
        return error;
    }

    w->has_thread = 1;
    *out = w;
    return SNUG_OK;
}

void watchdog_close(watchdog *w)
{
    if (!w)
        return;
    assert(w->armed.next == &w->armed);
    if (w->has_thread) {
        pthread_mutex_lock(&w->lock);
        w->is_closing = 1;
        pthread_cond_signal(&w->wake);
        pthread_mutex_unlock(&w->lock);
        thread_join(&w->thread);
    }

    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void watchdog_arm(watchdog *w, watch *item, uint64_t deadline_ns)
{
    pthread_mutex_lock(&w->lock);
    if (!is_armed(item)) {
        item->previous = w->armed.previous;
        item->next = &w->armed;
        item->previous->next = item;
        w->armed.previous = item;
    }

    set_deadline(w, item, deadline_ns);
    pthread_mutex_unlock(&w->lock);
}

void watchdog_disarm(watchdog *w, watch *item)
{
    pthread_mutex_lock(&w->lock);
    if (is_armed(item)) {
        item->previous->next = item->next;
        item->next->previous = item->previous;
        item->previous = item->next = NULL;
    }
    pthread_mutex_unlock(&w->lock);
}

int watchdog_strike(watchdog *w, watch *item, uint64_t (*strike)(watch *item, void *arg), void *arg)
{
    pthread_mutex_lock(&w->lock);
    int armed = is_armed(item);
    if (armed)
        set_deadline(w, item, strike(item, arg));
    pthread_mutex_unlock(&w->lock);
    return armed;
}

uint64_t watchdog_round(watchdog *w, uint64_t now_ns)
{
    pthread_mutex_lock(&w->lock);
    uint64_t next_ns = round_locked(w, now_ns);
    pthread_mutex_unlock(&w->lock);
    return next_ns;
}
