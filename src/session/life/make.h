/*
 * make.h - the parts of opening a session, for open_session.c and local.c. In that order; each is
 * SNUG_OK or an error with a message, and what a session has by then goes with it.
 */
#ifndef SNUG_SESSION_MAKE_H
#define SNUG_SESSION_MAKE_H

#include <snug/snug.h>

/* In a worker: its host has made the work directory, with its mounts. */
typedef struct session_place {
    const char *workdir;
    int is_private;
} session_place;

/* With the usual limits and without all else. */
int session_new(snug_session **out, snug_host *host);
/* What options ask for that is looked at by cells only, with a name. */
int session_hand_over(snug_session *session, const snug_session_options *options);
/* Of one that has its callbacks. */
void session_hear_output(snug_session *session);
/* All that they ask for, but an interpreter that has it. */
int session_furnish(snug_session *session, const snug_session_options *options);
/* Of one that has its work directory and knows its packages: what it may open. */
int session_open_files(snug_session *session);
/* The whole, without a spare. place may be NULL. */
int session_open_cold(snug_session **out, snug_host *host, const snug_session_options *options,
                      const session_place *place, int is_scanner);
/* Of forms that have no spares: a row of host_form. */
int session_open_new(snug_session **out, snug_host *host, const snug_session_options *options,
                     const session_place *place);

/* open and end of local_form. */
int session_open_local(snug_session *session, const snug_session_options *options);
int session_end_local(snug_session *session);

/* Some of what the second and the third do. name NULL: the next number. */
int session_set_name(snug_session *session, const char *name);
int session_open_modules(snug_session *session, const snug_session_options *options);
int session_find_packages(snug_session *session, const snug_session_options *options);

/* What a session has whose options say nothing. */
snug_limits session_default_limits(void);

/* Its user's, who may be gone before a thread that has not ended. */
void session_leave_bell(snug_session *session);
/* Ends it without counting; NULL is fine. */
void session_discard(snug_session *session);
/* Frees a session whose thread has ended or never was. */
void session_free(snug_session *session);

#endif
