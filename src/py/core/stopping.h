/*
 * stopping.h - a stop, as those who run see it: raised, waited for, settled.
 */
#ifndef SNUG_PY_STOPPING_H
#define SNUG_PY_STOPPING_H

#include "py/core/state.h"

/* Raises the stop exception if a stop is asked for; answers -1 then, else 0. */
int interp_check_stop(interp *in);
/* Whether one is asked for, and not handled. */
int stopping_is_asked(const interp *in);
/* (with the GIL) A handler looks at the exception of a stop. 1: that was an interrupt, which it may
 * handle as in Python: it is not raised again meanwhile. */
int stopping_begin_handling(interp *in);
/* Around the code of a cell, whose handlers may have an interrupt. */
void stopping_allow_handling(interp *in, int is_allowed);
/* SNUG_ESTOPPED, with which limit it was as the end of a sentence; SNUG_OK without a stop. */
int interp_tell_stop(const interp *in);
/* The code has ended: allocations and the report are free from the stop. */
void interp_settle(interp *in);
/* The report is made, and code of the guest's may run again: finalizers. */
void interp_unsettle(interp *in);
/* (handler) Whether the thread of that state must not be torn out now. */
int interp_is_busy(PyThreadState *tstate, uintptr_t pc, const uintptr_t *sp);
/* In the interpreter that is about to end: its finalizers are stopped by KeyboardInterrupt, until
 * its thread state goes. */
void stopping_watch_end(interp *in);
/* One that was not raised yet is taken back. */
void stopping_cancel_raise(interp *in);

#endif
