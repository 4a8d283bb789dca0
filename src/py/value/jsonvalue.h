/*
 * jsonvalue.h - Python's values as JSON and back, for calls of the host's functions.
 *
 * Written are None, bool, int, float, str, list, tuple and dict with str keys, and what is
 * derived from them, as what they are in C: no method and no attribute is asked, so
 * no code of the guest's runs and __class__ cannot lie. The caller holds the interpreter.
 */
#ifndef SNUG_PY_JSONVALUE_H
#define SNUG_PY_JSONVALUE_H

#include "base/str.h"
#include "py/core/python.h"

typedef struct jsonvalue_writer {
    str *out;
    size_t most_bytes;     /* of out */
    PyObject *error;       /* the exception's type, borrowed; NULL where memory ran out */
    const char *fault;     /* "... has no JSON"; static */
    const char *type_name; /* what stands before it; NULL: nothing. The type's */
} jsonvalue_writer;

/* Whether a character within quotes is written as an escape, and the escape; its length. */
enum { JSONVALUE_ESCAPE_BYTES = 8 };
static inline int jsonvalue_is_escaped(char c)
{
    return (unsigned char)c < ' ' || c == '"' || c == '\\';
}
size_t jsonvalue_escape(char out[JSONVALUE_ESCAPE_BYTES], char c);

/* Appends value. 0, or -1 without an exception: the writer says why. */
int jsonvalue_write(jsonvalue_writer *w, PyObject *value);
/* The value of JSON text; a new reference, or NULL with an exception: ValueError where it is
 * none (base/jsontext.h). */
PyObject *jsonvalue_read(const char *text, size_t len);

#endif
