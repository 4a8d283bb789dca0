/*
 * claim.h - one call of a session at a time.
 *
 * What the host's caller has is a session's front. It is the session, until it is lost for good and
 * reset: its thread may run on in it, and a successor stands for it from then on. A claim goes from
 * the one to the other.
 */
#ifndef SNUG_SESSION_CLAIM_H
#define SNUG_SESSION_CLAIM_H

#include <snug/snug.h>

/* What uses a session. */
enum { SESSION_IDLE, SESSION_CALLED, SESSION_PARKING };

/* For a call of the function of snug.h that what names: SNUG_EBUSY while another one is under way.
 * *at is a front, and then what stands for it. */
int session_claim(snug_session **at, const char *what);
/* The same for what a lost session cannot do: SNUG_EDEAD. */
int session_claim_alive(snug_session **at, const char *what);
/* For its end, by any thread: ends the call that uses it, and waits for that, for so long; 0: does
 * neither. */
int session_claim_to_end(snug_session **at, const char *what, uint64_t patience_ns);
void session_release(snug_session *session);
/* The same at the end of that function: answers its error, which session_fail keeps. */
int session_return(snug_session *session, int error);
/* Where the session is not claimed, and may be NULL: keeps an error's message for
 * snug_session_error, and answers the error. */
int session_fail(snug_session *session, int error);

snug_session *session_front(snug_session *session);
/* In the place of the one before, or of the front itself; who has claimed it says so. */
void session_set_successor(snug_session *front, snug_session *successor);
/* For who has claimed nothing: what stands for it, and will until session_look_away, which follows
 * soon. */
snug_session *session_look(const snug_session *front);
void session_look_away(void);

/* Nobody can use the session's interpreter: SNUG_EDEAD with a message. */
int session_check_alive(const snug_session *session);

#endif
