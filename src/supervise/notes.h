/*
 * notes.h - what a supervisor tells its owner, and what it writes down of a session.
 */
#ifndef SNUG_SUPERVISE_NOTES_H
#define SNUG_SUPERVISE_NOTES_H

#include "supervise/supervise.h"

uint64_t notes_now(const snug_supervisor *s);
/* Without the lock. session: NULL is "". message: NULL is "". */
void notes_tell(snug_supervisor *s, snug_supervisor_event_kind kind, const char *tenant,
                const char *session, const char *message);
/* SNUG_EBUSY, counted; the sentence is kept. With the lock. */
int notes_refuse(snug_supervisor *s, refusal_kind kind, const char *sentence);
/* Beside its save: the number of cells since then, and why it was lost; NULL: it was not. */
void notes_mark(snug_supervisor *s, seat *one, uint64_t cells, const char *why);
/* For the session's next call, about its saves, once until it changes; "": nothing. */
__attribute__((format(printf, 2, 3))) void notes_notice(seat *one, const char *format, ...);
/* An event with the last error; answers error with what and a message without paths. */
int notes_state_failed(snug_supervisor *s, const seat *one, int error, const char *what);
/* A message without the path of the session's files in it. */
const char *notes_reason(const seat *one, const char *message);
/* It is lost with its cell. */
void notes_lost(snug_supervisor *s, seat *one, const char *why);

#endif
