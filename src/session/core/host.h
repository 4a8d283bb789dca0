/*
 * host.h - the inside of a host.
 */
#ifndef SNUG_SESSION_HOST_H
#define SNUG_SESSION_HOST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include <snug/snug.h>

#include "base/fixed.h"
#include "base/lasterror.h"
#include "limits/watchdog.h"
#include "session/confine/kernel_support.h"
#include "session/core/park.h"

struct snug_host {
    const struct host_form *form;
    uint64_t process;           /* that has opened it: base/forked.h */
    struct remote_host *remote; /* of a host of workers */
    int is_only;                /* of this process: of form LOCAL */
    char *allowlist_dir;        /* NULL: built in */
    watchdog *watchdog;
    fixed_values fixed;      /* of all its sessions: zone and hash_seed */
    uint64_t patience_ns;    /* how long a call waits for what other sessions hold */
    kernel kernel;           /* what it grants; does not change while the host is open */
    pthread_mutex_t lock;    /* guards sessions, most_sessions, opened, workdirs, orphans, lost */
    size_t sessions;         /* open ones */
    size_t most_sessions;    /* at once, since memory was given back */
    uint64_t opened;         /* ever; for names */
    char *workdirs;          /* folder of the private work directories; NULL before the first */
    int workdirs_fd;         /* holds its lock */
    uint64_t folders_made;   /* ever; guarded by lock */
    int borrows_workdirs;    /* it is another process's */
    const struct seal *seal; /* while the host is opened; NULL: the process is not held */
    struct snug_session *orphans;    /* closed, but their threads have not ended */
    int has_full, is_full_lost;      /* a full session is open; its interpreter was given up */
    uint64_t lost;                   /* sessions whose interpreter was given up */
    park park;                       /* the threads of idle sessions; guarded by lock */
    struct pool *pool;               /* NULL: no spares are kept */
    struct snug_session *full_spare; /* guarded by lock */
    struct snug_session *scanner;    /* NULL before the first scan */
    pthread_mutex_t scan_lock;       /* one scan at a time; guards scanner */
    _Atomic uint64_t hung;           /* threads that were given up and still run */
    _Atomic uint64_t torn;           /* sessions that were torn while they held a lock */
    last_error last_error;           /* of the functions of snug.h */
    char *report, *report_json;      /* the second is made when it is wanted, under the lock */
    char *fallback;                  /* why it is not a host of workers; NULL */
    pthread_mutex_t task_lock;       /* guards the next three, and the tasks of sessions */
    struct bell *bell;               /* NULL before the first task */
    struct clerks *clerks;           /* the same */
    size_t tasks;                    /* that are not told yet */
};

/* SNUG_EINVAL with a sentence, for the function of snug.h that what names: host is NULL, or another
 * process's. */
int host_check(const snug_host *host, const char *what);
/* Keeps an error's message for snug_host_error, and answers the error. host may be NULL. */
int host_fail(const snug_host *host, int error);

#endif
