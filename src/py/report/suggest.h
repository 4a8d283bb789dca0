/*
 * suggest.h - the "Did you mean" of an exception.
 *
 * As traceback.py since 3.13, before that as the interpreter's own printer; but names
 * are read out of dicts: no __dir__, no __getattr__, no code of the guest's at all.
 *
 * The caller holds the interpreter. No exception is left set.
 */
#ifndef SNUG_PY_SUGGEST_H
#define SNUG_PY_SUGGEST_H

#include "base/str.h"
#include "py/core/python.h"

/* Appends the name probably meant ("append", "self.x"); 1 if there is one. */
int suggest_name(str *out, PyObject *exc);
/* Appends what stands after the message: ". Did you mean: 'x'?", from 3.13 on also
 * that a module of the standard library was not imported. SNUG_OK or SNUG_ENOMEM. */
int suggest_sentence(str *out, PyObject *exc);

#endif
