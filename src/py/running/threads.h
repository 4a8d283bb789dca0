/*
 * threads.h - the threads that the code of a cell starts, where its session may have some.
 *
 * They are threads of ours and not of CPython's _thread, whose functions never run: each
 * has the session's rules (hook, gate, memory account) from its first instruction to its
 * last, finalizers included, and a guard of its own, so that a fault costs the session.
 * The working directory and the umask are the session's, because pthread_create shares
 * them with the thread that calls it.
 *
 * No cell ends before its threads have, and none starts outside a cell: the session's
 * thread waits for them, also when it was torn out itself. So whatever comes after a
 * cell finds one thread only.
 */
#ifndef SNUG_PY_THREADS_H
#define SNUG_PY_THREADS_H

#include "py/core/threadlist.h"

struct interp;

/* Takes over what starts threads in module _thread. The caller holds the interpreter.
 * 0, or -1 with an exception. */
int threads_adopt(struct interp *in, PyObject *module);
/* The code of a cell begins. */
void threads_begin(struct interp *in);
/* The session's thread, which holds the interpreter: waits until none is left. Keeps the
 * exception that is set, unless the stop came meanwhile: that takes its place, with the
 * other as its context, and the answer is -1, else 0. Does not return when one was torn
 * out: leaves guard_run as that did. */
int threads_wait(struct interp *in);
/* After the last wait of a cell: none starts any more. */
void threads_end(struct interp *in);
/* After a stop, which may have hit threading before it noted that a thread has ended. The
 * session's thread, which holds the interpreter; no exception. */
void threads_forget(struct interp *in);
/* The session's thread was torn out and holds nothing: ends the others and waits until
 * none is left. end and number become those of the first one that was torn out. */
void threads_abandon(struct interp *in, guard_end *end, int *number);

#endif
