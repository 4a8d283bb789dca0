/*
 * valuetext.h - a str, or the name of a type, as UTF-8. The caller holds the interpreter.
 */
#ifndef SNUG_PY_VALUETEXT_H
#define SNUG_PY_VALUETEXT_H

#include "base/str.h"
#include "py/core/python.h"
#include <stddef.h>
#include <stdint.h>

/* The name of its type, without the module. 0, or -1 with an exception. */
int value_type(str *out, PyObject *value);
/* Appends a str as UTF-8, at most max_bytes; lone surrogates escaped. 0, or -1 with an
 * exception. */
int value_utf8(str *out, PyObject *text, uint64_t max_bytes);
/* The UTF-8 of a str, which belongs to *holder, the caller's reference; NULL with an exception. */
const char *value_text(PyObject **holder, size_t *len, PyObject *text);
/* Appends text, or its head and tail around "... n bytes left out ..." */
int value_clip(str *out, const char *text, size_t len, uint64_t max_bytes);

#endif
