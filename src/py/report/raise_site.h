/*
 * raise_site.h - where in a cell an exception was raised: the source of the instruction, and what
 * names and simple expressions stand for there.
 *
 * Runs no code of the guest's: names are found by comparing texts, values are read out of
 * dicts, lists and tuples of the exact types (and dicts of subclasses as dicts).
 *
 * The caller holds the interpreter. No exception is left set.
 */
#ifndef SNUG_PY_RAISE_SITE_H
#define SNUG_PY_RAISE_SITE_H

#include "py/core/pytext.h"
#include "py/report/traceback.h"

typedef struct place {
    PyFrameObject *frame; /* owned; NULL: what raised is not a cell's code */
    PyCodeObject *code;   /* owned */
    PyObject *globals;    /* owned */
    span line;            /* of the source; empty: not known */
    span segment;         /* the instruction's part of it; empty where it has several lines */
    unsigned number;      /* of the line */
} place;

/* The innermost frame of exc. The spans are valid until lines are asked again. */
void place_of(place *out, PyObject *exc, const source_lines *lines);
void place_free(place *p);

/* What an expression of the place stands for, if it is a name with constant subscripts and
 * attributes behind it: rows[0]["a"], self.items. Owned, or NULL. */
PyObject *place_value(const place *p, span expression);
/* What stands under a name of the place: a local, a global. Owned, or NULL. */
PyObject *place_name(const place *p, span name);
/* The value under a key that is a str, found by its text; borrowed, or NULL. */
PyObject *place_item(PyObject *dict, span key);

/* Cuts an expression that ends in a bracket into what stands before it and what is within:
 * rows[0][i] into rows[0] and i. 0 where it does not. */
int place_cut(span *before, span *within, span expression, char open);
/* What is divided by in an expression whose last operator is a division; empty if none is. */
span place_divisor(span expression);
/* The length of the name that text begins with; 0 if there is none. */
size_t place_name_len(span text);

#endif
