#include "session/core/inline.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/floats.h"
#include "session/core/session.h"

/* The lowest byte of the calling thread's stack; that of the first thread may still grow to it.
 * Asked once per thread, because the C library reads /proc for the first one. */
static char *stack_low(void)
{
    static _Thread_local void *low;
    pthread_attr_t attributes;
    size_t bytes;

    if (low)
        return low;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return NULL;

    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    return low;
}

int inline_begin(snug_session *session)
{
    session->thread.owner = pthread_self();
    session->thread.tid = (pid_t)syscall(SYS_gettid);
    pthread_getcpuclockid(session->thread.owner, &session->stop.cpu_clock);
    session->stop.read_ns = 0;
    if (!guard_is_installed())
        return SNUG_OK;
    return guard_join_thread(&session->thread.guard, stack_low());
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

/* The caller's. */
static _Thread_local floats before __attribute__((tls_model("initial-exec")));

void inline_enter(snug_session *session)
{
    floats_begin(&before);
    if (session->interp)
        interp_switch(session->interp);
    if (session->thread.guard.tid)
        guard_enter(&session->thread.guard);
}

void inline_leave(void)
{
    guard_exit();
    interp_switch(NULL);
    floats_end(&before);
}
