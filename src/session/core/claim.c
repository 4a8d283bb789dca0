#include "session/core/claim.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/thread.h"
#include "base/u64.h"
#include "session/core/host.h"
#include "session/core/pool.h"
#include "session/core/session.h"

/* Who releases a session wakes nobody: it is the end of every call. */
#define LOOK_NS (2 * NS_PER_MS)

/* ---- who stands for whom ---- */

/* Guards successors against those who have claimed nothing, of this process: a thread that is not
 * there has it in a child for ever. */
static pthread_mutex_t succession = PTHREAD_MUTEX_INITIALIZER;

static void renew_succession(void)
{
    pthread_mutex_init(&succession, NULL);
}

static void watch_succession(void)
{
    forked_renew(renew_succession);
}

static void lock_succession(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, watch_succession);
    forked_process();
    pthread_mutex_lock(&succession);
}

snug_session *session_front(snug_session *session)
{
    return session->front ? session->front : session;
}

void session_set_successor(snug_session *front, snug_session *successor)
{
    lock_succession();
    atomic_store(&front->successor, successor);
    pthread_mutex_unlock(&succession);
}

snug_session *session_look(const snug_session *front)
{
    lock_succession();
    snug_session *successor = atomic_load(&front->successor);
    return successor ? successor : (snug_session *)(uintptr_t)front;
}

void session_look_away(void)
{
    pthread_mutex_unlock(&succession);
}

static void interrupt_session(snug_session *session, int is_gentle)
{
    atomic_store(&session->is_stopped, 1);
    if (is_gentle && session->kind == SNUG_KIND_FULL && session->form->interrupt_gently)
        session->form->interrupt_gently(session);
    else
        session->form->interrupt(session);
}

static void interrupt_front(snug_session *front, int is_gentle)
{
    if (!front || !forked_is_process(front->host->process))
        return;
    if (!atomic_load(&front->successor)) {
        interrupt_session(front, is_gentle); /* may wait for a worker, and holds up nobody else */
        return;
    }

    interrupt_session(session_look(front), is_gentle);
    session_look_away();
}

void snug_session_interrupt(snug_session *front)
{
    interrupt_front(front, 0);
}

void snug_session_interrupt_gently(snug_session *front)
{
    interrupt_front(front, 1);
}

/* ---- claims ---- */

static int refuse_busy(const snug_session *session, const char *what)
{
    return error_set(SNUG_EBUSY, "%s: session %s is running something else", what, session->name);
}

/* Whoever parks a session is awaited; answers whether nobody else had it. */
static int take(snug_session *session)
{
    for (;;) {
        uint32_t before = SESSION_IDLE;
        if (atomic_compare_exchange_strong(&session->is_busy, &before, SESSION_CALLED))
            return 1;
        if (before != SESSION_PARKING)
            return 0;
        park_await(session);
    }
}

/* Who has the front is the only one who can want its successor. */
static void go_on_to_successor(snug_session **session)
{
    snug_session *successor = atomic_load(&(*session)->successor);

    if (!successor)
        return;
    take(successor);
    *session = successor;
}

int session_claim(snug_session **at, const char *what)
{
    snug_session *session = *at;
    if (!session)
        return error_set(SNUG_EINVAL, "%s: session is NULL", what);
    if (!forked_is_process(session->host->process))
        return forked_refuse(what);
    if (session->thread.is_inline && !pthread_equal(session->thread.owner, pthread_self()))
        return error_set(SNUG_EINVAL, "%s: session %s belongs to the thread that has opened it",
                         what, session->name);
    if (!take(session))
        return refuse_busy(session, what);

    go_on_to_successor(at);
    return SNUG_OK;
}

int session_claim_to_end(snug_session **at, const char *what, uint64_t patience_ns)
{
    snug_session *front = *at;
    uint64_t until_ns = u64_sum(clock_now_ns(), patience_ns);

    while (!take(front)) {
        if (clock_now_ns() >= until_ns)
            return refuse_busy(front, what);
        snug_session_interrupt(front);
        futex_wait(&front->is_busy, SESSION_CALLED, u64_least(until_ns, clock_now_ns() + LOOK_NS));
    }

    go_on_to_successor(at);
    return SNUG_OK;
}

int session_claim_alive(snug_session **at, const char *what)
{
    int error = session_claim(at, what);
    if (!error && (error = session_check_alive(*at)))
        session_release(*at);
    return error;
}

void session_release(snug_session *session)
{
    atomic_store_explicit(&session->park.used_ns, session->stop.started_ns, memory_order_relaxed);
    if (session->host->pool)
        pool_used(session->host->pool);
    /* Who closes it, on another thread, frees it as soon as nobody has claimed it. */
    snug_session *front = session->front;
    atomic_store(&session->is_busy, SESSION_IDLE);
    if (front)
        atomic_store(&front->is_busy, SESSION_IDLE);
}

int session_return(snug_session *session, int error)
{
    session_fail(session, error);
    session_release(session);
    return error;
}

int session_fail(snug_session *session, int error)
{
    if (!session || !forked_is_process(session->host->process))
        return error;
    return last_error_keep(&session_front(session)->last_error, error);
}

int session_check_alive(const snug_session *session)
{
    if (session->is_lost || !session->form->is_alive(session))
        return error_set(SNUG_EDEAD, "session %s was lost in an earlier cell: reset it or close it",
                         session->name);
    return SNUG_OK;
}

int host_check(const snug_host *host, const char *what)
{
    if (!host)
        return error_set(SNUG_EINVAL, "%s: host is NULL", what);
    if (!forked_is_process(host->process))
        return forked_refuse(what);
    return SNUG_OK;
}

int host_fail(const snug_host *host, int error)
{
    if (!host || !forked_is_process(host->process))
        return error;
    return last_error_keep(&((snug_host *)(uintptr_t)host)->last_error, error);
}
