/*
 * shared_objects.h - what the interpreters of a process have in common.
 *
 * With a GIL of its own, 3.13's, an interpreter makes every object for itself, also the names,
 * constants and descriptors of CPython's own start, which are the same in all. Of those that
 * nothing can change the first interpreter's are given to all, immortal, so that no interpreter
 * counts references to them: ASCII strings, bytes, numbers, and the descriptors of built-in types.
 * Code is copied from the first one's, with such parts. Not so in the shared library, where there
 * are no places for our functions, nor on 3.11, whose interpreters share such things by themselves.
 */
#ifndef SNUG_PY_SHARED_OBJECTS_H
#define SNUG_PY_SHARED_OBJECTS_H

#include "py/core/python.h"

#if defined(SNUG_STATIC_PYTHON) && PYTHON_OWN_GIL
/* Before Python starts: what it makes until common_share is remembered. */
void common_begin(void);
/* In the first interpreter, when it has started and there is no other yet. What there is no memory
 * for is not shared. */
void common_share(void);
/* Any thread: a session has read the bytecode of that module of the library, which lies at source.
 * Sessions that are opened later share what is in it. */
void common_note(const char *source);
/* A copy of that module's code, if it was read since and has not changed: a new reference; NULL
 * without an exception otherwise. */
PyObject *common_code(const char *source);
/* Before an interpreter is made, by one thread at a time, which has no state of Python's and works
 * for no session. Reads what was noted in the first interpreter: about 0.1 ms, once for each
 * module. */
void common_update(void);
/* Around the making of an interpreter, on its thread. */
void common_make_begin(void);
void common_make_end(void);
#else
static inline void common_begin(void)
{
}
static inline void common_share(void)
{
}
static inline void common_note(const char *source)
{
    (void)source;
}
static inline PyObject *common_code(const char *source)
{
    (void)source;
    return NULL;
}
static inline void common_update(void)
{
}
static inline void common_make_begin(void)
{
}
static inline void common_make_end(void)
{
}
#endif

#endif
