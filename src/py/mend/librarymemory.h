/*
 * librarymemory.h - what C libraries take for a session's work, where that is known before, or
 * where nobody sees their allocations.
 *
 * In the programs limits/interpose.c charges what libraries take on a session's thread. Beside a
 * shared libpython SQLite is asked to let us, which it does until it is first used in the process.
 * A derivation of scrypt tells what it needs by its arguments, and is judged by them everywhere.
 */
#ifndef SNUG_PY_LIBRARYMEMORY_H
#define SNUG_PY_LIBRARYMEMORY_H

#include "py/core/state.h"

/* The library that the extension module _sqlite3 works with, as dlopen gave that. */
void librarymemory_count_sqlite(void *extension);
/* Of the module _hashlib. 0, for patch_c.c. */
int librarymemory_adopt_hashlib(interp *in, PyObject *module);

#endif
