/*
 * stdstream.h - sys.stdout, sys.stderr and sys.stdin of a session.
 *
 * stdout and stderr write to the session's capture; stdin has nobody behind it.
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_STDSTREAM_H
#define SNUG_PY_STDSTREAM_H

#include "py/core/interp.h"
#include "py/core/python.h"

/* Puts all three (and __stdout__ ...) into sys. 0, or -1 with an exception. */
int stdstream_install(void);

/* Whether it is one of our text streams that can be written. */
int stdstream_is_output(PyObject *object);
/* Writes to such a stream: UTF-8, or any str. 0, or -1 with an exception. */
int stdstream_emit(PyObject *to, const char *text, size_t len);
int stdstream_emit_str(PyObject *to, PyObject *text);

/* At a cell's end: flushes what a cell has put in the place of stdout or stderr around their
 * buffers. Keeps the exception that is set. */
void stdstream_flush(interp *in);
/* At a cell's end: what a write of bytes left unfinished is shown as U+FFFD. SNUG_OK or
 * SNUG_ENOMEM. */
int stdstream_finish(interp *in);

#endif
