/*
 * cell_notes.h - what is noted of the running cell for its result, and of an exception for the
 * caller.
 */
#ifndef SNUG_PY_CELL_NOTES_H
#define SNUG_PY_CELL_NOTES_H

#include "py/core/state.h"

/* A cell begins, or what else has an outcome. */
void notes_begin(interp *in);
/* The denials noted since become the outcome's. */
void notes_hand_over(outcome *out, interp *in);
/* Remembers that the policy refused something in this cell. */
void interp_deny(interp *in, const char *event, const char *detail, size_t len);
/* Remembers a hint for exc, the exception just made. */
void interp_hint(interp *in, PyObject *exc, const char *hint);
/* SNUG_EPYTHON, with what and the exception that is set, which goes. */
int interp_python_error(const char *what);

#endif
