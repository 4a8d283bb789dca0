/*
 * message.h - the lines that name an exception: type and text with the suggestion, a
 * SyntaxError's source and carets, the notes.
 *
 * As TracebackException.format_exception_only, out of the exceptions' slots. __str__ and
 * __repr__ of the guest run, and __notes__ is looked up; what they raise is dropped.
 *
 * The caller holds the interpreter. No exception is left set.
 */
#ifndef SNUG_PY_MESSAGE_H
#define SNUG_PY_MESSAGE_H

#include "py/report/report.h"

/* str(exc), or "<exception str() failed>"; owned, NULL without memory. */
PyObject *message_text(PyObject *exc);
/* exc.__notes__, or NULL; owned. */
PyObject *message_notes(PyObject *exc);
/* text and notes: what these two answered, when the guest's code was due to run. */
void message_put(report *r, PyObject *exc, PyObject *text, PyObject *notes);

/* The type's name with its module. SNUG_OK or SNUG_ENOMEM. */
int message_type(str *out, PyObject *exc);

#endif
