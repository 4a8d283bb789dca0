#include "session/core/inline.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/floats.h"
#include "session/core/session.h"

int inline_begin(snug_session *session)
{
    session->thread.owner = pthread_self();
    session->thread.tid = (pid_t)syscall(SYS_gettid);
    pthread_getcpuclockid(session->thread.owner, &session->stop.cpu_clock);
    session->stop.read_ns = 0;
    if (!guard_is_installed())
        return SNUG_OK;
    return guard_join_thread(&session->thread.guard);
}

/* Without a guard, a fault at the end ends the process. */
void inline_take_over(snug_session *session)
{
    if (!pthread_equal(session->thread.owner, pthread_self()) && inline_begin(session) != SNUG_OK)
        session->thread.guard.tid = 0;
}

void inline_end(snug_session *session)
{
    if (session->thread.guard.tid)
        guard_leave_thread();
    session->thread.guard.tid = 0;
}

void inline_enter(snug_session *session)
{
    floats_begin(&session->thread.callers);
    if (session->interp)
        interp_switch(session->interp);
    if (session->thread.guard.tid)
        guard_enter(&session->thread.guard);
}

void inline_leave(snug_session *session)
{
    guard_exit();
    interp_switch(NULL);
    floats_end(&session->thread.callers);
}
