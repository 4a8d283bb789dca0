/*
 * sqlite.h - what a session's SQLite may do.
 *
 * A connection that a session's thread opens gets an authorizer, by the tables in sqlite.c,
 * before anybody can use it; sqlite3.Connection loses the methods that would take it away. The
 * library is one for the process: the host's own connections are left alone, and so are the
 * library's settings. Its system calls for metadata are judged on a session's thread.
 */
#ifndef SNUG_PY_SQLITE_H
#define SNUG_PY_SQLITE_H

#include "py/core/state.h"

/* In the extension module _sqlite3, as dlopen gave it. Any thread. */
void sqlite_find(void *extension);
/* Of the module _sqlite3, when it is made and again after its code ran. 0, for patch_c.c. */
int sqlite_adopt(interp *in, PyObject *module);
/* Before each connection: 0 if it will be guarded, and -1 if it must not be opened. */
int sqlite_prepare(void);
/* Whether the connection that the calling thread has opened since is guarded. */
int sqlite_is_guarded(void);
/* Ends what the session's connections are at, with SQLITE_INTERRUPT. Any thread. */
void sqlite_interrupt(interp *in);

#endif
