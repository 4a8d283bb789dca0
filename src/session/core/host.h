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

/* Sessions in which nothing runs give their threads back, and get new ones, with the same
 * folder and filters, when they are used again.
 *
 * A host has awake_sessions threads for its idle sessions: where one more is opened or woken, the
 * one that was used least lately is parked. Its interpreter stays as it is. A folder that is not
 * the one which its first thread was given is left out of what the new one may open. The new thread
 * stands on the stack of the one before, so that pthread_self, and what Python calls the thread's
 * ident, is the same. Not parked is what a thread has of its own and another would not have:
 * descriptors that cells have left open, threads of cells, the main interpreter; nor who runs on
 * its caller's thread. */

/* As what a session is counted; guarded by its host's lock. */
typedef enum park_state { PARK_NONE, PARK_AWAKE, PARK_PARKED } park_state;

/* Of a session. */
typedef struct session_parking {
    _Atomic uint64_t used_ns; /* when it was claimed last, by the clock; about */
    park_state state;
    int is_parked;                        /* it has an interpreter, and no thread */
    _Atomic int is_waking;                /* 2: and was interrupted */
    struct snug_session *next, *previous; /* of those that are awake */
} session_parking;

/* What a host keeps for it; guarded by its lock. */
typedef struct park {
    uint64_t most;              /* awake ones, 0: all */
    uint64_t awake, parked;     /* of the sessions that can be parked */
    uint64_t parks, wakes;      /* ever */
    struct snug_session *first; /* the awake ones */
} park;

/* The session is open, or was reset: it may be parked from now on, and others for it. */
void park_admit(snug_session *session);
/* It has no thread and no interpreter any more: it was lost. Until it is admitted again. */
void park_forget(snug_session *session);
/* It is about to be closed. */
void park_leave(snug_session *session);
/* Who has claimed it wants to run something: it has a thread then. SNUG_OK, or an error with a
 * message, and the session is parked as before. */
int park_wake(snug_session *session);
/* Who parks it has claimed it: waits for the end of that. */
void park_await(snug_session *session);

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
    char *report;
    char *fallback;            /* why it is not a host of workers; NULL */
    pthread_mutex_t task_lock; /* guards the next three, and the tasks of sessions */
    struct bell *bell;         /* NULL before the first task */
    struct clerks *clerks;     /* the same */
    size_t tasks;              /* that are not told yet */
};

/* SNUG_EINVAL with a sentence, for the function of snug.h that what names: host is NULL, or another
 * process's. */
int host_check(const snug_host *host, const char *what);
/* Keeps an error's message for snug_host_error, and answers the error. host may be NULL. */
int host_fail(const snug_host *host, int error);

#endif
