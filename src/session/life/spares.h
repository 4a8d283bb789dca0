/*
 * spares.h - the sessions that a local host has ready before they are asked for: those of a pool,
 * or in a process for full sessions the one that there can be.
 */
#ifndef SNUG_SESSION_SPARES_H
#define SNUG_SESSION_SPARES_H

#include <snug/snug.h>

struct session_place;

/* For local.c: what the options ask for. packages: of the full session; NULL: the system's.
 * SNUG_OK, or an error with a message. */
int spares_begin(snug_host *host, const snug_host_options *options, const char *packages);
/* While no session is open or being opened. */
void spares_end(snug_host *host);
int spares_are_kept(const snug_host *host);
/* As snug_session_open, of options that were checked: a spare, or what is opened cold instead. */
int spares_open_session(snug_session **out, snug_host *host, const snug_session_options *options,
                        const struct session_place *place);

#endif
