/*
 * host.h - the inside of a host, for session/.
 */
#ifndef SNUG_SESSION_HOST_H
#define SNUG_SESSION_HOST_H

#include <pthread.h>

#include <snug/snug.h>

#include "limits/watchdog.h"

struct snug_host {
    char *allowlist_dir; /* NULL: built in */
    watchdog *watchdog;
    pthread_mutex_t lock; /* guards sessions, opened, orphans, lost, service */
    size_t sessions;      /* open ones */
    uint64_t opened;      /* ever; for names */
    struct snug_session *orphans; /* closed, but their threads have not ended */
    uint64_t lost;        /* sessions whose interpreter was given up */
    struct scan_service *service; /* NULL before the first scan */
    pthread_mutex_t scan_lock;    /* one scan at a time */
    char *report;
};

/* A session whose thread would not end when it was closed. */
void host_adopt_orphan(snug_host *host, struct snug_session *session);
/* Frees the orphans whose threads have ended meanwhile; answers how many are left. */
size_t host_reap(snug_host *host);

/* Starts the thread that scans run on, if it is not there. */
struct scan_service;
void scan_service_close(struct scan_service *service);

#endif
