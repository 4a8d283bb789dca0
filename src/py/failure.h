/*
 * failure.h - the exception that left a cell, as an outcome: status, category,
 * name, value, traceback, frames, hint.
 *
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_FAILURE_H
#define SNUG_PY_FAILURE_H

#include "policy/source.h"
#include "py/state.h"

/* Takes the exception that is set. SNUG_OK or SNUG_ENOMEM. */
int failure_take(outcome *out, interp *in);
/* Source that never reached the compiler. */
int failure_of_source(outcome *out, interp *in, const source_fault *fault, const char *source,
                      size_t len);

#endif
