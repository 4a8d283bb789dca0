/*
 * room.h - address space that a thread keeps for what must not fail in the midst.
 *
 * CPython ends the process when it finds no memory in certain moments: while an interpreter is
 * made, above all. So there is a mapping before, and none of it is used: an allocator that finds no
 * more lets it go, and tries once more. Afterwards it goes in any case.
 */
#ifndef SNUG_LIMITS_ROOM_H
#define SNUG_LIMITS_ROOM_H

enum { ROOM_BYTES = 32 << 20 };

/* 1: this thread has it now; 0: there is none left in the process. */
int room_keep(void);
/* 1: there is more memory now. */
int room_drop(void);

#endif
