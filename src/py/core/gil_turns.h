/*
 * gil_turns.h - fair turns for the interpreters that share 3.11's GIL.
 *
 * A thread that waits for the GIL sets a drop request, but on 3.9 to 3.11 on its
 * own interpreter, which is never the holder's: `while True: pass` in one session
 * would stop all others for good. So a thread of ours asks the holder every few
 * milliseconds while more than one session wants to run. From 3.12 there is
 * nothing to share, and all of this is empty.
 */
#ifndef SNUG_PY_GIL_TURNS_H
#define SNUG_PY_GIL_TURNS_H

#include "py/core/python.h"

/* A thread state that may hold the GIL and can be asked to drop it. */
typedef struct fair_member {
    struct fair_member *previous, *next;
    PyThreadState *tstate;
} fair_member;

/* The main interpreter is there. On a thread that nothing confines, for those that it starts
 * are as it is. SNUG_ESYSTEM or SNUG_ENOMEM with a message. */
int fair_start(void);
/* From here to fair_quit the member is asked when it holds the GIL and others want it: its tstate
 * is set, and stays. A member that has not joined quits nothing. */
void fair_join(fair_member *member);
void fair_quit(fair_member *member);
/* A thread: it wants the GIL until fair_leave. */
void fair_enter(void);
/* Between the two: attaches the thread to the member's interpreter. */
void fair_take(fair_member *member);
void fair_leave(void);

#endif
