/*
 * host.h - the inside of a host, for session/.
 */
#ifndef SNUG_SESSION_HOST_H
#define SNUG_SESSION_HOST_H

#include <pthread.h>
#include <stdatomic.h>

#include <snug/snug.h>

#include "limits/watchdog.h"
#include "session/kernel.h"

struct snug_host {
    char *allowlist_dir; /* NULL: built in */
    watchdog *watchdog;
    kernel kernel;        /* what it grants; does not change while the host is open */
    pthread_mutex_t lock; /* guards sessions, most_sessions, opened, workdirs, orphans, lost */
    size_t sessions;      /* open ones */
    size_t most_sessions; /* at once, since memory was given back */
    uint64_t opened;      /* ever; for names */
    char *workdirs;       /* folder of the private work directories; NULL before the first */
    int workdirs_fd;      /* holds its lock */
    struct snug_session *orphans; /* closed, but their threads have not ended */
    uint64_t lost;                /* sessions whose interpreter was given up */
    struct snug_session *scanner; /* NULL before the first scan */
    pthread_mutex_t scan_lock;    /* one scan at a time; guards scanner */
    _Atomic uint64_t hung;        /* threads that were given up and still run */
    _Atomic uint64_t torn;        /* sessions that were torn while they held a lock */
    char *report;
};

/* A session whose thread would not end when it was closed. */
void host_adopt_orphan(snug_host *host, struct snug_session *session);
/* Frees the orphans whose threads have ended meanwhile; answers how many are left. */
size_t host_reap(snug_host *host);

#endif
