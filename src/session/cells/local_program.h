/*
 * local_program.h - a program as its session's thread calls it. A part of local_form.
 */
#ifndef SNUG_SESSION_LOCAL_PROGRAM_H
#define SNUG_SESSION_LOCAL_PROGRAM_H

#include "session/core/form.h"

/* What the caller hands over. It goes with the session's cell, as the thread may still be at it
 * when the caller has been answered. */
typedef struct program_work program_work;

/* NULL is fine. */
void program_work_free(program_work *work);

int local_compute(program_outcome *out, snug_session *session, const program_wish *wish);

#endif
