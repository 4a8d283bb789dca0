/*
 * print.h - the session's print: builtins.print that writes to the session's own
 * streams without a method call for each piece of text.
 */
#ifndef SNUG_PY_PRINT_H
#define SNUG_PY_PRINT_H

#include "py/core/state.h"

/* Puts it into the builtins; any other file than our streams is left to the print
 * that was there. The caller holds the interpreter. 0, or -1 with an exception. */
int print_install(interp *in);

#endif
