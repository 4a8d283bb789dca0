/*
 * fullmain.h - Python's main interpreter as the one session of a process of its own.
 *
 * Nothing is pruned there, and what a cell replaces would be there for the next session: so what
 * every session changes is kept as it was at first, and put back before each. Modules stay loaded.
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_FULLMAIN_H
#define SNUG_PY_FULLMAIN_H

#include "py/core/state.h"

/* The state of the calling thread, entered; NULL if memory ran out. */
PyThreadState *fullmain_enter(void);
/* Leaves it for good. */
void fullmain_leave(PyThreadState *tstate);
/* No session was here. */
int fullmain_is_fresh(void);
/* For a process that others are forked from, where no session will be: what the first one would do
 * before it is anybody's is done, once. 0, or -1 with an exception. */
int fullmain_warm(void);
/* Puts back __main__, builtins, sys and what else sessions change. Finalizers of the guest's may
 * run. 0, or -1 with an exception. */
int fullmain_restore(void);
/* The last step of a session's set-up: folders and threads, as packages look for them. 0, or -1
 * with an exception. */
int fullmain_begin(interp *in);
/* A module that packages bring along and that was loaded just now; patch_py.c's. */
int fullmain_adopt(interp *in, PyObject *module);
/* The figures of a cell become displays, but that of value (or NULL), which is shown by itself. 0,
 * or -1 with an exception. */
int fullmain_show_figures(interp *in, PyObject *value);
/* Drops those that a stopped cell has left. No exception. */
void fullmain_drop_figures(interp *in);

#endif
