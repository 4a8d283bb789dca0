/*
 * wait.h - waits of a session's thread that a stop ends.
 */
#ifndef SNUG_PY_WAIT_H
#define SNUG_PY_WAIT_H

#include "py/core/state.h"

/* Without the GIL until the session's bell is another number than seen (1), or the
 * deadline has passed (0); -1: a stop came, and is raised. The caller holds the
 * interpreter. */
int wait_for_bell(struct interp *in, uint32_t seen, uint64_t deadline_ns);
/* Without the GIL until the word, which no stop wakes, is another number than seen: 0; -1 as
 * above. */
int wait_for_change(struct interp *in, _Atomic uint32_t *word, uint32_t seen);
/* Until what the cell has written was taken, as far as it has to be: 0; -1 as above. */
int wait_for_listener(struct interp *in);

#endif
