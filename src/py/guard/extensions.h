/*
 * extensions.h - loads the extension modules of a profile, with the libraries that they
 * need, before a session's thread may no longer map code.
 *
 * An import in the session finds them loaded: the loader goes by the very path. No
 * interpreter is needed, and none is touched.
 */
#ifndef SNUG_PY_EXTENSIONS_H
#define SNUG_PY_EXTENSIONS_H

#include "policy/allowlist.h"

/* Of the files in lib-dynload, those of modules that the list has, each once a process.
 * The runtime was started. What cannot be loaded is left to the import's own error.
 * Any thread that nothing confines. */
void extensions_load(const allowlist *list);

#endif
