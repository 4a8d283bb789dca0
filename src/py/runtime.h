/*
 * runtime.h - the process's one Python, started once and never finalised.
 */
#ifndef SNUG_PY_RUNTIME_H
#define SNUG_PY_RUNTIME_H

#include <stddef.h>

#include "base/str.h"

/* From now on this process is for full sessions: its main interpreter is the session, and there is
 * no other. Before runtime_start: SNUG_EPYTHON where Python runs already. */
int runtime_be_full(void);
int runtime_is_full(void);
/* Starts Python if we have not done so yet. home NULL: the standard library that
 * configure found; else home/lib/python3.X. SNUG_EPYTHON: Python already runs here
 * and is not ours, is another version than the one built for, has no standard
 * library there, or was started from another home before. */
int runtime_start(const char *home);
/* The directories of the standard library (lib and lib-dynload), absolute. Valid
 * after runtime_start. */
const char *runtime_stdlib(void);
const char *runtime_dynload(void);
/* Where further packages of this Python are installed: Debian's dist-packages, else
 * site-packages; NULL if there is no such folder. */
const char *runtime_packages(void);
/* Whether the standard library has a top-level module of that name. */
int runtime_has_module(const char *name, size_t len);
/* Whether all sessions share one GIL (3.11). */
int runtime_gil_is_shared(void);
/* Starts the threads that sessions of one GIL want, once; runtime_start has started none, so that
 * its process can be forked until then. */
int runtime_begin(void);
/* "key: value" lines about the Python that runs. */
int runtime_report(str *out);

/* The thread that has started Python takes the main interpreter by its first state, and leaves it
 * again. */
void runtime_take_first(void);
void runtime_give_first(void);
/* The calling thread takes the main interpreter and leaves it again; for scans.
 * One thread at a time. */
int runtime_enter_main(void **saved);
/* Only the state, not entered yet; asks for no GIL. NULL: no memory. */
void *runtime_main_state(void);
void runtime_leave_main(void *saved);

#endif
