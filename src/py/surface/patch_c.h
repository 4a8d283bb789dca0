/*
 * patch_c.h - what a session finds in the modules that are written in C: names that reach
 * the process, the host or other sessions are taken out or replaced, by the tables in
 * patch_c.c, when a module is made.
 */
#ifndef SNUG_PY_PATCH_C_H
#define SNUG_PY_PATCH_C_H

#include "py/core/state.h"

/* Of one module, known by its C definition and not by a name that anybody may give it; but by
 * made_as, an exact str, where 3.11 made it of a copy that has none. NULL: it was made before.
 * May be called again. -1 with an exception. */
int surface_adopt(interp *in, PyObject *module, PyObject *made_as);
/* Of all that are loaded already. */
int surface_adopt_loaded(interp *in);

/* The same for the main interpreter, whose objects 3.11's sessions find among the classes that
 * they share: it runs nothing any more, and loses all functions of such modules. */
int surface_strip_main(void);

#endif
