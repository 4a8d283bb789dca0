/*
 * room.h - address space that a thread keeps for what must not fail in the midst.
 *
 * CPython ends the process when it finds no memory in certain moments: while an interpreter is
 * made, above all. So there is a mapping before, and none of it is used: an allocator that finds no
 * more lets a piece go, and tries again. Afterwards the rest goes in any case. Not all at once: the
 * other threads of a process that is short of memory take what is let go, a whole room above all.
 */
#ifndef SNUG_LIMITS_ROOM_H
#define SNUG_LIMITS_ROOM_H

#include <stddef.h>

enum { ROOM_BYTES = 32 << 20, ROOM_PIECE_BYTES = 1 << 20 };

/* 1: this thread has it now; 0: there is none left in the process. */
int room_keep(void);
/* A piece of it. 1: there is more memory now, if no other thread was quicker. */
int room_drop(void);
/* The same for pages of the allocator's own: it has them, mapped and zero, and no other thread was
 * in between. NULL: there is no room of that size. bytes is a multiple of the page. */
void *room_take(size_t bytes);
/* What is left of it. */
void room_leave(void);

#endif
