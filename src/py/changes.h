/*
 * changes.h - which names of the namespace a cell has set, rebound or deleted.
 *
 * By comparing the namespace with what it was: nothing is hooked, so a cell that changes
 * nothing pays for a walk over its names only. A name counts as rebound when it means
 * another object than before; what is changed within an object is not seen. Names that
 * the session keeps itself (In, Out, _, _3) and those of modules (__name__) do not count.
 *
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_CHANGES_H
#define SNUG_PY_CHANGES_H

#include "py/outcome.h"
#include "py/python.h"

struct interp;
struct cell_code;

typedef struct known_name {
    const void *key;   /* only compared: it may be anything that the guest has put there */
    PyObject *name;    /* a reference; NULL: the key is no plain str */
    const void *value; /* only compared: to hold it would put off its finalizer */
    PyObject *held;    /* the value, where that can have none and is small: a number's address
                          is used again at once */
    int is_hidden;
} known_name;

typedef struct known_names {
    known_name *items;
    size_t count, cap;
} known_names;

/* Whether it is a name that is not told: the session's own, or a module's. */
int changes_is_hidden(PyObject *name);
/* Adds what has changed since the last call to out, which may be NULL. rebound: names, a
 * tuple or NULL, that the code of the cell stored more than once, so that they can have
 * changed and mean an object at the same address. Leaves no exception; without memory some
 * are not told. */
void changes_take(outcome *out, struct interp *in, PyObject *rebound);
void changes_free(known_names *names);

/* Of a cell's compiled code: the names that its own level stores twice, or in a loop. NULL
 * where there are none, or without memory; no exception. */
PyObject *changes_stored_again(PyObject *code);

#endif
