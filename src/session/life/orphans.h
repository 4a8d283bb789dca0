/*
 * orphans.h - sessions that were closed while their threads would not end.
 */
#ifndef SNUG_SESSION_ORPHANS_H
#define SNUG_SESSION_ORPHANS_H

#include <stddef.h>

#include <snug/snug.h>

/* A session whose thread would not end when it was closed. */
void host_adopt_orphan(snug_host *host, snug_session *session);
/* Frees the orphans whose threads have ended meanwhile; answers how many are left. */
size_t host_reap(snug_host *host);

#endif
