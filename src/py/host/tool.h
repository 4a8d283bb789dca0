/*
 * tool.h - the host's functions in a session: what is bound under their names, and input().
 *
 * A tool is a function written in Python, so that inspect and help() show its signature, whose
 * one statement hands the arguments to a function in C. That one decides: which names the
 * arguments may have, what of them is JSON, whether the cell may call. Guest code may
 * reach it, and whatever else is here, with anything.
 *
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_TOOL_H
#define SNUG_PY_TOOL_H

#include "calls/desk.h"
#include "py/core/state.h"

/* The exceptions' names in builtins. 0, or -1 with an exception. */
int tool_install(interp *in);
/* input(), where somebody answers it; the same. */
int tool_install_input(interp *in);
/* Whether it is a function that interp_bind has made. */
int tool_is_one(PyObject *value);
/* One line for sys.stdin, with its end; an empty str where there is none. */
PyObject *tool_read_line(interp *in);
/* When the first of the calls that coroutines wait for has no more time. */
uint64_t tool_deadline_ns(interp *in);

/* What the function in Python calls; toolbind.c gives it the id of the tool. */
extern PyMethodDef tool_call_method;

/* Of _snug, for frozen/getpass.py: a line that is not to be seen while it is typed. */
PyObject *tool_secret(PyObject *self, PyObject *prompt);
/* Of _snug, for frozen/loop.py. */
PyObject *tool_begin(PyObject *self, PyObject *prepared);
PyObject *tool_end(PyObject *self, PyObject *prepared);
PyObject *tool_drop(PyObject *self, PyObject *prepared);
PyObject *tool_ended(PyObject *self, PyObject *ignored);

#endif
