/*
 * fixed_functions.h - the functions of Python that read the machine's clock or draw its random
 * numbers answer by the session's own, in sessions that have them.
 */
#ifndef SNUG_PY_FIXED_FUNCTIONS_H
#define SNUG_PY_FIXED_FUNCTIONS_H

#include "py/core/state.h"

/* When the session's options are known: of the modules that are loaded. -1 with an exception. */
int fixed_functions_begin(interp *in);
/* Of one that was loaded since. name: of its definition. */
int fixed_functions_adopt(interp *in, PyObject *module, const char *name);

#endif
