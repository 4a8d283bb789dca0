/*
 * renew.h - a local session begins again.
 */
#ifndef SNUG_SESSION_RENEW_H
#define SNUG_SESSION_RENEW_H

#include <snug/snug.h>

/* As snug_session_reset, for who has claimed the session: a row of session_form. Where the thread
 * of a lost one goes on, another session stands for it from then on, which is *session. */
int local_renew(snug_session **session);

#endif
