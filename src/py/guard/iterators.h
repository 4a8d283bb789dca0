/*
 * iterators.h - iterators in C that may never end ask whether the cell is being stopped.
 *
 * all(), sum(), deque.extend() and their like neither poll nor allocate while such an
 * iterator feeds them, so a stop would have to tear the thread out. Here the types of
 * itertools and iter(callable, sentinel) get a tp_iternext that polls and then calls
 * the original one. So does that of a range where its numbers come from a free list, which
 * no stop makes fail.
 */
#ifndef SNUG_PY_ITERATORS_H
#define SNUG_PY_ITERATORS_H

#include "py/core/state.h"

/* The types of module, this interpreter's itertools (on 3.11 they are those of all
 * interpreters). The caller holds the interpreter. Answers 0. */
int endless_adopt(interp *in, PyObject *module);
/* Those that no module has, of all interpreters. A session need not import anything to loop over
 * them. The caller holds an interpreter. */
void endless_adopt_builtin(void);

#endif
