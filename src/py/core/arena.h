/*
 * arena.h - the object arenas of each interpreter.
 *
 * From 3.12 an interpreter has an object allocator of its own, but an ended one
 * keeps every arena in which a single block leaked (about 1.4 MiB each on 3.13).
 * We hand out the arenas and remember whose they are, so that closing a session
 * gives all of them back. On 3.11 arenas are shared and this only counts.
 */
#ifndef SNUG_PY_ARENA_H
#define SNUG_PY_ARENA_H

#include <stddef.h>

typedef struct arena_list arena_list;
struct _ts; /* PyThreadState */

/* Once, before Python starts. */
void arena_install(void);

/* Arenas mapped by the calling thread from now on belong to list (NULL: to
 * nobody). */
arena_list *arena_list_new(void);
void arena_own(arena_list *list);
/* Takes over what the interpreter of the calling thread, which ends next, leaves of
 * its allocator beside the arenas. */
void arena_list_adopt(arena_list *list, struct _ts *tstate);
/* Unmaps what is left, frees the list, and disowns it from the calling thread.
 * Only when the interpreter is gone. */
void arena_list_release(arena_list *list);
/* Gives the memory back but keeps the addresses: of an interpreter that was given
 * up and that other interpreters' lists may still point to. */
void arena_list_abandon(arena_list *list);

#endif
