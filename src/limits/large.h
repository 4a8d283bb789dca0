/*
 * large.h - large blocks of memory that C libraries have taken on sessions' threads.
 *
 * A thread that is torn out of a library never frees what that was working with. Its small blocks
 * stay, for the library may have put them into a list of the process; a large one is data of
 * the call, and its pages go back to the machine. The address stays taken.
 */
#ifndef SNUG_LIMITS_LARGE_H
#define SNUG_LIMITS_LARGE_H

#include "limits/memory.h"

enum { LARGE_BYTES = 1 << 20 };

/* The block was taken for that account. Where there is no room for more, it is not known of. */
void large_note(void *block, memory_account *m);
/* Any thread, before the block is freed or moved; not needed where nothing is unusual. */
void large_forget(const void *block);
/* Nobody uses that account's blocks any more: their pages are given back. */
void large_give_back(memory_account *m);
/* They are the library's own from now on. */
void large_disown(memory_account *m);

#endif
