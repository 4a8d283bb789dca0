/*
 * loader.h - the two ways by which code comes into a session that no cell wrote: modules
 * in C (_imp's functions) and the standard library's bytecode (SourceLoader.get_code).
 *
 * Bytecode that somebody crafted reads memory, and an extension module of its own runs
 * anything. So both ways are C: a module in C is one that the profile has, from where it
 * belongs, and adopted before anybody sees it (patch_c.h); bytecode is read from the
 * library's folders only, never from what Python code hands over.
 */
#ifndef SNUG_PY_LOADER_H
#define SNUG_PY_LOADER_H

#include <time.h>

#include "py/core/state.h"

/* Of an interpreter that has just been made: packages of the standard library that are frozen
 * (freeze.py) find their other modules in the library's folder. 0, or -1 with an exception. */
int loader_find_folders(void);
/* Once, while the interpreter is set up. -1 with an exception. */
int loader_install(interp *in);
/* Gives the lock of imports back if the calling thread has it, or if a thread had it that is gone:
 * a stop may have hit an import. Keeps no exception. */
void loader_end_imports(interp *in);
/* Of a full session, whose importer is Python's own: the lock of imports only, whose wait a stop
 * can end. 0, or -1 with an exception. */
int loader_install_lock(interp *in);
/* Drops what the interpreter keeps for it. */
void loader_release(interp *in);

#endif
