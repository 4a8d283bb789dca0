/*
 * failure.h - the exception that left a cell, as an outcome: status, category,
 * name, value, traceback, frames, hint.
 *
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_FAILURE_H
#define SNUG_PY_FAILURE_H

#include "policy/source.h"
#include "py/core/state.h"

/* Takes the exception that is set. SNUG_OK or SNUG_ENOMEM. */
int failure_take(outcome *out, interp *in);
/* A cell that was torn out of; made without Python, whose interpreter is gone. */
/* The stop of a cell that has ended otherwise, as if nothing had asked it to: then
 * out tells of the stop. SNUG_OK or SNUG_ENOMEM. */
int failure_of_late_stop(outcome *out, const interp *in);
int failure_of_loss(outcome *out, const interp *in, guard_end end, int number);
/* The stop of a cell that has ended otherwise, as if nothing had asked it to: then out
 * tells of the stop. SNUG_OK or SNUG_ENOMEM. */
int failure_of_late_stop(outcome *out, const interp *in);
/* Source that never reached the compiler. */
int failure_of_source(outcome *out, interp *in, const source_fault *fault, const char *source,
                      size_t len, int is_aside);

#endif
