/*
 * pytext.h - Python's str objects as UTF-8, and what str's methods answer there.
 *
 * Functions on objects: the caller holds the interpreter; they run no code of the
 * guest's and leave no exception set.
 */
#ifndef SNUG_PY_PYTEXT_H
#define SNUG_PY_PYTEXT_H

#include "base/str.h"
#include "py/core/python.h"

/* A piece of somebody else's text, not NUL-terminated. */
typedef struct span {
    const char *at;
    size_t len;
} span;

/* The text of a str object; lone surrogates as \udc80. *holder is NULL, or what keeps
 * it alive and the caller releases. Empty for other objects, and if memory ran out. */
span pytext_of(PyObject **holder, PyObject *text);
/* Appends it, at most max_bytes of it; a longer text ends in "...". SNUG_OK or SNUG_ENOMEM. */
int pytext_append(str *out, PyObject *text, size_t max_bytes);

/* The code point at text; its length to *step. An invalid byte is U+FFFD. */
Py_UCS4 span_first(span text, size_t *step);
int span_is_space(Py_UCS4 c);
int span_is_ascii(span text);
/* Whether it is that text, and whether it begins with it. */
int span_is(span text, const char *other);
int span_begins(span text, const char *with);
span span_from(span text, size_t start);
span span_cut(span text, size_t len);

/* Of str.lstrip, rstrip and strip without arguments. */
span span_lstrip(span text);
span span_rstrip(span text);
span span_strip(span text);

/* The length of the first line with its end, as str.splitlines cuts them; *content is
 * the length without it. */
size_t span_line(span text, size_t *content);
/* Columns of a terminal: East Asian wide and fullwidth characters count two, as
 * traceback.py counts them since 3.13. */
size_t span_width(span text);

#endif
