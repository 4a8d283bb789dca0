/*
 * compile.h - a cell's source to code that keeps the value of the last expression.
 *
 * The last statement of the tree, where it is an expression, becomes an assignment
 * to interp.value_name: so one code object does it all. The static programs change
 * CPython's own tree in C. The shared library does not export the parser, so there
 * the tree is made into Python objects. The caller holds the interpreter.
 */
#ifndef SNUG_PY_COMPILE_H
#define SNUG_PY_COMPILE_H

#include "py/core/codecache.h"
#include "py/core/state.h"

/* Loads what the shared library needs of _ast: before a cell can put another one there, or
 * a finder in its way, and while nothing is judged. 0, or -1 with an exception. */
int compile_prepare(interp *in);

/* 0, or -1 with an exception (SyntaxError, MemoryError, RecursionError, ...).
 * source is NUL-terminated UTF-8. */
int compile_cell(cell_code *out, interp *in, const char *source, size_t len, PyObject *filename,
                 int flags);

/* The code of a function whose body is the source, with its last expression as what it returns; a
 * new reference, or NULL with an exception. frame is the source of a function of one line,
 * "return None", which has the parameters. */
PyObject *compile_function(interp *in, const char *frame, const char *source, size_t len,
                           PyObject *filename);

/* Makes the exception that compile_cell left what the cell's report should show: gives
 * a SyntaxError of the compiler, which finds no file to read, its source line; tells a
 * source that is too deep for parser or compiler as a SyntaxError. */
void compile_explain(interp *in, const char *source, size_t len, PyObject *filename);

#endif
