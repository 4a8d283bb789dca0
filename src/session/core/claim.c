#include "session/core/claim.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/thread.h"
#include "base/u64.h"
#include "session/core/park.h"
#include "session/core/pool.h"
#include "session/core/session.h"

/* Who releases a session wakes nobody: it is the end of every call. */
#define LOOK_NS (2 * NS_PER_MS)

int session_claim(snug_session *session, const char *what)
{
    if (!session)
        return error_set(SNUG_EINVAL, "%s: session is NULL", what);
    if (!forked_is_process(session->host->process))
        return forked_refuse(what);
    if (session->thread.is_inline && !pthread_equal(session->thread.owner, pthread_self()))
        return error_set(SNUG_EINVAL, "%s: session %s belongs to the thread that has opened it",
                         what, session->name);

    for (;;) {
        uint32_t before = SESSION_IDLE;
        if (atomic_compare_exchange_strong(&session->is_busy, &before, SESSION_CALLED))
            return SNUG_OK;
        if (before != SESSION_PARKING)
            return error_set(SNUG_EBUSY, "%s: session %s is running something else", what,
                             session->name);
        park_await(session);
    }
}

int session_claim_to_end(snug_session *session, const char *what, uint64_t patience_ns)
{
    uint64_t until_ns = u64_sum(clock_now_ns(), patience_ns);

    for (;;) {
        uint32_t before = SESSION_IDLE;
        if (atomic_compare_exchange_strong(&session->is_busy, &before, SESSION_CALLED))
            return SNUG_OK;
        if (before == SESSION_PARKING) {
            park_await(session);
            continue;
        }

        if (clock_now_ns() >= until_ns)
            return error_set(SNUG_EBUSY, "%s: session %s is running something else", what,
                             session->name);
        session->form->interrupt(session);
        futex_wait(&session->is_busy, before, u64_least(until_ns, clock_now_ns() + LOOK_NS));
    }
}

int session_claim_alive(snug_session *session, const char *what)
{
    int error = session_claim(session, what);
    if (!error && (error = session_check_alive(session)))
        session_release(session);
    return error;
}

void session_release(snug_session *session)
{
    atomic_store_explicit(&session->park.used_ns, session->stop.started_ns, memory_order_relaxed);
    if (session->host->pool)
        pool_used(session->host->pool);
    atomic_store(&session->is_busy, SESSION_IDLE);
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
    return last_error_keep(&session->last_error, error);
}

int session_check_alive(const snug_session *session)
{
    if (session->is_lost || !session->form->is_alive(session))
        return error_set(SNUG_EDEAD, "session %s was lost in an earlier cell: reset it or close it",
                         session->name);
    return SNUG_OK;
}
