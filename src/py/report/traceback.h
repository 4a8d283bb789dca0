/*
 * traceback.h - an exception as Python prints it, read from C.
 *
 * The text is what traceback.format_exception of the same Python version gives
 * (with the "Did you mean" that the interpreter itself prints), but no module of
 * the session takes part in it: what guest code replaces there changes nothing.
 * Exceptions' own __str__ and __notes__ do run.
 *
 * Bounded where Python is not: 1,000 exceptions, 4,000 frames of a traceback (20,000
 * of a report), 1,000 notes, 16 MiB of source lines, names of 4 KiB. Lines that say so
 * stand for exceptions and frames that are left out.
 *
 * The caller holds the interpreter, with no exception set. None of this leaves one set.
 */
#ifndef SNUG_PY_TRACEBACK_H
#define SNUG_PY_TRACEBACK_H

#include "base/str.h"
#include "py/core/python.h"

/* Where source lines come from. Wherever it is asked for, and each function in it, may
 * be NULL. */
typedef struct source_lines {
    /* The whole UTF-8 text behind a code object's file name, or NULL if it must not
     * or cannot be shown. Valid until the next call. */
    const char *(*text)(void *payload, PyObject *filename, size_t *len);
    /* Whether frames of that file are the cell's own; entries before the first such
     * one are left out (the event loop under a top-level await). */
    int (*is_cell)(void *payload, PyObject *filename);
    void *payload;
} source_lines;

typedef struct traceback_frame {
    str file;
    unsigned line;
    str function;
    str code; /* the source line, stripped; empty if unknown */
} traceback_frame;

typedef struct traceback_frames {
    traceback_frame *items; /* outermost first; at most TRACEBACK_FRAMES, the middle left out */
    size_t count;
} traceback_frames;

enum { TRACEBACK_FRAMES = 50 };

/* Appends the text of exc, with its __cause__, __context__ and groups, at most
 * max_bytes (longer texts lose their middle). SNUG_OK or SNUG_ENOMEM. */
int traceback_format(str *out, PyObject *exc, const source_lines *lines, size_t max_bytes);
/* The frames of exc's own traceback. */
int traceback_collect(traceback_frames *out, PyObject *exc, const source_lines *lines);
void traceback_frames_free(traceback_frames *frames);

/* str(exc), or "<exception str() failed>"; past 64 KiB without its middle. */
int traceback_value(str *out, PyObject *exc);

/* Appends the name that a NameError, AttributeError or, from 3.13 on, ImportError
 * probably meant, as CPython's "Did you mean"; answers 1 if there is one. Runs no code
 * of the guest's: looks at dicts and types only. */
int traceback_suggestion(str *out, PyObject *exc);

#endif
