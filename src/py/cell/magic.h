/*
 * magic.h - cells with magics: %time f(), x = %timeit -o f(), name?, %%time.
 *
 * A line is only taken for a magic where the parser found it not to be Python: so what
 * stands in a string or in an expression over lines is left alone, and a cell without
 * magics costs nothing. The line becomes a call of __snug_magic__, a builtin, of the same
 * line number. Python of a cell under %%time keeps its lines too.
 *
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_MAGIC_H
#define SNUG_PY_MAGIC_H

#include "py/core/codecache.h"
#include "py/core/state.h"

/* As compile_cell, for a cell that may have magics. */
int magic_compile(cell_code *out, interp *in, const char *source, size_t len, PyObject *filename,
                  int flags);
/* The syntax tree of such a cell; *magic: the name, arguments and line of a %%magic whose body the
 * tree is, or NULL. Both are owned. 0, or -1 with an exception and neither. */
int magic_parse(PyObject **tree, PyObject **magic, interp *in, const char *source, size_t len,
                PyObject *filename, int flags);
/* Appends the Python that such a cell is. 0, or -1 with an exception. */
int magic_python(str *out, interp *in, const char *source, size_t len, PyObject *filename,
                 int flags);
/* Runs a cell under its %%magic, which calls _snug.run. The answer tells whether its value is
 * shown: 1 or 0; -1 with an exception. */
int magic_run(interp *in, const cell_code *code);
/* Whether the source begins with %%: such a cell goes on until an empty line. */
int magic_is_cell(const char *source, size_t len);
/* The name of line magic, or cell magic, number index; NULL behind the last one. */
const char *magic_name(size_t index, int is_cell);
/* Puts __snug_magic__ into the builtins. 0, or -1 with an exception. */
int magic_install(interp *in);

#endif
