/*
 * changes.h - which names of the namespace a cell has set, rebound or deleted.
 *
 * By comparing the namespace with what it was: nothing is hooked, so a cell that changes
 * nothing pays for a walk over its names only, and where most of these are the session's own
 * (_3, of which there are a thousand in a long conversation) for a look at the others. A name
 * counts as rebound when it means another object than before; what is changed within an object is
 * not seen. Names that the session keeps itself (In, Out, _, _3) and those of modules (__name__) do
 * not count.
 *
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_CHANGES_H
#define SNUG_PY_CHANGES_H

#include "py/core/outcome.h"
#include "py/core/python.h"

struct interp;
struct cell_code;

typedef struct known_name {
    const void *key;   /* only compared: it may be anything that the guest has put there */
    PyObject *name;    /* a reference; NULL: the key is not a plain str */
    const void *value; /* only compared: to hold it would put off its finalizer */
    PyObject *held;    /* the value, where that can have none and is small: a number's address
                          is used again at once */
    int is_hidden;
} known_name;

typedef struct known_names {
    known_name *items;
    size_t count, cap;
    size_t *visible; /* places of those that are reported, where the others are many */
    size_t visible_count;
    int is_indexed;  /* visible is right */
    Py_ssize_t size; /* of the namespace then, with what the session has put there since */
} known_names;

/* Whether it is a name that is not told: the session's own, or a module's. */
int changes_is_hidden(PyObject *name);
/* Adds what has changed since the last call to out, which may be NULL. rebound: names, a
 * tuple or NULL, that the code of the cell stored more than once, so that they can have
 * changed and mean an object at the same address. Leaves no exception; without memory some
 * are not told. */
void changes_take(outcome *out, struct interp *in, PyObject *rebound);
/* The session itself has bound the name, a plain str, of which there were `before`: no cell has
 * done it. Where the name is a new one, nothing else is looked at. */
void changes_bound(struct interp *in, PyObject *name, Py_ssize_t before);
/* The session itself has made that many names more. */
void changes_expect(struct interp *in, Py_ssize_t more);
void changes_free(known_names *names);

/* Of a cell's compiled code: the names that its own level stores twice, or in a loop. NULL
 * where there are none, or without memory; no exception. */
PyObject *changes_stored_again(PyObject *object);

#endif
