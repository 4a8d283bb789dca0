/*
 * workmodule.h - modules that cells have written into the work directory.
 *
 * The caller holds the interpreter.
 */
#ifndef SNUG_PY_WORKMODULE_H
#define SNUG_PY_WORKMODULE_H

#include <stddef.h>

#include "py/core/python.h"

/* Whether the folder has a file NAME.py, or a folder of that name; symbolic links are none. NULL:
 * no.
 */
int workmodule_exists(const char *workdir, const char *name, size_t len);
/* Whether code of that file name may be such a module's: a relative one, which packages have not.
 */
int workmodule_is_code(const char *filename);
/* What a relative import means in a module with these globals, which may be NULL; a new reference,
 * or NULL with an exception. */
PyObject *workmodule_absolute_name(PyObject *globals, PyObject *name, int level);

#endif
