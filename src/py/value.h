/*
 * value.h - a value as text and as JSON. The caller holds the interpreter.
 */
#ifndef SNUG_PY_VALUE_H
#define SNUG_PY_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "py/python.h"

/* The name of its type, without the module. 0, or -1 with an exception. */
int value_type(str *out, PyObject *value);
typedef enum value_fit { VALUE_TOO_LARGE = -1, VALUE_IS_NOT_JSON = 0, VALUE_IS_JSON = 1 } value_fit;
/* value as JSON where it is JSON: None, bool, int, float, str, and lists and dicts
 * (keys str) of these, by exact type, finite, at most max_bytes and 100 levels.
 * If it is not, or larger, out is as it was. Runs no code of the guest's. */
value_fit value_json(str *out, PyObject *value, uint64_t max_bytes);
/* Appends a str as UTF-8, at most max_bytes; lone surrogates escaped. 0, or -1 with an
 * exception. */
int value_utf8(str *out, PyObject *text, uint64_t max_bytes);
/* The UTF-8 of a str, which belongs to *holder, the caller's reference; NULL with an exception. */
const char *value_text(PyObject **holder, size_t *len, PyObject *text);
/* Appends text, or its head and tail around "... n bytes left out ..." */
int value_clip(str *out, const char *text, size_t len, uint64_t max_bytes);

#endif
