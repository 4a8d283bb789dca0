/*
 * value.h - a value as text and as JSON. The caller holds the interpreter.
 */
#ifndef SNUG_PY_VALUE_H
#define SNUG_PY_VALUE_H

#include <stdint.h>

#include "base/str.h"
#include "py/python.h"

/* The name of its type, without the module. 0, or -1 with an exception. */
int value_type(str *out, PyObject *value);
/* value as JSON where it is JSON: None, bool, int, float, str, and lists and dicts
 * (keys str) of these, by exact type, finite, at most max_bytes and 100 levels.
 * Answers 1 if it is, 0 if not (out is as it was). Runs no code of the guest's. */
int value_json(str *out, PyObject *value, uint64_t max_bytes);
/* Appends a str as UTF-8, at most max_bytes; lone surrogates escaped. 0, or -1 with an
 * exception. */
int value_utf8(str *out, PyObject *text, uint64_t max_bytes);
/* Appends text, or its head and tail around "... n bytes left out ..." */
int value_clip(str *out, const char *text, size_t len, uint64_t max_bytes);

#endif
