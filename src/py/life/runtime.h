/*
 * runtime.h - the process's one Python, started once and never finalised.
 */
#ifndef SNUG_PY_RUNTIME_H
#define SNUG_PY_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* From now on this process is for full sessions: its main interpreter is the session, and there is
 * no other. Before runtime_start: SNUG_EPYTHON where Python runs already. */
int runtime_be_full(void);
int runtime_is_full(void);
/* Starts Python if we have not done so yet. home NULL: the standard library that
 * configure found; else home/lib/python3.X. SNUG_EPYTHON: Python already runs here
 * and is not ours, is another version than the one built for, has no standard
 * library there, or was started from another home before, or with another seed of hashes. hash_seed
 * 0: any. */
int runtime_start(const char *home, uint64_t hash_seed);
/* Whether all sessions share one GIL (3.11). */
int runtime_gil_is_shared(void);
/* Whether somebody has the GIL that sessions share (0 where each has its own), and how often it has
 * gone from one to another: where that stands still, one and the same has it. Any thread. */
int runtime_gil_turns(uint64_t *turns);
/* Whether a thread that sleeps on the futex word at that address waits for that GIL. Any thread. */
int runtime_is_gil_word(uintptr_t address);
/* Starts the threads that sessions of one GIL want, once; runtime_start has started none, so that
 * its process can be forked until then. */
int runtime_begin(void);
/* "key: value" lines about the Python that runs. */
int runtime_report(str *out);

/* The thread that has started Python takes the main interpreter by its first state, and leaves it
 * again. */
void runtime_take_first(void);
void runtime_give_first(void);

#endif
