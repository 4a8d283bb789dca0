/*
 * contents.h - whether a program that failed has changed a value in place: the name of a
 * list that has grown means what it meant, but a repair that appends once more makes it wrong.
 *
 * Before a program a digest is taken of the values whose names it mentions, and again once it has
 * failed; both aside, in half a millisecond or so. A digest is of what stands near the ends of a
 * value, some hundred items deep: large values may change unseen. Values of other types than
 * Python's own, its collections, numpy's arrays, tables of pandas and classes of the session count
 * as unchanged.
 */
#ifndef SNUG_AGENT_CONTENTS_H
#define SNUG_AGENT_CONTENTS_H

#include "agent/run/run.h"

/* Before the attempt's program runs. SNUG_OK or an error. */
int contents_note(run *r, const attempt *a);
/* Appends "; changed in place: kept, rows" where it has. SNUG_OK or an error. */
int contents_tell(str *out, run *r, const attempt *a);

#endif
