/*
 * lazy.h - lazy imports (3.15 and later): the __lazy_import__ of a session.
 *
 * Takes the place of builtins.__lazy_import__. What a cell's statement names is judged when the
 * statement runs, as any import is, and again when it is loaded. What a statement of the library
 * names is judged when library code uses it, as one of the library's; where a cell's code is the
 * first to use it, as the cell's. The caller holds the interpreter.
 */
#ifndef SNUG_PY_LAZY_H
#define SNUG_PY_LAZY_H

#include "py/core/state.h"

/* Nothing, on versions without. 0, or -1 with an exception. */
int lazy_install(interp *in);

#endif
