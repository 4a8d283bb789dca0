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
 * The runtime was started. SNUG_EPYTHON with a message that names one where some cannot be loaded;
 * then an import of it fails, or goes without it in silence, as that of json does.
 * Any thread that nothing confines. */
int extensions_load(const allowlist *list);

#endif
