/*
 * extensions.h - loads the extension modules of Python's own library, with the libraries that they
 * need, for sessions whose threads may map no code.
 *
 * An import in the session finds them loaded: the loader goes by the very path. No
 * interpreter is needed, and none is touched. Either all of a profile's are loaded before, in a
 * process that is forked or held as a whole; or each when it is imported first, by a thread that
 * nothing confines, and what no session imports costs neither time nor memory.
 */
#ifndef SNUG_PY_EXTENSIONS_H
#define SNUG_PY_EXTENSIONS_H

#include <stdatomic.h>
#include <stdint.h>

#include "policy/allowlist.h"

enum { EXTENSION_WHY_BYTES = 512 };

typedef enum extension_state {
    EXTENSION_OUT,
    EXTENSION_WANTED, /* the thread loads it */
    EXTENSION_LOADED,
    EXTENSION_FAILED
} extension_state;

/* Of the files in lib-dynload, those of modules that the list has, each once a process.
 * The runtime was started. SNUG_EPYTHON with a message that names one where some cannot be loaded;
 * then an import of it fails, or goes without it in silence, as that of json does.
 * Any thread that nothing confines. */
int extensions_load(const allowlist *list);

/* Starts the thread, if it is not there. The runtime was started. SNUG_ESYSTEM with a message. */
int extensions_serve(void);
/* Whether it is there. */
int extensions_are_served(void);
/* Ends it, when no session is left; one that a library keeps is left behind, and goes on for the
 * next host. Nothing where it was not started. */
void extensions_end(void);

/* Asks it for the module of that name, which the session may import. Answers the module's
 * extension_state, which is EXTENSION_WANTED until the thread is done with it; NULL: it is none of
 * lib-dynload's, or nobody serves. Any thread. */
_Atomic uint32_t *extensions_want(const char *module);
/* An odd number while one is loaded. Meanwhile dlopen keeps whoever calls it, also for what is
 * loaded. Any thread. */
_Atomic uint32_t *extensions_turns(void);
/* Why it could not be loaded, when that was tried last. Answers an errno where the process is short
 * of descriptors or memory, and the next try may find some; else 0. Any thread. */
int extensions_tell_why(char out[EXTENSION_WHY_BYTES], const char *module);

#endif
