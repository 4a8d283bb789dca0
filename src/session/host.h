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
    pthread_mutex_t lock; /* guards sessions, opened, service */
    size_t sessions;      /* open ones */
    uint64_t opened;      /* ever; for names */
    struct scan_service *service; /* NULL before the first scan */
    pthread_mutex_t scan_lock;    /* one scan at a time */
    char *report;
};

/* Starts the thread that scans run on, if it is not there. */
struct scan_service;
void scan_service_close(struct scan_service *service);

#endif
