/*
 * memory.h - the memory account of a session.
 *
 * Charged by the allocator wrappers (py/core/alloc.c) on the session's threads with what
 * the C library and the arenas really hand out. Pure: no allocator here.
 */
#ifndef SNUG_LIMITS_MEMORY_H
#define SNUG_LIMITS_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Read by other threads (watchdog, results), written by the session's, or by several
 * if it is_shared. */
typedef struct memory_account {
    uint64_t limit_bytes;   /* UINT64_MAX: none */
    uint64_t ceiling_bytes; /* what holds during this cell: the limit, with a reserve */
    /* Below zero where a session frees what others allocated. */
    _Atomic int64_t used_bytes;
    _Atomic int64_t peak_bytes; /* highest since memory_begin */
    _Atomic uint64_t refusals;  /* since memory_begin */
    _Atomic int grants;         /* small requests that are granted over the ceiling */
    int counts_libraries;       /* what C libraries take is charged too: interpose.c */
    void (*on_hopeless)(
        struct memory_account *m); /* one of those was refused, and memory_is_hopeless:
                                      on the session's thread; NULL: nobody asks */
    int is_shared;          /* several threads charge it: all but used_bytes is about right */
    int64_t restored_bytes; /* used by what was restored, which may be over the limit */
} memory_account;

/* So much, or an eighth of the limit, is always left for a cell that cleans up, and for the
 * report: to delete names one may have to set one, and a dict to grow for it. */
#define MEMORY_RESERVE_BYTES (INT64_C(8) << 20)
/* After that many refused allocations a cell is not recovering but going on. */
enum { MEMORY_PATIENCE = 200 };
/* A refused small request is followed by some that are granted: CPython ends the process
 * when it cannot make a MemoryError many times in a row. */
enum { MEMORY_SMALL_BYTES = 1024, MEMORY_GRANTS = 128 };

/* What this thread allocates is charged to that; NULL: to nobody. */
extern _Thread_local memory_account *memory_here __attribute__((tls_model("initial-exec")));

void memory_init(memory_account *m, uint64_t limit_bytes);
/* A cell begins: min(max(limit, used + reserve), limit + 2 reserve) holds for it. What was restored
 * over the limit stays, with a reserve for the cells that make it smaller. */
void memory_begin(memory_account *m);
/* The session is saved or restored: to copy what it has takes as much again, so twice that holds.
 * memory_end_copy: it is restored. */
void memory_begin_copy(memory_account *m);
void memory_end_copy(memory_account *m);
/* 1: bytes more are fine and counted; 0: they are not, and a refusal is counted, but
 * for large requests between a refusal and the small ones that are granted after it.
 * A negative number is a size that no allocator has: refused. */
int memory_charge(memory_account *m, int64_t bytes);
/* The same for what the caller can do without: no refusal is counted. */
int memory_charge_if_fits(memory_account *m, int64_t bytes);
void memory_release(memory_account *m, int64_t bytes);
/* The highest since memory_begin, with the stack's depth: that is memory too. */
uint64_t memory_peak(const memory_account *m, uint64_t stack_bytes);
/* An allocation has failed that the account had allowed. */
void memory_refuse(memory_account *m);
int memory_is_hopeless(const memory_account *m);

/* Whether allocators have to look twice.
 *
 * There are seldom large blocks that are known of (large.h), or a room that is kept (room.h). So
 * both are counted together: an allocator asks once, and most often goes on at once. */

/* Of all threads. */
extern _Atomic int unusual_count;

#define UNUSUAL_IS_ANY() \
    __builtin_expect(atomic_load_explicit(&unusual_count, memory_order_relaxed) > 0, 0)

/* Large blocks of memory that C libraries have taken on sessions' threads.
 *
 * A thread that is torn out of a library never frees what that was working with. Its small blocks
 * stay, for the library may have put them into a list of the process; a large one is data of
 * the call, and its pages go back to the machine. The address stays taken. */

enum { LARGE_BYTES = 1 << 20 };

/* The block was taken for that account. Where there is no room for more, it is not known of. */
void large_note(void *block, memory_account *m);
/* Any thread, before the block is freed or moved; not needed where nothing is unusual. */
void large_forget(const void *block);
/* Nobody uses that account's blocks any more: their pages are given back. */
void large_give_back(memory_account *m);
/* They are the library's own from now on. */
void large_disown(memory_account *m);

/* Address space that a thread keeps for what must not fail in the midst.
 *
 * CPython ends the process when it finds no memory in certain moments: while an interpreter is
 * made, above all. So there is a mapping before, and none of it is used: an allocator that finds no
 * more lets a piece go, and tries again. Afterwards the rest goes in any case. Not all at once: the
 * other threads of a process that is short of memory take what is let go, a whole room above all.
 */

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
