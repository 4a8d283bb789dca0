#include "session/life/orphans.h"

#include "session/core/session.h"
#include "session/life/make.h"

void host_adopt_orphan(snug_host *host, snug_session *session)
{
    pthread_mutex_lock(&host->lock);
    session->next_orphan = host->orphans;
    host->orphans = session;
    pthread_mutex_unlock(&host->lock);
}

size_t host_reap(snug_host *host)
{
    size_t left = 0;

    pthread_mutex_lock(&host->lock);
    for (snug_session **at = &host->orphans; *at;) {
        snug_session *orphan = *at;
        if (!atomic_load(&orphan->thread.has_ended)) {
            if (orphan->form->end_behind)
                orphan->form->end_behind(orphan);
            left++;
            at = &orphan->next_orphan;
            continue;
        }
        *at = orphan->next_orphan;
        thread_join(&orphan->thread.handle);
        session_free(orphan);
    }

    pthread_mutex_unlock(&host->lock);
    return left;
}
