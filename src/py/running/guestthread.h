/*
 * guestthread.h - one thread that the code of a cell has started: its life, from the call
 * that starts it to the last it does with the interpreter. threads.c has them all.
 */
#ifndef SNUG_PY_GUESTTHREAD_H
#define SNUG_PY_GUESTTHREAD_H

#include "py/core/guest_thread.h"

/* Calls the function on a new thread. The handle, threading's from 3.13 on, or NULL, learns
 * the number and the end. The caller holds the interpreter. 0, or -1 with an exception. */
int guest_thread_start(unsigned long *ident, PyObject *function, PyObject *args, PyObject *keywords,
                       PyObject *handle);

/* ---- the lists, in threads.c; any thread, without Python ---- */

void threads_enlist(guest_thread *t);
/* From now on no stop reaches it: its state is going away. */
void threads_delist(guest_thread *t);
/* The last that a thread does with the interpreter: who joins it may free that. */
void threads_finish(guest_thread *t);
/* Joins and frees those that have finished. Not to be torn out of, and without the GIL. */
void threads_join_ended(guest_threads *threads);

#endif
