#include "base/process/sigpipe.h"

#include <pthread.h>
#include <stddef.h>
#include <time.h>

void sigpipe_block(sigpipe_hold *hold)
{
    sigset_t pending;
    sigemptyset(&hold->pipe);
    sigaddset(&hold->pipe, SIGPIPE);
    sigpending(&pending);
    hold->was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &hold->pipe, &hold->before);
}

void sigpipe_release(const sigpipe_hold *hold)
{
    static const struct timespec now;
    if (!hold->was_pending)
        while (sigtimedwait(&hold->pipe, NULL, &now) > 0)
            ;
    pthread_sigmask(SIG_SETMASK, &hold->before, NULL);
}
