/*
 * stack.h - the frames of a traceback, as StackSummary formats them.
 *
 * Bounded where Python is not: of more than 4,000 entries the middle is left out, and
 * of more than 20,000 in one report that of each further traceback but 20. In one of more than
 * 40, a line that was shown three times is only counted from then on.
 *
 * The caller holds the interpreter. No exception is left set.
 */
#ifndef SNUG_PY_STACK_H
#define SNUG_PY_STACK_H

#include "py/report/python_frame.h"
#include "py/report/report.h"
#include "py/report/sourcetext.h"
#include "py/report/traceback.h"

/* A frame's lines, kept for when the same instruction comes again. */
typedef struct stack_rendered {
    PyCodeObject *code; /* owned */
    int lasti, line;
    str text;
} stack_rendered;

enum { STACK_RENDERED = 8 };

/* What the tracebacks of one report share. */
typedef struct stack {
    const source_lines *lines;
    sourcetext source;
    stack_rendered rendered[STACK_RENDERED];
    size_t next; /* of those, to be replaced */
    size_t entries_left, search_bytes;
} stack;

void stack_init(stack *s, const source_lines *lines);
void stack_free(stack *s);

/* The first entry of exc's traceback that is shown; owned, or NULL. */
PyTracebackObject *stack_first(PyObject *exc, const source_lines *lines);
/* The entry after this one, which is released: a finalizer of the guest may cut the
 * list while it is walked. */
PyTracebackObject *stack_next(PyTracebackObject *entry);
size_t stack_count(const PyTracebackObject *entry);

/* The heading and the entries; nothing if there are none. */
void stack_put(report *r, stack *s, PyObject *exc, const char *heading, char margin);

#endif
