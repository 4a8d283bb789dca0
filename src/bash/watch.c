#include "bash/bash.h"

#include <errno.h>
#include <time.h>

#include <snug/snug.h>

#include "base/clock.h"
#include "base/error.h"
#include "bash/shell_bounds.h"

#define LOOK_NS     (10 * NS_PER_MS)
#define STACK_BYTES ((size_t)256 << 10)

/* A large folder takes a while to go through: it gets a tenth of the time. */
enum { REST = 10 };

static void look_at_session(snug_session *session, uint64_t *files_ns)
{
    bash_session *b = session->shell;
    uint64_t bytes, now = clock_now_ns();
    bash_reason reason = bounds_look(session, &bytes);
    uint64_t used_ns = b->now.cpu_ns > b->cpu_ns ? b->now.cpu_ns - b->cpu_ns : 0;
    uint64_t most_ms = session->limits.session_cpu_ms;

    if (reason == BASH_RUNS && most_ms != SNUG_UNLIMITED &&
        (session->cpu_used_ns + used_ns) / NS_PER_MS >= most_ms)
        reason = BASH_SESSION_CPU;

    if (reason == BASH_RUNS && now >= *files_ns) {
        uint64_t began_ns = clock_thread_cpu_ns();
        reason = bounds_look_at_files(session);
        *files_ns = clock_now_ns() + REST * (clock_thread_cpu_ns() - began_ns);
    }

    b->watch.is_awake = b->now.count > 1;
    if (reason == BASH_RUNS)
        return;
    bounds_end(session, reason);
    b->watch.reason = (int)reason;
}

static void pause_until(bash_watch *w, uint64_t until_ns)
{
    const struct timespec until = { (time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S) };
    while (!w->shall_end && pthread_cond_timedwait(&w->changed, &w->lock, &until) != ETIMEDOUT)
        ;
}

static void *watch_session(void *payload)
{
    snug_session *session = payload;
    bash_watch *w = &session->shell->watch;
    uint64_t files_ns = 0;

    pthread_mutex_lock(&w->lock);
    while (!w->shall_end) {
        if (w->is_awake)
            pause_until(w, clock_now_ns() + LOOK_NS);
        else
            pthread_cond_wait(&w->changed, &w->lock);
        if (!w->shall_end && w->is_awake)
            look_at_session(session, &files_ns);
    }

    pthread_mutex_unlock(&w->lock);
    return NULL;
}

int watch_open(snug_session *session)
{
    bash_watch *w = &session->shell->watch;
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    int error = thread_start(&w->thread, "snug watch", STACK_BYTES, watch_session, session);
    w->has_thread = !error;
    return error;
}

void watch_close(snug_session *session)
{
    bash_watch *w = &session->shell->watch;
    if (!w->has_thread)
        return;

    pthread_mutex_lock(&w->lock);
    w->shall_end = 1;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    thread_join(&w->thread);
    w->has_thread = 0;
}

void watch_enter(snug_session *session)
{
    pthread_mutex_lock(&session->shell->watch.lock);
}

void watch_leave(snug_session *session)
{
    bash_watch *w = &session->shell->watch;
    w->is_awake = 1;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}
