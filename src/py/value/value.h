/*
 * value.h - a value as JSON. The caller holds the interpreter.
 */
#ifndef SNUG_PY_VALUE_H
#define SNUG_PY_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "py/core/python.h"

typedef enum value_fit { VALUE_TOO_LARGE = -1, VALUE_IS_NOT_JSON = 0, VALUE_IS_JSON = 1 } value_fit;
/* value as JSON where it is JSON: None, bool, int, float, str, and lists and dicts
 * (keys str) of these, by exact type, finite, at most max_bytes and 100 levels.
 * If it is not, or larger, out is as it was. Runs no code of the guest's. */
value_fit value_json(str *out, PyObject *value, uint64_t max_bytes);

#endif
