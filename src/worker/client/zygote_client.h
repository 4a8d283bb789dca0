/*
 * zygote_client.h - a process that has started Python, imported what is wanted, and forks a worker
 * each time that it is asked. One for each set of what it has; hosts of this process share it.
 */
#ifndef SNUG_WORKER_ZYGOTE_CLIENT_H
#define SNUG_WORKER_ZYGOTE_CLIENT_H

#include "base/fixed.h"
#include "worker/client/launch.h"

/* What the workers have before they are asked anything. */
typedef struct zygote_wish {
    const char *path; /* of snug-worker */
    const char *python_home;
    const fixed_values *fixed; /* zone and hash_seed */
    int is_full;
    const char *packages;       /* folder; NULL: the system's */
    const char *const *preload; /* names; NULL: none */
} zygote_wish;

/* Who waits for its start may not want to any more. */
typedef struct zygote_patience {
    int (*is_stopped)(void *payload); /* asked some times a second; NULL: nobody asks */
    void *payload;
} zygote_patience;

typedef struct zygote zygote;

/* One that has it, which the caller holds: started where there is none, and waited for where
 * another thread starts it. SNUG_ESYSTEM, SNUG_EPYTHON, SNUG_ENOTFOUND, SNUG_ESTOPPED or
 * SNUG_ENOMEM with a message. */
int zygote_hold(zygote **out, const zygote_wish *wish, const zygote_patience *patience);
/* It is held once more. */
void zygote_keep(zygote *z);
/* The last one to let go ends it; its workers live on. NULL is fine. */
void zygote_drop(zygote *z);
/* A worker. Holds the zygote until launch_end. SNUG_ESYSTEM with a message: it is dead. */
int zygote_fork(worker_process *out, zygote *z);
/* How a worker ended that is ending now; -1: nobody knows. */
int zygote_status(zygote *z, pid_t pid);

#endif
