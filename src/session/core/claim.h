/*
 * claim.h - one call of a session at a time.
 */
#ifndef SNUG_SESSION_CLAIM_H
#define SNUG_SESSION_CLAIM_H

#include <snug/snug.h>

/* What uses a session. */
enum { SESSION_IDLE, SESSION_CALLED, SESSION_PARKING };

/* For a call of the function of snug.h that what names: SNUG_EBUSY while another one is under way.
 */
int session_claim(snug_session *session, const char *what);
/* The same for what a lost session cannot do: SNUG_EDEAD. */
int session_claim_alive(snug_session *session, const char *what);
/* For its end, by any thread: ends the call that uses it, and waits for that, for so long; 0: does
 * neither. */
int session_claim_to_end(snug_session *session, const char *what, uint64_t patience_ns);
void session_release(snug_session *session);
/* The same at the end of that function: answers its error, which session_fail keeps. */
int session_return(snug_session *session, int error);
/* Where the session is not claimed, and may be NULL: keeps an error's message for
 * snug_session_error, and answers the error. */
int session_fail(snug_session *session, int error);

/* Nobody can use the session's interpreter: SNUG_EDEAD with a message. */
int session_check_alive(const snug_session *session);

#endif
