#include "session/life/pended.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/u64.h"
#include "session/core/session.h"
#include "session/life/clerks.h"

/* Who interrupts wakes nobody, and other tasks want the clerk. */
#define LOOK_NS (20 * NS_PER_MS)

enum { NOT_PENDED, PENDED, INTERRUPTED };

int pended_is_needed(const snug_session *session)
{
    return session->job.is_left && mailbox_is_left(&session->thread.mailbox);
}

int pended_take(snug_task *task, const char *source, size_t len, const snug_limits *limits)
{
    snug_session *session = task->session;

    if (str_append(&task->source, len > 0 ? source : "", len) != SNUG_OK)
        return error_no_memory();
    if (limits) {
        task->limits = *limits;
        task->has_limits = 1;
    }

    task->until_ns = u64_sum(clock_now_ns(), session->host->patience_ns);
    atomic_store(&session->is_pended, PENDED);
    int error = clerks_take(task);
    if (error)
        atomic_store(&session->is_pended, NOT_PENDED);
    return error;
}

int pended_start(snug_task *task)
{
    snug_session *session = task->session;
    uint64_t now_ns = clock_now_ns();

    if (atomic_load(&session->is_pended) == PENDED && pended_is_needed(session))
        mailbox_await_return(&session->thread.mailbox, u64_least(task->until_ns, now_ns + LOOK_NS));
    if (atomic_load(&session->is_pended) == INTERRUPTED)
        return error_set(SNUG_ESTOPPED, "the cell was interrupted before it began");
    if (pended_is_needed(session) && clock_now_ns() < task->until_ns)
        return SNUG_EAGAIN;

    int error = session->form->start(session, task->source.data, task->source.len,
                                     task->has_limits ? &task->limits : NULL, 0);
    if (atomic_exchange(&session->is_pended, NOT_PENDED) == INTERRUPTED && !error)
        session->form->interrupt(session);
    return error;
}

void pended_end(snug_task *task)
{
    atomic_store(&task->session->is_pended, NOT_PENDED);
    task->session->form->listen(task->session, 0);
}
