/*
 * threadhandle.h - threading's handle of a thread: what it waits for and asks after from
 * 3.13 on. Before, there is none.
 */
#ifndef SNUG_PY_THREADHANDLE_H
#define SNUG_PY_THREADHANDLE_H

#include "py/core/python.h"

/* The type for an interpreter, a new reference, or NULL with an exception. */
PyTypeObject *threadhandle_type(void);
/* Says that the handle's thread is being started; answers whether it was not. */
int threadhandle_claim(PyObject *handle);
/* It could not be started. */
void threadhandle_unclaim(PyObject *handle);
/* Any thread, without the interpreter. */
void threadhandle_set_ident(PyObject *handle, unsigned long ident);
void threadhandle_set_done(PyObject *handle);

#endif
