/*
 * hints.h - one sentence that helps to repair the code, for the commonest errors: a table of
 * messages (hintrows.c), and values that are read without running code of the guest's.
 *
 * The caller holds the interpreter. No exception is left set.
 */
#ifndef SNUG_PY_HINTS_H
#define SNUG_PY_HINTS_H

#include "py/core/state.h"
#include "py/report/traceback.h"

/* Of lines that would install something. */
#define HINT_NO_INSTALL                                                                           \
    "Nothing is installed from a cell: leave the line out; snug packages install adds packages, " \
    "outside of sessions."

/* Appends a hint of at most 300 bytes, if there is one. SNUG_OK or SNUG_ENOMEM. */
int hints_add(str *out, interp *in, PyObject *exc, const source_lines *lines);

#endif
