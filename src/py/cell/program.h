/*
 * program.h - the functions that an interpreter has made of programs.
 *
 * Kept by the number of the program. Of more than PROGRAM_SLOTS programs, some are compiled again.
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_CELL_PROGRAM_H
#define SNUG_PY_CELL_PROGRAM_H

#include "py/core/program.h"
#include "py/core/state.h"

enum { PROGRAM_SLOTS = 256 };

/* The source of the program that is compiled under that name, for tracebacks: it lives as long as
 * the interpreter runs nothing else. NULL: there is none. */
const char *program_source(interp *in, PyObject *filename, size_t *len);

#endif
